// SPDX-License-Identifier: MIT

/// An agent that refuses every question.
///
/// A pairing that asks no questions still succeeds.
public struct RefusingAgent: PairingAgent {
  /// No abilities.
  public var abilities: PairingAbilities { [] }

  /// Makes the agent.
  public init() {}
}

extension PairingAgent where Self == RefusingAgent {
  /// An agent that refuses every question.
  public static var refusing: RefusingAgent { RefusingAgent() }
}
