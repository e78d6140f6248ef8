// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The error with which a peer refused a request on an attribute: the code that is sent over the air.
///
/// The equivalent in CoreBluetooth is `CBATTError`. BlueZ reports several codes as one D-Bus error, so an
/// error from BlueZ has a code only if it is unambiguous.
public struct ATTError: Error, Sendable, Hashable {
  /// The code as sent by the peer: 0x01 to 0xff.
  public let code: UInt8

  /// Makes the error of a code, even of an unassigned one.
  ///
  /// - Parameter code: the code as sent by the peer.
  public init(code: UInt8) {
    self.code = code
  }

  /// The meaning of the code in a few lower-case words, such as `read not permitted`.
  public var name: String {
    switch code {
    case 0x01...0x13: Self.assigned[Int(code) - 1]
    case 0x80...0x9f: "application error"
    case 0xe0...0xfb: "common profile error"
    case 0xfc: "write request rejected"
    case 0xfd: "client characteristic configuration improperly configured"
    case 0xfe: "procedure already in progress"
    case 0xff: "out of range"
    default: "reserved error"
    }
  }

  /// True if the peer may accept the same request later: it was busy, short of resources, or its application
  /// refused.
  ///
  /// False if the request, its rights or the attribute are wrong, which waiting does not change. True for
  /// codes without a known meaning.
  public var mayPass: Bool {
    switch code {
    case 0x01...0x08, 0x0a...0x0d, 0x0f, 0x10, 0x13, 0xff: false
    default: true
    }
  }

  /// The names of 0x01 to 0x13.
  private static let assigned = [
    "invalid handle", "read not permitted", "write not permitted", "invalid PDU",
    "insufficient authentication",
    "request not supported", "invalid offset", "insufficient authorization", "prepare queue full",
    "attribute not found", "attribute not long", "encryption key size too short",
    "invalid attribute value length", "unlikely error", "insufficient encryption", "unsupported group type",
    "insufficient resources", "database out of sync", "value not allowed",
  ]
}

extension ATTError: CustomStringConvertible {
  /// The code and its meaning: `ATT 0x02 read not permitted`.
  public var description: String { "ATT 0x\(Hex.string([code])) \(name)" }
}

extension ATTError {
  /// 0x01: the server has no attribute with that handle.
  public static let invalidHandle = Self(code: 0x01)
  /// 0x02: the attribute cannot be read.
  public static let readNotPermitted = Self(code: 0x02)
  /// 0x03: the attribute cannot be written.
  public static let writeNotPermitted = Self(code: 0x03)
  /// 0x05: the attribute requires an authenticated link.
  public static let insufficientAuthentication = Self(code: 0x05)
  /// 0x06: the server does not support the request.
  public static let requestNotSupported = Self(code: 0x06)
  /// 0x07: the offset is past the end of the value.
  public static let invalidOffset = Self(code: 0x07)
  /// 0x08: the attribute requires the user's consent.
  public static let insufficientAuthorization = Self(code: 0x08)
  /// 0x0b: the value fits into one packet, and the server gives out no part of such a value.
  public static let attributeNotLong = Self(code: 0x0b)
  /// 0x0d: the value is too long or too short for the attribute.
  public static let invalidAttributeValueLength = Self(code: 0x0d)
  /// 0x0e: the server failed for an unspecified reason.
  public static let unlikelyError = Self(code: 0x0e)
  /// 0x0f: the attribute requires an encrypted link.
  public static let insufficientEncryption = Self(code: 0x0f)
  /// 0x12: the attributes of the server have changed, and the client has not discovered them again yet.
  public static let databaseOutOfSync = Self(code: 0x12)
}
