// SPDX-License-Identifier: MIT

/// The reason that advertised data cannot be decrypted, or an address cannot be resolved.
public enum DecryptionError: Error, Sendable, Hashable {
  /// The data is encrypted, and there is no key for its device.
  case keyMissing
  /// The format needs a key of another length, in bytes.
  case keyLength(needed: Int)
  /// The data was not encrypted with this key for this address, or was changed.
  case wrongKey
  /// The data does not have the parts that the format requires, with the reason.
  case malformed(String)
  /// libcrypto (OpenSSL 3) cannot be loaded, with the reason.
  case unavailable(String)

  init(_ error: CipherError) {
    self =
      switch error {
      case .unavailable(let reason): .unavailable(reason)
      case .notAuthentic: .wrongKey
      case .invalidLength: .malformed("its parts have other lengths")
      }
  }
}

extension DecryptionError: CustomStringConvertible {
  /// A sentence without a full stop: `the key does not fit`.
  public var description: String {
    switch self {
    case .keyMissing: "the data is encrypted, and there is no key for it"
    case .keyLength(let needed): "the format needs a key of \(needed) bytes"
    case .wrongKey: "the key does not fit the data"
    case .malformed(let reason): "the data is malformed: \(reason)"
    case .unavailable(let reason): "libcrypto is not installed (\(reason)); sudo apt install libssl3"
    }
  }
}
