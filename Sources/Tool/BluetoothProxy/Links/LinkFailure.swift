// SPDX-License-Identifier: MIT
internal import BLECentral

/// Errors in the numbers that clients know.
enum LinkFailure {
  /// The client takes its link for lost.
  static let notConnected: Int32 = -1
  /// There is no such attribute.
  static let invalidHandle: Int32 = 0x01

  // Why there is no link: clients wait for different times before they try again.
  static let timedOut: Int32 = 0x08
  static let terminatedHere: Int32 = 0x16
  static let notEstablished: Int32 = 0x3e
  static let other: Int32 = 0x85
  static let cancelled: Int32 = 0x100

  /// The number of a failed request on an attribute: what the device has said, as far as it is known.
  static func ofRequest(_ error: any Error, isRead: Bool) -> Int32 {
    if let code = (error as? ATTError ?? (error as? BLEError)?.attError)?.code { return Int32(code) }
    guard let error = error as? BLEError else { return Int32(ATTError.unlikelyError.code) }
    if isOfLink(error) { return notConnected }
    let refusal: ATTError =
      switch error.code {
      case .notPermitted: isRead ? .readNotPermitted : .writeNotPermitted
      case .notPaired, .authenticationFailed, .pairingTooWeak, .bondLost, .bondLostByPeer:
        .insufficientAuthentication
      case .notAuthorized: .insufficientAuthorization
      case .invalidLength: isRead ? .invalidOffset : .invalidAttributeValueLength
      case .notSupported: .requestNotSupported
      default: .unlikelyError
      }
    return Int32(refusal.code)
  }

  /// The number of a failed attempt to connect.
  static func ofAttempt(_ error: any Error) -> Int32 {
    switch (error as? BLEError)?.code {
    case nil where error is NotHeard: notEstablished
    case .timedOut: timedOut
    case .notFound, .connectionFailed: notEstablished
    case .cancelled: cancelled
    default: other
    }
  }

  /// The number of a failed pairing.
  static func ofPairing(_ error: BLEError) -> Int32 {
    if isOfLink(error) { return notConnected }
    return switch error.code {
    case .authenticationFailed, .pairingRejected, .pairingCancelled, .pairingTimedOut, .pairingTooWeak:
      Int32(ATTError.insufficientAuthentication.code)
    default: other
    }
  }

  /// Returns whether there is no link any more.
  private static func isOfLink(_ error: BLEError) -> Bool {
    error.isOutage || [.disconnected, .notFound, .connectionFailed, .cancelled].contains(error.code)
  }
}

/// A device that was not heard in the time to connect.
struct NotHeard: Error, CustomStringConvertible {
  let description = "the device is not heard"
}
