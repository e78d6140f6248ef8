// SPDX-License-Identifier: MIT

/// Why a Bluetooth operation failed.
///
/// ```swift
/// do {
///   print(try await peripheral.readValue(for: level))
/// } catch where error.code == .notPermitted {
///   print("refused:", error)
/// }
/// ```
///
/// Decide by ``code``, ``action``, ``subject`` and ``cause``; show ``description`` to people, whose words may change.
public struct BLEError: Error, Sendable, Hashable {
  /// What went wrong.
  public var code: Code
  /// What was attempted, and on what.
  public var action: Action
  /// Why, in BlueZ's words where it gives any: for people, and not to be compared.
  public var message: String
  /// Why BlueZ refused; nil when the error did not come from BlueZ or the bus.
  ///
  /// ``code`` tells what it means here: BlueZ has few errors, and the state of the device often says more.
  public internal(set) var cause: BlueZFailure?
  /// The D-Bus error name, such as `org.bluez.Error.NotPermitted`; nil when the error did not come from the bus.
  public internal(set) var dbusName: String?
  /// The error that the peer gave, where BlueZ lets it be known.
  public var attError: ATTError?
  /// Whether the request may have reached the device: it was on its way when the link was lost, the time was over, or
  /// the task was cancelled.
  ///
  /// To repeat a write may then write twice.
  public var mayHaveTakenEffect = false
  /// What might help, where the code does not say it.
  package var advice: Advice?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: what went wrong.
  ///   - action: what was attempted.
  ///   - message: why, as it follows "cannot …: ".
  public init(_ code: Code, during action: Action, _ message: String) {
    self.code = code
    self.action = action
    self.message = message
  }

  /// Whether a link that ended with this error may be opened again, now or when what is missing has come back.
  ///
  /// For ``Code-swift.struct/attributeError``, ``ATTError/mayPass`` decides.
  public var isRecoverable: Bool {
    if code == .attributeError { return attError?.mayPass ?? false }
    return isOutage
      || [.disconnected, .connectionFailed, .timedOut, .notFound, .busy, .failed].contains(code)
  }

  /// Whether Bluetooth as a whole is away: the bus, bluetoothd, the adapter or its power.
  package var isOutage: Bool {
    [.busUnavailable, .serviceUnavailable, .noAdapter, .poweredOff, .blocked].contains(code)
  }
}

extension BLEError {
  package static func cancelled(_ action: Action) -> BLEError {
    BLEError(.cancelled, during: action, "cancelled")
  }

  /// The same error in another action.
  package func during(_ action: Action) -> BLEError {
    var error = self
    error.action = action
    return error
  }

  /// The same error, where BlueZ gave another: its cause and its D-Bus name are kept.
  package func caused(by error: BLEError) -> BLEError {
    var caused = self
    (caused.cause, caused.dbusName) = (error.cause, error.dbusName)
    return caused
  }
}

extension BLEError: CustomStringConvertible {
  /// One sentence: what failed or happened, and why.
  public var description: String {
    // A subscription that ends is no operation that fails.
    action == .receiveNotifications ? "notifications stopped: \(message)" : "cannot \(action): \(message)"
  }
}
