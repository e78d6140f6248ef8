// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Finds the layout of the characteristic or descriptor with a UUID, or returns nil if it is unknown.
  public init?(for uuid: BluetoothUUID) {
    guard let short = uuid.shortForm, let number = UInt16(exactly: short) else { return nil }
    self.init(for: number)
  }

  /// Builds only the requested layout, on demand.
  init?(for number: UInt16) {
    let groups = number < 0x2a00 ? [Self.descriptor] : Self.characteristicGroups
    guard let layout = groups.lazy.compactMap({ $0(number) }).first else { return nil }
    self = layout
  }

  /// Each returns the layout of a number in its group.
  private static let characteristicGroups: [@Sendable (UInt16) -> ValueLayout?] = [
    heartRate, generic, battery, environment, health, deviceInformation, glucose, pulseOximeter, body,
    cycling, fitnessMachine, fitnessMachineState, location, time, alert, userData, electricity, quantity,
  ]

  /// The range of assigned numbers that may have a layout.
  package static let numbers: ClosedRange<UInt16> = 0x2900...0x2cff
}

extension ValueLayout {
  /// Decodes the Valid Range descriptor (2906) of a characteristic with this layout.
  ///
  /// Returns the fields of both limits, with `minimum_` and `maximum_` before their keys.
  public func decodeRange(_ bytes: [UInt8]) -> DecodedFields {
    let half = bytes.count / 2
    var decoded = DecodedFields()
    for (prefix, label, part) in [
      ("minimum_", "from", bytes[..<half]), ("maximum_", "to", bytes[half...]),
    ] {
      let limit = decode(Array(part))
      for var field in limit.fields {
        field.key = prefix + field.key
        field.label = field.label.isEmpty ? label : "\(label) \(field.label)"
        decoded.fields.append(field)
      }
      decoded.problems += limit.problems
      decoded.rest += limit.rest
    }
    return decoded
  }
}
