// SPDX-License-Identifier: MIT

/// The reason for the end of a link, as BlueZ reports it since version 5.83.
///
/// BlueZ: the signal Device1.Disconnected, with the reason that the kernel derives from the controller's.
public enum LinkEndReason: String, Sendable, Hashable, CaseIterable {
  /// The device did not answer any more: it is out of range, or off.
  case timeout
  /// This machine ended the link: a program did, or BlueZ by itself.
  case local
  /// The device ended the link.
  case remote
  /// The link could not be encrypted: one side may have lost the keys of the pairing.
  case authentication
  /// This machine went to sleep.
  case suspend
  /// BlueZ reports that it does not know.
  case unknown
  /// This BlueZ, before version 5.83, reports no reasons.
  case unreported

  /// Parses BlueZ's name, such as `org.bluez.Reason.Timeout`.
  package init(blueZName name: String) {
    let word = name.droppingPrefix("org.bluez.Reason.")?.lowercased()
    self = word.flatMap { LinkEndReason(rawValue: $0) } ?? .unknown
  }

  /// The reason as part of a sentence; nil if it is not known.
  package var explanation: String? {
    switch self {
    case .timeout: "the device did not answer any more"
    case .local: "this machine ended it"
    case .remote: "the device ended it"
    case .authentication: "it could not be encrypted"
    case .suspend: "this machine went to sleep"
    case .unknown, .unreported: nil
    }
  }
}
