// SPDX-License-Identifier: MIT

/// The reason that a simulation cannot start, or cannot do what a test requests.
public struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, in one sentence; for a world file with its line and column.
  public let description: String

  init(_ reason: some CustomStringConvertible) { description = reason.description }
}
