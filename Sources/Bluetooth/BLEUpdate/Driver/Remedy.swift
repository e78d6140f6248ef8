// SPDX-License-Identifier: MIT

/// The action that may help after work over a link failed.
enum Remedy: Equatable {
  /// Nothing.
  case none
  /// To pair, and to do it again.
  case pair
  /// To open the link again, or to use the one that another program has opened.
  case reopen
  /// To close the link first: it is there, but carries nothing.
  case renew

  init(for error: any Error) {
    switch error {
    case is any LackOfProgress: self = .renew
    case let error as BLEError:
      if error.needsPairing {
        self = .pair
      } else if [.cancelled, .busUnavailable, .notSupported].contains(error.code) || !error.isRecoverable {
        self = .none
      } else {
        // A time that is over on a link may mean that the link is the reason.
        self = error.code == .timedOut ? .renew : .reopen
      }
    default: self = .none
    }
  }
}
