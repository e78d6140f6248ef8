// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The layout of the characteristic or descriptor with a UUID, or nil if unknown.
  ///
  /// - Parameter uuid: a UUID that the Bluetooth SIG has assigned.
  public init?(for uuid: BluetoothUUID) {
    guard let short = uuid.shortForm, let number = UInt16(exactly: short) else { return nil }
    self.init(for: number)
  }

  /// The layout of the characteristic or descriptor with an assigned number.
  ///
  /// A layout is built on demand, and only the requested one.
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
