// SPDX-License-Identifier: MIT

/// The identifier of a service, characteristic or descriptor: 16, 32 or 128 bits, stored and compared as 128.
///
/// CoreBluetooth calls it `CBUUID`. The 16 and 32-bit forms are abbreviations of 128-bit identifiers within
/// the Bluetooth Base UUID (`xxxxxxxx-0000-1000-8000-00805f9b34fb`), so `180D`, `0000180D` and
/// `0000180d-0000-1000-8000-00805f9b34fb` are equal here. BlueZ always sends the long form.
///
/// ```swift
/// BluetoothUUID("180D") == .heartRate          // true
/// BluetoothUUID.heartRate.description          // "180d"
/// BluetoothUUID.heartRate.longForm             // "0000180d-0000-1000-8000-00805f9b34fb"
/// ```
public struct BluetoothUUID: Sendable, Hashable {
  /// The Bluetooth Base UUID, to which a short form is added.
  static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5f9b_34fb

  // Two words in place of a `UInt128`: Swift 6.3 passes a 128-bit integer that does not fit into the registers on the
  // stack, and the caller and an asynchronous function disagree on how much of the stack the arguments then take. The
  // program ends at a wild address.
  private let high: UInt64
  private let low: UInt64

  init(bits: UInt128) {
    high = UInt64(truncatingIfNeeded: bits >> 64)
    low = UInt64(truncatingIfNeeded: bits)
  }

  /// The first digit of the text is in the most significant bits.
  var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Creates the UUID with a 16-bit number that the Bluetooth SIG has assigned, such as `0x180d`.
  public init(short: UInt16) { self.init(UInt32(short)) }

  /// Creates the UUID that a 32-bit number abbreviates; up to `0xffff`, it equals that of ``init(short:)``.
  public init(_ value: UInt32) { self.init(bits: UInt128(value) << 96 | Self.base) }

  /// Creates a UUID of a vendor's family: a 32-bit number on another base.
  package init(_ value: UInt32, base: UInt128) { self.init(bits: UInt128(value) << 96 | base) }

  /// Creates the UUID of 16 bytes in the order of the text, the reverse of the order on air; else nil.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// The 16 bytes in the order of the text.
  public var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) } }

  /// The 16 or 32-bit number if the UUID has one.
  public var shortForm: UInt32? {
    bits << 32 == Self.base << 32 ? UInt32(truncatingIfNeeded: bits >> 96) : nil
  }
}

extension BluetoothUUID: Comparable {
  /// Compares UUIDs in the order of their long forms.
  public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

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
