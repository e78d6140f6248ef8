// SPDX-License-Identifier: MIT

/// What this manager knows of a link that it has opened or joined, and not closed itself.
enum LinkUse {
  /// It is there.
  case held
  /// It has ended, and nobody here wanted that.
  case lost
}

extension CentralManager {
  /// Why a device that has no link cannot be asked: it was never connected, or its link was lost under our hands.
  func reasonOfNoLink(_ path: String) -> String {
    linkUses[path] == nil ? "the device is not connected" : CentralManager.linkWasLost
  }

  /// How the loss of a link is told.
  static let linkWasLost = "the link was lost"
}
