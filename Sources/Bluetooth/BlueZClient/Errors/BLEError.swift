// SPDX-License-Identifier: MIT

/// The error of a failed Bluetooth operation.
///
/// ```swift
/// do {
///   print(try await peripheral.readValue(for: level))
/// } catch {
///   guard error.code == .notPermitted else { throw error }
///   print("refused: \(error)")
/// }
/// ```
///
/// Use ``code``, ``action``, ``subject`` and ``cause`` for decisions. Show ``description`` to people; its
/// words may change.
public struct BLEError: Error, Sendable, Hashable {
  /// The kind of failure.
  public var code: Code
  /// The attempted action, and its subject.
  public var action: Action
  /// The reason, in BlueZ's words if there are any; for people, not for comparisons.
  public var message: String
  /// The reason for BlueZ's refusal; nil if the error did not come from BlueZ or the bus.
  ///
  /// ``code`` gives the meaning: BlueZ has few errors, and the state of the device often reveals more.
  public internal(set) var cause: BlueZFailure?
  /// The D-Bus error name, such as `org.bluez.Error.NotPermitted`; nil if the error did not come from the
  /// bus.
  public internal(set) var dbusName: String?
  /// The peer's error, if BlueZ reveals it.
  public var attError: ATTError?
  /// The reason for the end of the link that the operation needed; nil if the error is not about the loss of
  /// a link.
  public var linkEnd: LinkEndReason?
  /// True if the request may have reached the device: it was on its way when the link was lost, the time ran
  /// out, or the task was cancelled.
  ///
  /// Repeating a write may then write twice.
  public var mayHaveTakenEffect = false
  /// The number of values, after those that certainly arrived, that may have reached the device; nil if the
  /// error is not about several values.
  package var uncertainCount: Int?
  /// Possible help, if the code does not imply it.
  package var advice: Advice?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - action: the attempted action.
  ///   - message: the reason, as it follows "cannot …: ".
  public init(_ code: Code, during action: Action, _ message: String) {
    self.code = code
    self.action = action
    self.message = message
  }

  /// True if it makes sense to open a link that ended with this error again, now or when the missing part is
  /// back.
  ///
  /// For ``Code-swift.struct/attributeError``, ``ATTError/mayPass`` decides.
  public var isRecoverable: Bool {
    if code == .attributeError { return attError?.mayPass ?? false }
    return isOutage
      || [.disconnected, .connectionFailed, .timedOut, .notFound, .busy, .failed].contains(code)
  }

  /// True if the time was over because bluetoothd itself answers nothing.
  package var isOfHangingService: Bool { advice == .restartService }

  /// The same error of a bluetoothd that answers nothing.
  package var ofHangingService: BLEError {
    var error = self
    (error.code, error.advice) = (.timedOut, .restartService)
    error.message = "the Bluetooth service (bluetoothd) does not answer"
    return error
  }

  /// True if Bluetooth as a whole is unavailable: the bus, bluetoothd, the adapter or its power.
  package var isOutage: Bool {
    [.busUnavailable, .serviceUnavailable, .noAdapter, .poweredOff, .blocked].contains(code)
  }
}

extension BLEError {
  package static func cancelled(_ action: Action) -> BLEError {
    BLEError(.cancelled, during: action, "cancelled")
  }

  package func during(_ action: Action) -> BLEError {
    var error = self
    error.action = action
    return error
  }

  /// The same error with possible help; nil for none.
  package func advising(_ advice: Advice?) -> BLEError {
    var advising = self
    advising.advice = advice
    return advising
  }

  /// The same error with the cause and the D-Bus name of BlueZ's error.
  package func caused(by error: BLEError) -> BLEError {
    var caused = self
    (caused.cause, caused.dbusName) = (error.cause, error.dbusName)
    return caused
  }
}

extension BLEError: CustomStringConvertible {
  /// One sentence: what failed or happened, and why.
  public var description: String {
    // The end of a subscription is not a failed operation.
    action == .receiveNotifications ? "notifications stopped: \(message)" : "cannot \(action): \(message)"
  }
}
