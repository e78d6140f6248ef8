// SPDX-License-Identifier: MIT

extension BLEError {
  /// The kind of a failure.
  ///
  /// New codes may be added: compare with the codes that you handle, and treat all others alike.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name, such as `notFound`.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// The bus cannot be reached, or was lost.
    public static let busUnavailable = Code("busUnavailable")
    /// bluetoothd is not running, or ended.
    public static let serviceUnavailable = Code("serviceUnavailable")
    /// There is no Bluetooth adapter, or not the requested one.
    public static let noAdapter = Code("noAdapter")
    /// The adapter is off.
    public static let poweredOff = Code("poweredOff")
    /// The adapter is blocked by rfkill.
    public static let blocked = Code("blocked")
    /// The bus or its policy denies access.
    public static let accessDenied = Code("accessDenied")
    /// The device, service, characteristic or descriptor does not exist, or no longer exists.
    public static let notFound = Code("notFound")
    /// The device is not connected, or the link was lost.
    public static let disconnected = Code("disconnected")
    /// The link could not be established.
    public static let connectionFailed = Code("connectionFailed")
    /// The operation took longer than allowed.
    public static let timedOut = Code("timedOut")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// The peer does not permit this; ``BLEError/attError`` is the reason, if known.
    public static let notPermitted = Code("notPermitted")
    /// The peer requires pairing first.
    public static let notPaired = Code("notPaired")
    /// The pairing failed: the passkey was wrong, or the peer refused.
    public static let authenticationFailed = Code("authenticationFailed")
    /// The pairing was refused on this side, by the agent or by BlueZ.
    public static let pairingRejected = Code("pairingRejected")
    /// The pairing was cancelled, or its link was lost.
    public static let pairingCancelled = Code("pairingCancelled")
    /// The pairing took too long: a question was not answered, or the peer stopped responding.
    public static let pairingTimedOut = Code("pairingTimedOut")
    /// The peer is already paired.
    public static let alreadyPaired = Code("alreadyPaired")
    /// Another program is pairing with the peer.
    public static let pairingInProgress = Code("pairingInProgress")
    /// The peer lost the keys of the pairing: delete them here as well, and pair again.
    public static let bondLostByPeer = Code("bondLostByPeer")
    /// BlueZ lost the keys of the pairing while this manager used the device: pair again.
    public static let bondLost = Code("bondLost")
    /// The peer is paired, and requires pairing with a passkey or a numeric comparison; or it lost its keys.
    public static let pairingTooWeak = Code("pairingTooWeak")
    /// The device is blocked on this machine.
    public static let deviceBlocked = Code("deviceBlocked")
    /// The peer requires authorization.
    public static let notAuthorized = Code("notAuthorized")
    /// The peer, the characteristic or this version of BlueZ does not support the operation.
    public static let notSupported = Code("notSupported")
    /// The peer refused with an ATT error that has no separate code here: see ``BLEError/attError``.
    public static let attributeError = Code("attributeError")
    /// The value is too long or too short, or an offset is out of range.
    public static let invalidLength = Code("invalidLength")
    /// The definition of a service or an advertisement is invalid; the message describes the fault.
    public static let invalidDefinition = Code("invalidDefinition")
    /// Another program holds the resource, or an operation of the same kind is under way.
    public static let busy = Code("busy")
    /// Any other failure: ``BLEError/cause`` and ``BLEError/message`` come from BlueZ.
    public static let failed = Code("failed")
  }
}
