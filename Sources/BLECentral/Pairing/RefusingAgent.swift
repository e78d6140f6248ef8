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

extension PairingAgent where Self == RefusingAgent {
  /// Refuses every question.
  public static var refusing: RefusingAgent { RefusingAgent() }
}
