// SPDX-License-Identifier: MIT

// UUIDs that are missing in the package from which the other tables are generated. Each is in the vendor's public
// documentation, or was documented by users. Sorted by number, as every table must be.

extension AssignedNumbers {
  /// Services.
  ///
  /// The short ones were bought from the SIG, which lists only the name of the member.
  static var moreServices: NumberTable {
    NumberTable(
      digits: 36,
      text: """
        00001530-0000-3512-2118-0009af100700 Mi Band Firmware
        00001f10-0000-1000-8000-00805f9b34fb ATC/pvvx Thermometer Settings
        0000fcd2-0000-1000-8000-00805f9b34fb BTHome
        0000fd6f-0000-1000-8000-00805f9b34fb Exposure Notification
        0000fe2c-0000-1000-8000-00805f9b34fb Google Fast Pair
        0000fe59-0000-1000-8000-00805f9b34fb Nordic Secure DFU
        0000fe95-0000-1000-8000-00805f9b34fb Xiaomi MiBeacon
        0000feaa-0000-1000-8000-00805f9b34fb Eddystone
        03b80e5a-ede8-4b33-a751-6ce34ec4c700 MIDI over Bluetooth LE
        49535343-fe7d-4ae5-8fa9-9fafd205e455 Microchip Transparent UART
        ebe0ccb0-7a0a-4b0c-8a1a-6ff2997da3a6 Xiaomi Thermometer
        f000aa00-0451-4000-b000-000000000000 SensorTag IR Temperature
        f000aa10-0451-4000-b000-000000000000 SensorTag Accelerometer
        f000aa20-0451-4000-b000-000000000000 SensorTag Humidity
        f000aa30-0451-4000-b000-000000000000 SensorTag Magnetometer
        f000aa40-0451-4000-b000-000000000000 SensorTag Barometer
        f000aa50-0451-4000-b000-000000000000 SensorTag Gyroscope
        f000aa64-0451-4000-b000-000000000000 SensorTag IO
        f000aa70-0451-4000-b000-000000000000 SensorTag Light
        f000aa80-0451-4000-b000-000000000000 SensorTag Movement

        """)
  }

  /// Characteristics.
  static var moreCharacteristics: NumberTable {
    NumberTable(
      digits: 36,
      text: """
        00001531-0000-3512-2118-0009af100700 Mi Band Firmware Control Point
        00001532-0000-3512-2118-0009af100700 Mi Band Firmware Data
        49535343-1e4d-4bd9-ba61-23c647249616 Microchip Transparent UART TX
        49535343-8841-43f4-a8d4-ecbe34729bb3 Microchip Transparent UART RX
        7772e5db-3868-4112-a1a9-f2669d106bf3 MIDI Data
        ebe0ccc1-7a0a-4b0c-8a1a-6ff2997da3a6 Xiaomi Temperature and Humidity
        f000aa01-0451-4000-b000-000000000000 SensorTag IR Temperature Data
        f000aa11-0451-4000-b000-000000000000 SensorTag Accelerometer Data
        f000aa21-0451-4000-b000-000000000000 SensorTag Humidity Data
        f000aa31-0451-4000-b000-000000000000 SensorTag Magnetometer Data
        f000aa41-0451-4000-b000-000000000000 SensorTag Barometer Data
        f000aa51-0451-4000-b000-000000000000 SensorTag Gyroscope Data
        f000aa65-0451-4000-b000-000000000000 SensorTag IO Data
        f000aa71-0451-4000-b000-000000000000 SensorTag Light Data
        f000aa81-0451-4000-b000-000000000000 SensorTag Movement Data

        """)
  }
}
