// SPDX-License-Identifier: MIT

/// Answers the questions of a pairing, usually by asking a person.
///
/// ```swift
/// struct Keypad: PairingAgent {
///   var abilities: PairingAbilities { .types }
///   func passkey(for device: PeripheralInfo) async -> Passkey? { await ask("passkey of \(device.name ?? "?")") }
/// }
/// try await peripheral.pair(using: Keypad())
/// ```
///
/// An agent refuses questions that it does not implement. A question must be answered within 25 s, since
/// devices give up after 30 s; a passkey is shown until the pairing ends. When a question is withdrawn, its
/// task is cancelled, and ``cancelled()`` is called. The methods may run on the thread that reads the bus:
/// they may wait, but must not block.
///
/// BlueZ: the methods of `org.bluez.Agent1`.
public protocol PairingAgent: Sendable {
  /// The agent's abilities.
  var abilities: PairingAbilities { get }

  /// The capability that both devices exchange; by default derived from ``abilities``.
  var capability: PairingCapability { get }

  /// Asks for the passkey that a device shows.
  ///
  /// - Returns: the passkey; nil refuses the pairing.
  func passkey(for device: PeripheralInfo) async -> Passkey?

  /// Asks for the PIN of a BR/EDR device from before version 2.1.
  ///
  /// - Returns: 1 to 16 characters; nil refuses the pairing.
  func pinCode(for device: PeripheralInfo) async -> String?

  /// Shows the passkey that a person must type on a device, until the pairing ends.
  ///
  /// - Parameters:
  ///   - passkey: the digits.
  ///   - entered: the number of digits typed so far, if the device reports it; Low Energy devices never do.
  ///   - device: the device.
  func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async

  /// Shows the PIN that a person must type on a BR/EDR device from before version 2.1.
  func display(pinCode: String, for device: PeripheralInfo) async

  /// Asks whether a device shows this number.
  func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool

  /// Asks whether a device may pair without a number (Just Works).
  ///
  /// Not called for pairings that ``Peripheral/pair(using:timeout:)`` began.
  func authorize(_ device: PeripheralInfo) async -> Bool

  /// Asks whether an untrusted device may use a service of this machine.
  func authorize(service: BluetoothUUID, for device: PeripheralInfo) async -> Bool

  /// Reports that the last question, or the displayed passkey, is withdrawn: the device gave up, the time ran
  /// out, or the link was lost.
  func cancelled() async
}

extension PairingAgent {
  /// The capability that follows from ``abilities``.
  public var capability: PairingCapability { PairingCapability(abilities) }

  /// Refuses by default.
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
