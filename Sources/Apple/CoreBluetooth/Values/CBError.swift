// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain: String = "CBErrorDomain"

/// The error of a failed CoreBluetooth operation.
public struct CBError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The kind of failure.
  public let code: Code
  /// Further information, under keys of `NSError`.
  public var userInfo: [String: Any] { details.values }
  private let details: ErrorDetails

  /// Makes an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    details = ErrorDetails(values: userInfo)
  }

  /// The domain: `CBErrorDomain`.
  public static var errorDomain: String { CBErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// The given information, and the text.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: localizedDescription]) { given, _ in given }
  }
  /// The text of the code.
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? code.text }
  /// The text of the code.
  public var localizedDescription: String { errorDescription ?? code.text }

  /// Returns whether the codes are equal.
  public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CBError: CustomStringConvertible {
  /// The error as `NSError` prints itself, with domain, code and text.
  public var description: String {
    let text = localizedDescription
    return
      "Error Domain=\(CBErrorDomain) Code=\(errorCode) \"\(text)\" UserInfo={NSLocalizedDescription=\(text)}"
  }
}

extension CBError {
  /// The kind of failure, or another number that this library does not know.
  public enum Code: RawRepresentable, Hashable, Sendable {
    /// Any other failure.
    case unknown
    /// A parameter is not valid.
    case invalidParameters
    /// The attribute handle is not valid.
    case invalidHandle
    /// The peripheral is not connected.
    case notConnected
    /// A resource is exhausted, such as the number of advertisements.
    case outOfSpace
    /// The operation was cancelled.
    case operationCancelled
    /// The peripheral did not answer in time.
    case connectionTimeout
    /// The link was lost.
    case peripheralDisconnected
    /// The UUID belongs to BlueZ.
    case uuidNotAllowed
    /// The program is already advertising.
    case alreadyAdvertising
    /// The link could not be established.
    case connectionFailed
    /// There are too many links.
    case connectionLimitReached
    /// BlueZ forgot the device.
    case unknownDevice
    /// BlueZ or the peripheral does not support the operation.
    case operationNotSupported
    /// The peripheral lost the keys of the pairing.
    case peerRemovedPairingInformation
    /// The link could not be encrypted in time.
    case encryptionTimedOut
    /// Too many devices are paired.
    case tooManyLEPairedDevices
    /// Never on Linux.
    case leGattExceededBackgroundNotificationLimit
    /// Never on Linux.
    case leGattNearBackgroundNotificationLimit
    /// A number without a name; use `init(rawValue:)` and `rawValue`.
    case _other(Int)

    /// The codes in the order of their numbers.
    private static let table: [(code: Code, text: String)] = [
      (.unknown, "Unknown error."),
      (.invalidParameters, "One or more parameters were invalid."),
      (.invalidHandle, "The specified handle is invalid."),
      (.notConnected, "The specified device is not connected."),
      (.outOfSpace, "The system has run out of space for the intended operation."),
      (.operationCancelled, "The operation was cancelled."),
      (.connectionTimeout, "The connection has timed out unexpectedly."),
      (.peripheralDisconnected, "The specified device has disconnected from us."),
      (.uuidNotAllowed, "The specified UUID is not allowed for this operation."),
      (.alreadyAdvertising, "Advertising has already started."),
      (.connectionFailed, "The connection has failed unexpectedly."),
      (
        .connectionLimitReached,
        "The system has reached the maximum number of connections and is unable to connect."
      ),
      (.unknownDevice, "The specified device is unknown."),
      (.operationNotSupported, "The requested operation is not supported."),
      (.peerRemovedPairingInformation, "Peer removed pairing information"),
      (.encryptionTimedOut, "Failed to encrypt the connection, the connection has timed out unexpectedly."),
      (.tooManyLEPairedDevices, "The maximum number of paired devices has been reached."),
      (
        .leGattExceededBackgroundNotificationLimit,
        "The number of background notifications has been exceeded."
      ),
      (.leGattNearBackgroundNotificationLimit, "The number of background notifications is near its limit."),
    ]

    /// Makes the code with any number.
    public init?(rawValue: Int) {
      self = Code.table.indices.contains(rawValue) ? Code.table[rawValue].code : ._other(rawValue)
    }

    /// The number of the code.
    public var rawValue: Int {
      switch self {
      case .unknown: 0
      case .invalidParameters: 1
      case .invalidHandle: 2
      case .notConnected: 3
      case .outOfSpace: 4
      case .operationCancelled: 5
      case .connectionTimeout: 6
      case .peripheralDisconnected: 7
      case .uuidNotAllowed: 8
      case .alreadyAdvertising: 9
      case .connectionFailed: 10
      case .connectionLimitReached: 11
      case .unknownDevice: 12
      case .operationNotSupported: 13
      case .peerRemovedPairingInformation: 14
      case .encryptionTimedOut: 15
      case .tooManyLEPairedDevices: 16
      case .leGattExceededBackgroundNotificationLimit: 17
      case .leGattNearBackgroundNotificationLimit: 18
      case ._other(let number): number
      }
    }

    var text: String {
      Code.table.indices.contains(rawValue) ? Code.table[rawValue].text : "Unknown error."
    }

    /// Returns whether an error has this code: `catch CBError.invalidParameters`.
    public static func ~= (code: Code, error: any Error) -> Bool { (error as? CBError)?.code == code }

    /// The old, misspelt name.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Code { .unknownDevice }
  }
}

extension CBError {
  /// Any other failure.
  public static var unknown: Code { .unknown }
  /// A parameter is not valid.
  public static var invalidParameters: Code { .invalidParameters }
  /// The attribute handle is not valid.
  public static var invalidHandle: Code { .invalidHandle }
  /// The peripheral is not connected.
  public static var notConnected: Code { .notConnected }
  /// A resource is exhausted, such as the number of advertisements.
  public static var outOfSpace: Code { .outOfSpace }
  /// The operation was cancelled.
  public static var operationCancelled: Code { .operationCancelled }
  /// The peripheral did not answer in time.
  public static var connectionTimeout: Code { .connectionTimeout }
  /// The link was lost.
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  /// The UUID belongs to BlueZ.
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  /// The program is already advertising.
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  /// The link could not be established.
  public static var connectionFailed: Code { .connectionFailed }
  /// There are too many links.
  public static var connectionLimitReached: Code { .connectionLimitReached }
  /// BlueZ forgot the device.
  public static var unknownDevice: Code { .unknownDevice }
  /// BlueZ or the peripheral does not support the operation.
  public static var operationNotSupported: Code { .operationNotSupported }
  /// The peripheral lost the keys of the pairing.
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  /// The link could not be encrypted in time.
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  /// Too many devices are paired.
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  /// Never on Linux.
  public static var leGattExceededBackgroundNotificationLimit: Code {
    .leGattExceededBackgroundNotificationLimit
  }
  /// Never on Linux.
  public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
  /// The old, misspelt name.
  @available(*, deprecated, renamed: "unknownDevice")
  public static var unkownDevice: Code { .unknownDevice }
}
