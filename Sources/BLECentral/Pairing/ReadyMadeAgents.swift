// SPDX-License-Identifier: MIT

/// An agent that refuses every question.
///
/// A pairing of ours still succeeds where nobody is asked anything.
public struct RefusingAgent: PairingAgent {
  /// Nothing.
  public var abilities: PairingAbilities { [] }

  /// Makes the agent.
  public init() {}
}

/// An agent that accepts pairings without a number, and refuses all others.
public struct JustWorksAgent: PairingAgent {
  /// Nothing.
  public var abilities: PairingAbilities { [] }

  /// Makes the agent.
  public init() {}

  /// Accepts.
  public func authorize(_ device: PeripheralInfo) async -> Bool { true }
}

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

extension PairingAgent where Self == RefusingAgent {
  /// Refuses every question.
  public static var refusing: RefusingAgent { RefusingAgent() }
}

extension PairingAgent where Self == JustWorksAgent {
  /// Accepts pairings without a number, and refuses all others.
  public static var justWorks: JustWorksAgent { JustWorksAgent() }
}

extension PairingAgent where Self == FixedPasskeyAgent {
  /// Answers with a passkey that is known.
  public static func passkey(_ passkey: Passkey) -> FixedPasskeyAgent { FixedPasskeyAgent(passkey) }
}
