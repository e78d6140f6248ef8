// SPDX-License-Identifier: MIT

extension BluetoothUUID {
  /// The Heart Rate service, 180D.
  public static var heartRate: Self { Self(short: 0x180d) }

  /// The Heart Rate Measurement characteristic, 2A37.
  public static var heartRateMeasurement: Self { Self(short: 0x2a37) }

  /// The Battery service, 180F.
  public static var batteryService: Self { Self(short: 0x180f) }

  /// The Battery Level characteristic, 2A19: one byte, in percent.
  public static var batteryLevel: Self { Self(short: 0x2a19) }

  /// The Device Information service, 180A.
  public static var deviceInformation: Self { Self(short: 0x180a) }

  /// The Software Revision String characteristic, 2A28: UTF-8.
  public static var softwareRevision: Self { Self(short: 0x2a28) }

  /// The Client Characteristic Configuration descriptor, 2902, which the stack writes to start notifications.
  public static var clientCharacteristicConfiguration: Self { Self(short: 0x2902) }

  /// The Characteristic User Description descriptor, 2901: UTF-8.
  public static var characteristicUserDescription: Self { Self(short: 0x2901) }
}
