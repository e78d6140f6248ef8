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
/// ``dbusName`` and ``message`` keep BlueZ's own error name and words, also where ``code`` is ``Code-swift.struct/failed``
/// because nothing more is known.
public struct BLEError: Error, Sendable, Hashable {
  /// What went wrong.
  ///
  /// New codes may be added: compare with the codes you handle, and treat the rest alike.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name, such as `notFound`.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// The bus cannot be reached, or was lost.
    public static let busUnavailable = Code("busUnavailable")
    /// bluetoothd does not run, or has ended.
    public static let serviceUnavailable = Code("serviceUnavailable")
    /// No Bluetooth adapter exists, or not the one that was named.
    public static let noAdapter = Code("noAdapter")
    /// The adapter is off.
    public static let poweredOff = Code("poweredOff")
    /// The adapter is blocked by rfkill.
    public static let blocked = Code("blocked")
    /// The bus or its policy denies access.
    public static let accessDenied = Code("accessDenied")
    /// The device, service, characteristic or descriptor does not exist, or no longer.
    public static let notFound = Code("notFound")
    /// The device is not connected, or the link was lost.
    public static let disconnected = Code("disconnected")
    /// The link could not be made.
    public static let connectionFailed = Code("connectionFailed")
    /// It took longer than allowed.
    public static let timedOut = Code("timedOut")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// The peer does not permit this; ``BLEError/attError`` is the reason where it is known.
    public static let notPermitted = Code("notPermitted")
    /// The peer requires pairing first.
    public static let notPaired = Code("notPaired")
    /// The pairing failed: the passkey was wrong, or the peer refused.
    public static let authenticationFailed = Code("authenticationFailed")
    /// The pairing was refused on this side, by the agent or by BlueZ.
    public static let pairingRejected = Code("pairingRejected")
    /// The pairing was cancelled, or its link was lost.
    public static let pairingCancelled = Code("pairingCancelled")
    /// The pairing took too long: nobody answered a question, or the peer did not go on.
    public static let pairingTimedOut = Code("pairingTimedOut")
    /// The peer is paired already.
    public static let alreadyPaired = Code("alreadyPaired")
    /// Another program is pairing with the peer.
    public static let pairingInProgress = Code("pairingInProgress")
    /// The peer has lost the keys of the pairing: delete them here as well, and pair again.
    public static let bondLostByPeer = Code("bondLostByPeer")
    /// BlueZ has lost the keys of the pairing while this manager used the device: pair again.
    public static let bondLost = Code("bondLost")
    /// The peer is paired, and requires a pairing with a passkey or a comparison; or it has lost its keys.
    public static let pairingTooWeak = Code("pairingTooWeak")
    /// The device is blocked on this machine.
    public static let deviceBlocked = Code("deviceBlocked")
    /// The peer requires authorization.
    public static let notAuthorized = Code("notAuthorized")
    /// The peer, the characteristic or this BlueZ does not support it.
    public static let notSupported = Code("notSupported")
    /// The peer refused with an ATT error that has no code of its own here: see ``BLEError/attError``.
    public static let attributeError = Code("attributeError")
    /// The value is too long or too short, or an offset lies outside.
    public static let invalidLength = Code("invalidLength")
    /// A service or an advertisement cannot be offered as it is defined; the message says what is wrong.
    public static let invalidDefinition = Code("invalidDefinition")
    /// Another program holds what is needed, or an operation of the same kind is under way.
    public static let busy = Code("busy")
    /// Anything else: ``BLEError/dbusName`` and ``BLEError/message`` are BlueZ's.
    public static let failed = Code("failed")
  }

  /// What went wrong.
  public var code: Code
  /// What was attempted, as it follows "cannot": `read 2a19 of F0:F1:F2:F3:F4:F5`.
  public var operation: String
  /// What happened, where no operation has failed: `notifications stopped`.
  package var event: String?
  /// Why, in BlueZ's words where it gives any.
  public var message: String
  /// The D-Bus error name, such as `org.bluez.Error.NotPermitted`; nil when the error did not come from the bus.
  public var dbusName: String?
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
  public init(
    _ code: Code, operation: String, message: String, dbusName: String? = nil, attError: ATTError? = nil
  ) {
    self.code = code
    self.operation = operation
    self.message = message
    self.dbusName = dbusName
    self.attError = attError
  }

  /// Whether a link that ended with this error may be opened again, now or when what is missing has come back.
  ///
  /// For ``Code-swift.struct/attributeError``, ``ATTError/mayPass`` decides.
  public var isRecoverable: Bool {
    if code == .attributeError { return attError?.mayPass ?? false }
    return [
      .disconnected, .connectionFailed, .timedOut, .notFound, .busy, .failed, .poweredOff, .blocked,
      .noAdapter,
      .serviceUnavailable, .busUnavailable,
    ].contains(code)
  }

  /// A hint that may help; nil without one.
  public var hint: String? {
    switch advice {
    case .pair: return "if the device requires pairing, pair with it first"
    case .pairAgain:
      return "if the device requires a passkey, unpair it, and pair again with an agent that can type"
    case .unpair: return "start the Bluetooth service, unpair the device, and pair again"
    case .forgetIfAgain:
      return
        "start the Bluetooth service; if it ends again, unpair the device: what BlueZ has cached of it is deleted"
    case .forget:
      return "start the Bluetooth service, and unpair the device: what BlueZ has cached of it is deleted"
    case nil: break
    }
    return switch code {
    case .busUnavailable: "check that the bus runs and that its address is right"
    case .serviceUnavailable: "start the Bluetooth service: bluetoothd"
    case .noAdapter: "plug in a Bluetooth adapter, or name one that exists"
    case .poweredOff: "power the adapter on"
    case .blocked: "unblock the radio with rfkill"
    case .accessDenied: "ask for access to org.bluez on the bus"
    case .notPaired: "pair with the device first"
    case .authenticationFailed: "try again with the passkey that the device shows, or is labelled with"
    case .pairingRejected: "accept the question of the pairing"
    case .pairingCancelled: "stay close to the device, and try again"
    case .pairingTimedOut: "put the device into its pairing mode, and answer within 25 s"
    case .alreadyPaired: "to pair again, unpair it first"
    case .pairingInProgress: "wait for the other program, or end it"
    case .pairingTooWeak: "unpair it, and pair again with an agent that can show or type a passkey"
    case .deviceBlocked: "unblock the device"
    case .bondLostByPeer: "unpair it, and pair again"
    case .bondLost: "pair again; if the device refuses, let it forget this machine, and unpair it here"
    case .busy: "another program uses it: end it, or try again"
    case .attributeError where attError == .databaseOutOfSync: "its services have changed: try again"
    default: nil
    }
  }
}

/// What might help.
package enum Advice: Sendable, Hashable {
  /// BlueZ never answers a request that requires pairing while no program has registered an agent.
  case pair
  /// With a passkey: the keys that exist may not be enough.
  case pairAgain
  /// The service has ended while a link was encrypted: the device may have lost its keys.
  case unpair
  /// The service has ended while it looked for services: those that it has cached may be elsewhere now.
  case forgetIfAgain
  /// It has done so before.
  case forget
}

extension BLEError {
  package static func cancelled(_ operation: String) -> BLEError {
    BLEError(.cancelled, operation: operation, message: "cancelled")
  }

  /// The same error in another operation.
  package func during(_ operation: String) -> BLEError {
    var error = self
    error.operation = operation
    return error
  }

  /// The error that ends a subscription.
  package static func notificationsStopped(_ code: Code, _ message: String) -> BLEError {
    var error = BLEError(code, operation: "receive notifications", message: message)
    error.event = "notifications stopped"
    return error
  }
}

extension BLEError: CustomStringConvertible {
  /// One sentence: what failed or happened, and why.
  public var description: String { "\(event ?? "cannot \(operation)"): \(message)" }
}
