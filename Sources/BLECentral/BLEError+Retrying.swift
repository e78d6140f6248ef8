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

  /// Whether another request on the attribute is under way, or another program holds its write socket: both
  /// end.
  var isForeignRequest: Bool { cause == .inProgress || cause == .writeAcquired }

  /// Whether the device itself answered with this error; BlueZ also reports ATT 0x0e for a lost link and
  /// after 30 s.
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
