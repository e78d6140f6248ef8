// SPDX-License-Identifier: MIT

extension TransportRefusal: CustomStringConvertible {
  /// The reason, for people.
  package var description: String {
    switch self {
    case .wrongKey: "it has another key"
    case .wantsPlaintext: "it does not encrypt"
    case .wantsEncryption: "it encrypts, and the proxy does not"
    case .turnedAway: "too many attempts with wrong keys"
    case .notTheProtocol: "it does not speak the protocol"
    case .tooLong: "it sends more than any client"
    case .noCiphers(let reason): "the ciphers are missing: \(reason)"
    }
  }
}
