// SPDX-License-Identifier: MIT

/// The devices that a DEVICE means among those that are heard one by one: only the best kind of match so far counts.
package struct HeardSelection: Sendable {
  /// The answer to whether a device is meant.
  package enum Match: Sendable {
    /// It is not meant.
    case other
    /// It is meant, beside those before it.
    case one
    /// It replaces those before it, which match less well.
    case better
  }

  /// Nil for all devices.
  private let device: DeviceArgument?
  private var best: NamePattern.Rank?

  package init(_ device: DeviceArgument?) { self.device = device }

  /// Takes a device that was heard; returns whether it is meant.
  package mutating func match(_ candidate: some DeviceCandidate) -> Match {
    guard let device else { return .one }
    guard let rank = device.rank(of: candidate) else { return .other }
    guard let best else {
      self.best = rank
      return .one
    }
    if rank < best { return .other }
    self.best = rank
    return rank > best ? .better : .one
  }
}
