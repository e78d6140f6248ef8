// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// The error with which a peer refused a request on an attribute.
public struct CBATTError: CustomNSError, LocalizedError, Hashable, Sendable {
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

  /// The domain: `CBATTErrorDomain`.
  public static var errorDomain: String { CBATTErrorDomain }
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
  public static func == (left: CBATTError, right: CBATTError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CBATTError: CustomStringConvertible {
  /// The error as `NSError` prints itself, with domain, code and text.
  public var description: String {
    let text = localizedDescription
    return
      "Error Domain=\(CBATTErrorDomain) Code=\(errorCode) \"\(text)\" UserInfo={NSLocalizedDescription=\(text)}"
  }
}

extension CBATTError {
  /// The kind of failure, or another number that this library does not know.
  public enum Code: RawRepresentable, Hashable, Sendable {
    /// No error.
    case success
    /// 0x01: there is no attribute with that handle.
    case invalidHandle
    /// 0x02: the attribute cannot be read.
    case readNotPermitted
    /// 0x03: the attribute cannot be written.
    case writeNotPermitted
    /// 0x04: the request is malformed.
    case invalidPdu
    /// 0x05: the attribute requires an authenticated link.
    case insufficientAuthentication
    /// 0x06: the peer does not support the request.
    case requestNotSupported
    /// 0x07: the offset is past the end of the value.
    case invalidOffset
    /// 0x08: the attribute requires the user's consent.
    case insufficientAuthorization
    /// 0x09: too many writes are prepared.
    case prepareQueueFull
    /// 0x0a: there is no such attribute.
    case attributeNotFound
    /// 0x0b: the value cannot be read in parts.
    case attributeNotLong
    /// 0x0c: the key is too short.
    case insufficientEncryptionKeySize
    /// 0x0d: the value is too long or too short.
    case invalidAttributeValueLength
    /// 0x0e: the peer failed for an unspecified reason.
    case unlikelyError
    /// 0x0f: the attribute requires an encrypted link.
    case insufficientEncryption
    /// 0x10: the attribute does not group others.
    case unsupportedGroupType
    /// 0x11: the peer lacks resources.
    case insufficientResources
    /// A number without a name; use `init(rawValue:)` and `rawValue`.
    case _other(Int)

    /// The codes in the order of their numbers.
    private static let table: [(code: Code, text: String)] = [
      (.success, "The operation succeeded."),
      (.invalidHandle, "The handle is invalid."),
      (.readNotPermitted, "Reading is not permitted."),
      (.writeNotPermitted, "Writing is not permitted."),
      (.invalidPdu, "The command is invalid."),
      (.insufficientAuthentication, "Authentication is insufficient."),
      (.requestNotSupported, "The request is not supported."),
      (.invalidOffset, "The offset is invalid."),
      (.insufficientAuthorization, "Authorization is insufficient."),
      (.prepareQueueFull, "The prepare queue is full."),
      (.attributeNotFound, "The attribute could not be found."),
      (.attributeNotLong, "The attribute is not long."),
      (.insufficientEncryptionKeySize, "The encryption key size is insufficient."),
      (.invalidAttributeValueLength, "The value's length is invalid."),
      (.unlikelyError, "Unlikely error."),
      (.insufficientEncryption, "Encryption is insufficient."),
      (.unsupportedGroupType, "The group type is not supported."),
      (.insufficientResources, "Resources are insufficient."),
    ]

    /// Makes the code with any number.
    public init?(rawValue: Int) {
      self = Code.table.indices.contains(rawValue) ? Code.table[rawValue].code : ._other(rawValue)
    }

    /// The number of the code.
    public var rawValue: Int {
      switch self {
      case .success: 0
      case .invalidHandle: 1
      case .readNotPermitted: 2
      case .writeNotPermitted: 3
      case .invalidPdu: 4
      case .insufficientAuthentication: 5
      case .requestNotSupported: 6
      case .invalidOffset: 7
      case .insufficientAuthorization: 8
      case .prepareQueueFull: 9
      case .attributeNotFound: 10
      case .attributeNotLong: 11
      case .insufficientEncryptionKeySize: 12
      case .invalidAttributeValueLength: 13
      case .unlikelyError: 14
      case .insufficientEncryption: 15
      case .unsupportedGroupType: 16
      case .insufficientResources: 17
      case ._other(let number): number
      }
    }

    var text: String {
      Code.table.indices.contains(rawValue) ? Code.table[rawValue].text : "Unknown ATT error."
    }

    /// Returns whether an error has this code: `catch CBATTError.invalidHandle`.
    public static func ~= (code: Code, error: any Error) -> Bool { (error as? CBATTError)?.code == code }
  }
}

extension CBATTError {
  /// No error.
  public static var success: Code { .success }
  /// 0x01: there is no attribute with that handle.
  public static var invalidHandle: Code { .invalidHandle }
  /// 0x02: the attribute cannot be read.
  public static var readNotPermitted: Code { .readNotPermitted }
  /// 0x03: the attribute cannot be written.
  public static var writeNotPermitted: Code { .writeNotPermitted }
  /// 0x04: the request is malformed.
  public static var invalidPdu: Code { .invalidPdu }
  /// 0x05: the attribute requires an authenticated link.
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  /// 0x06: the peer does not support the request.
  public static var requestNotSupported: Code { .requestNotSupported }
  /// 0x07: the offset is past the end of the value.
  public static var invalidOffset: Code { .invalidOffset }
  /// 0x08: the attribute requires the user's consent.
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  /// 0x09: too many writes are prepared.
  public static var prepareQueueFull: Code { .prepareQueueFull }
  /// 0x0a: there is no such attribute.
  public static var attributeNotFound: Code { .attributeNotFound }
  /// 0x0b: the value cannot be read in parts.
  public static var attributeNotLong: Code { .attributeNotLong }
  /// 0x0c: the key is too short.
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  /// 0x0d: the value is too long or too short.
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  /// 0x0e: the peer failed for an unspecified reason.
  public static var unlikelyError: Code { .unlikelyError }
  /// 0x0f: the attribute requires an encrypted link.
  public static var insufficientEncryption: Code { .insufficientEncryption }
  /// 0x10: the attribute does not group others.
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  /// 0x11: the peer lacks resources.
  public static var insufficientResources: Code { .insufficientResources }
}
