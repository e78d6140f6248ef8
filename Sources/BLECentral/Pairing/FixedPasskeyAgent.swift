// SPDX-License-Identifier: MIT

/// An agent for a device whose passkey is known, from a label for example.
public struct FixedPasskeyAgent: PairingAgent {
  private let passkey: Passkey

  /// Typing.
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
  /// Answers with a passkey that is known.
  public static func passkey(_ passkey: Passkey) -> FixedPasskeyAgent { FixedPasskeyAgent(passkey) }
}
