// SPDX-License-Identifier: MIT

/// The error of a firmware update, or of another operation of SMP.
///
/// Use ``code-swift.property`` and ``deviceCode`` for decisions. Show ``description`` and ``hint`` to people; the words may
/// change.
public struct UpdateError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// The reason as a sentence without a full stop; with the words of the device, if it gave any.
  public var message: String
  /// A hint that can help; nil if none applies.
  public var hint: String?
  /// The number with which the device refused: the `rc` of SMP, or the result of Nordic's DFU.
  public var deviceCode: Int?
  /// The failed operation of Bluetooth, if that is the reason.
  public var cause: BLEError?
  /// The error of ``UpdatePairing``, if that is the reason.
  public var pairingError: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - message: the reason.
  ///   - hint: possible help.
  ///   - deviceCode: the number with which the device refused.
  public init(_ code: Code, _ message: String, hint: String? = nil, deviceCode: Int? = nil) {
    (self.code, self.message, self.hint, self.deviceCode) = (code, message, hint, deviceCode)
  }

  /// The kind of a failure.
  ///
  /// New codes may be added: compare with the codes that you handle, and treat all others alike.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name, such as `reverted`.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The file is not for this device, or faulty; nothing was changed.
    public static let unfit = Code("unfit")
    /// The device, or its bootloader, does not take the firmware.
    public static let refused = Code("refused")
    /// Another image is in the way: it waits for its start, or the device has not kept what runs.
    public static let blocked = Code("blocked")
    /// The device runs its former firmware again.
    public static let reverted = Code("reverted")
    /// The device offers no method that can carry the file, or does not support the command.
    public static let notSupported = Code("notSupported")
    /// Links were lost again and again without progress.
    public static let linkLost = Code("linkLost")
    /// The device did not answer, or did not come back.
    public static let timedOut = Code("timedOut")
    /// The device answered with an error.
    public static let deviceError = Code("deviceError")
    /// The device requires pairing, or better pairing.
    public static let needsPairing = Code("needsPairing")
    /// Several methods are possible.
    public static let ambiguous = Code("ambiguous")
    /// The device, or the thing that was asked for on it, does not exist.
    public static let notFound = Code("notFound")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// Bluetooth failed: ``UpdateError/cause`` is the reason.
    public static let ble = Code("ble")
  }
}

extension UpdateError: CustomStringConvertible {
  /// The reason.
  public var description: String { message }
}

extension UpdateError {
  /// Creates the error of a failed operation of Bluetooth.
  package init(_ cause: BLEError) {
    let code: Code =
      switch cause.code {
      case .notPaired, .authenticationFailed, .pairingTooWeak, .bondLost, .bondLostByPeer, .pairingRejected,
        .pairingCancelled, .pairingTimedOut:
        .needsPairing
      case .cancelled: .cancelled
      default: .ble
      }
    self.init(code, cause.reason, hint: cause.hint)
    self.cause = cause
  }

  /// The same error with another hint.
  package func hinting(_ hint: String) -> UpdateError {
    var error = self
    error.hint = hint
    return error
  }
}

extension BLEError {
  /// The error as a sentence.
  ///
  /// The subscription for answers is not what was asked for: its end is that of the link.
  var reason: String { action == .receiveNotifications ? message : description }
}
