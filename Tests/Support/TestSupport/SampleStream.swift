// SPDX-License-Identifier: MIT
package import ValueStreams

@testable package import BLECentral

/// Events as a subscription makes them.
package enum SampleStream {
  package static let address: BluetoothAddress = {
    guard let address = BluetoothAddress("F0:F1:F2:F3:F4:F5") else { preconditionFailure("an address") }
    return address
  }()

  package static func characteristic(_ uuid: BluetoothUUID = .heartRateMeasurement) -> GATTCharacteristic {
    GATTCharacteristic(
      path: "/c", devicePath: "/d", uuid: uuid, service: .heartRate, handle: 7, properties: [.notify],
      mtu: nil,
      descriptors: [])
  }

  /// The keys of a standard characteristic.
  package static func keys(_ short: UInt16) -> [String] {
    ValueLayout(for: BluetoothUUID(short: short))?.shownKeys ?? []
  }

  /// The columns of a table for a standard characteristic.
  package static func columns(_ short: UInt16) -> [String] {
    origin(BluetoothUUID(short: short)).meaning?.columns ?? []
  }

  /// Values of one characteristic, a second apart.
  package static func values(
    _ values: [[UInt8]], uuid: BluetoothUUID = .heartRateMeasurement, address: BluetoothAddress = address,
    name: String = "Strap, \"=1\"", second: Int = 0
  ) -> StreamEvent {
    .values(batch(values, of: origin(uuid, address: address, name: name), second: second))
  }

  package static func batch(_ values: [[UInt8]], of origin: ValueOrigin, second: Int = 0) -> ValueBatch {
    let received = values.enumerated().map { index, bytes in
      ReceivedValue(
        bytes, at: Timestamp(seconds: 1_795_247_928 + second + index, nanoseconds: 626_505_000))
    }
    return ValueBatch(received, of: origin)
  }

  package static func origin(
    _ uuid: BluetoothUUID = .heartRateMeasurement, address: BluetoothAddress = address,
    name: String? = "Strap, \"=1\"", transport: ValueOrigin.Transport = .signal,
    shownAs view: ValueView? = nil
  ) -> ValueOrigin {
    ValueOrigin(
      address: address, name: name, characteristic: characteristic(uuid), transport: transport, shownAs: view)
  }

  /// Advertised data, as it is heard; with its strength, if there is one.
  package static func advertised(
    _ data: AdvertisedData, address: BluetoothAddress = address, name: String? = "Garden", rssi: Int? = -60,
    second: Int = 0
  ) -> StreamEvent {
    let format = AdvertisedFormats.decode(data)
    var fields = format?.fields ?? DecodedFields()
    if let rssi { fields.add("rssi_dbm", .integer(rssi), label: "RSSI", unit: "dBm") }
    let origin = ValueOrigin(
      address: address, name: name, advertisement: ValueAdvertisement(data, format: format))
    let bytes: [UInt8] =
      switch data {
      case .manufacturer(_, let bytes), .service(_, let bytes): bytes
      }
    let time = Timestamp(seconds: 1_795_247_928 + second, nanoseconds: 626_505_000)
    return .values(ValueBatch([ReceivedValue(bytes, at: time)], decoded: [fields], of: origin))
  }

  /// Data of a sensor of BTHome.
  package static func bthome(_ digits: String, rssi: Int? = -60, second: Int = 0) -> StreamEvent {
    advertised(.service(BTHome.service, Hex.bytes(digits) ?? []), rssi: rssi, second: second)
  }

  /// Listening was interrupted, or goes on.
  package static func interrupted(_ reason: String) -> StreamEvent {
    .reception(
      ReceptionRecord(
        event: .interrupted, time: Timestamp(seconds: 1_795_247_930, nanoseconds: 0), adapter: "hci0",
        reason: reason))
  }

  package static func resumed(after seconds: Double) -> StreamEvent {
    .reception(
      ReceptionRecord(
        event: .resumed, time: Timestamp(seconds: 1_795_247_933, nanoseconds: 0), adapter: "hci0",
        gapSeconds: seconds))
  }

  /// An event of a served device: of its battery level if there is a value.
  package static func served(
    _ event: ServedRecord.Event, _ value: [UInt8]? = nil, name: String = "Phone"
  ) -> StreamEvent {
    var record = ServedRecord(event, time: Timestamp(seconds: 1_795_247_928, nanoseconds: 626_505_000))
    (record.adapter, record.address, record.name) = ("hci0", address, name)
    record.value = value
    if value != nil {
      record.attribute = .init(service: .batteryService, characteristic: .batteryLevel, handle: 9)
    }
    return .served(record)
  }

  package static func lost(_ reason: String) -> StreamEvent {
    .link(
      LinkRecord(
        event: .disconnected, time: Timestamp(seconds: 1_795_247_930, nanoseconds: 0), address: address,
        reason: reason))
  }
}

/// Events of the stages of a stream.
extension SampleStream {
  private static func time(_ second: Int) -> Timestamp {
    Timestamp(seconds: 1_795_248_000 + second, nanoseconds: 0)
  }

  /// The average of a minute of temperatures.
  package static func average(name: String = "Hall") -> StreamEvent {
    var decoded = DecodedFields()
    for (key, mantissa) in [("temperature_celsius", 21_533), ("minimum_temperature_celsius", 21_400)] {
      decoded.add(key, .decimal(DecimalNumber(mantissa: mantissa, exponent: -3)), unit: "°C")
    }
    return .average(
      AverageRecord(
        of: origin(BluetoothUUID(short: 0x2a6e), name: name), from: time(-60), time: time(0), count: 12,
        decoded: decoded, counts: [("temperature_celsius", 11)]))
  }

  package static func alarm(
    _ event: AlarmRecord.Event, _ condition: String = "temperature_celsius > 25, 'hot'",
    name: String? = "Hall"
  ) -> StreamEvent {
    var decoded = DecodedFields()
    decoded.add("temperature_celsius", .decimal(DecimalNumber(mantissa: 2510, exponent: -2)), unit: "°C")
    return .alarm(
      AlarmRecord(
        event, time: time(1), address: address, name: name, condition: condition, seconds: 300,
        decoded: decoded))
  }

  /// An absence, or the end of one; without an address, the device was never heard.
  package static func absence(_ event: AbsenceRecord.Event, isKnown: Bool = true) -> StreamEvent {
    .absence(
      AbsenceRecord(
        event, time: time(2), address: isKnown ? address : nil, name: isKnown ? "Hall" : "Attic",
        last: isKnown ? time(-598) : nil, silence: 600.5))
  }
}
