// SPDX-License-Identifier: MIT

/// Who answers the questions of a pairing: mostly a person.
///
/// ```swift
/// struct Keypad: PairingAgent {
///   var abilities: PairingAbilities { .types }
///   func passkey(for device: PeripheralInfo) async -> Passkey? { await ask("passkey of \(device.name ?? "?")") }
/// }
/// try await peripheral.pair(using: Keypad())
/// ```
///
/// A question that an agent does not implement is refused. Questions have 25 s, since the devices give up after 30 s; a
/// passkey is shown until the pairing ends. When a question is void, its task is cancelled, and ``cancelled()`` is called. The methods may run on the thread that
/// reads the bus: they may wait, but must not block.
///
/// BlueZ: the methods of `org.bluez.Agent1`.
public protocol PairingAgent: Sendable {
  /// What the agent can do.
  var abilities: PairingAbilities { get }

  /// What both devices learn of it; by default it follows from ``abilities``.
  var capability: PairingCapability { get }

  /// Asks for the passkey that a device shows.
  ///
  /// - Returns: the passkey; nil refuses the pairing.
  func passkey(for device: PeripheralInfo) async -> Passkey?

  /// Asks for the PIN of a BR/EDR device from before version 2.1.
  ///
  /// - Returns: 1 to 16 characters; nil refuses the pairing.
  func pinCode(for device: PeripheralInfo) async -> String?

  /// Shows the passkey that has to be typed into a device, until the pairing ends.
  ///
  /// - Parameters:
  ///   - passkey: the digits.
  ///   - entered: how many of them were typed, where the device reports it; Low Energy devices never do.
  ///   - device: the device.
  func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async

  /// Shows the PIN that has to be typed into a BR/EDR device from before version 2.1.
  func display(pinCode: String, for device: PeripheralInfo) async

  /// Asks whether a device shows this number.
  func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool

  /// Asks whether a device may pair without a number (Just Works).
  ///
  /// Not asked for a pairing that ``Peripheral/pair(using:timeout:)`` began.
  func authorize(_ device: PeripheralInfo) async -> Bool

  /// Asks whether a device that is not trusted may use a service of this machine.
  func authorize(service: BluetoothUUID, for device: PeripheralInfo) async -> Bool

  /// Hears that the last question, or the passkey on display, is void: the device gave up, the time was over, or the
  /// link was lost.
  func cancelled() async
}

extension PairingAgent {
  /// The capability of ``abilities``.
  public var capability: PairingCapability { PairingCapability(abilities) }

  /// Refuses.
  public func passkey(for device: PeripheralInfo) async -> Passkey? { nil }
  /// Refuses.
  public func pinCode(for device: PeripheralInfo) async -> String? { nil }
  /// Does nothing.
  public func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async {}
  /// Does nothing.
  public func display(pinCode: String, for device: PeripheralInfo) async {}
  /// Refuses.
  public func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool { false }
  /// Refuses.
  public func authorize(_ device: PeripheralInfo) async -> Bool { false }
  /// Refuses.
  public func authorize(service: BluetoothUUID, for device: PeripheralInfo) async -> Bool { false }
  /// Does nothing.
  public func cancelled() async {}
}
