// SPDX-License-Identifier: MIT

extension BLEError {
  /// Whether another attempt to connect may well succeed.
  var isTransient: Bool {
    switch (code, cause) {
    case (.connectionFailed, _), (.disconnected, _), (.busy, _): true
    case (.failed, .alreadyConnecting), (.failed, .inputOutput), (.failed, .connectionAborted),
      (.failed, .hostDown):
      true
    default: false
    }
  }

  /// Whether another request is under way on the same attribute, of another program or one of ours that timed out, or
  /// another program holds the attribute's socket for writing: all of these end.
  var isForeignRequest: Bool { cause == .inProgress || cause == .writeAcquired }

  /// Whether the device itself has answered with this error.
  ///
  /// ATT error 0x0e does not count: BlueZ also uses it when the link is lost, or nothing was answered for 30 s.
  var isAnswerOfDevice: Bool {
    switch cause {
    case .attribute(let error): error != .unlikelyError
    case .readNotPermitted, .writeNotPermitted, .notPermitted, .notPaired, .notAuthorized, .notSupported,
      .invalidOffset, .invalidLength:
      true
    default: false
    }
  }
}
