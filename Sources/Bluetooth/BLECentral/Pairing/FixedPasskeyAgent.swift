// SPDX-License-Identifier: MIT

/// An agent for a device with a known passkey, for example from a label.
public struct FixedPasskeyAgent: PairingAgent {
  private let passkey: Passkey

  /// The ability to type.
  public var abilities: PairingAbilities { .types }

  /// Makes the agent.
  ///
  /// - Parameter passkey: the device's passkey.
  public init(_ passkey: Passkey) { self.passkey = passkey }

  /// The passkey.
  public func passkey(for device: PeripheralInfo) async -> Passkey? { passkey }
  /// The passkey's digits.
  public func pinCode(for device: PeripheralInfo) async -> String? { passkey.description }
}

extension PairingAgent where Self == FixedPasskeyAgent {
  /// Makes an agent that answers with a known passkey.
  public static func passkey(_ passkey: Passkey) -> FixedPasskeyAgent { FixedPasskeyAgent(passkey) }
}
