// SPDX-License-Identifier: MIT

extension BLEError {
  /// Whether another attempt to connect is likely to succeed.
  var isTransient: Bool {
    switch (code, cause) {
    case (.connectionFailed, _), (.disconnected, _), (.busy, _): true
    case (.failed, .alreadyConnecting), (.failed, .inputOutput), (.failed, .connectionAborted),
      (.failed, .hostDown):
      true
    default: false
    }
  }

  /// Whether a request on the same attribute is under way (another program's, or one of ours that timed out),
  /// or another program holds its write socket: all of these end.
  var isForeignRequest: Bool { cause == .inProgress || cause == .writeAcquired }

  /// Whether the device itself answered with this error.
  ///
  /// ATT error 0x0e does not count: BlueZ also reports it when the link is lost, or after 30 s without an
  /// answer.
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
