// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The layout of the characteristic or descriptor with a UUID, or nil where none is known.
  ///
  /// - Parameter uuid: a UUID that the Bluetooth SIG has assigned.
  public init?(for uuid: BluetoothUUID) {
    guard let short = uuid.shortForm, let number = UInt16(exactly: short) else { return nil }
    self.init(for: number)
  }

  /// The layout of the characteristic or descriptor with an assigned number.
  ///
  /// Nothing is built before it is asked for, and then only the one.
  init?(for number: UInt16) {
    let groups = number < 0x2a00 ? [Self.descriptor] : Self.characteristicGroups
    guard let layout = groups.lazy.compactMap({ $0(number) }).first else { return nil }
    self = layout
  }

  /// Each gives the layout of a number that belongs to it.
  private static let characteristicGroups: [@Sendable (UInt16) -> ValueLayout?] = [
    heartRate, generic, battery, environment, health, deviceInformation, glucose, pulseOximeter, body,
    cycling, fitnessMachine, fitnessMachineState, location, time, alert, userData, electricity, quantity,
  ]

  /// The assigned numbers of which a layout may be known.
  package static let numbers: ClosedRange<UInt16> = 0x2900...0x2cff
}
