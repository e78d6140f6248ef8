// SPDX-License-Identifier: MIT

/// An agent that accepts pairings without a number, and refuses all others.
public struct JustWorksAgent: PairingAgent {
  /// No abilities.
  public var abilities: PairingAbilities { [] }

  /// Makes the agent.
  public init() {}

  /// Accepts.
  public func authorize(_ device: PeripheralInfo) async -> Bool { true }
}

extension PairingAgent where Self == JustWorksAgent {
  /// An agent that accepts pairings without a number, and refuses all others.
  public static var justWorks: JustWorksAgent { JustWorksAgent() }
}
