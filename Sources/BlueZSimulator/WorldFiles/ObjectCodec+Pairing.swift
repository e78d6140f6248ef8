// SPDX-License-Identifier: MIT
internal import JSON

extension ObjectCodec<PairingSpec> {
  static let pairing = ObjectCodec(
    "pairing", "how a peripheral pairs", defaults: PairingSpec(),
    [
      Field(
        "capability", \.capability,
        .words([
          ("none", .none), ("display-only", .displayOnly), ("display-yes-no", .displayYesNo),
          ("keyboard-only", .keyboardOnly), ("keyboard-display", .keyboardDisplay),
        ]), "What its user can do. Default: \"none\"."),
      Field(
        "secure_connections", \.hasSecureConnections, .flag,
        "Whether it supports LE Secure Connections, or legacy pairing only. Default: true."),
      Field(
        "mitm", \.protection, .words([("none", .none), ("wanted", .wanted), ("required", .required)]),
        "Its demand for protection against a man in the middle; \"required\" refuses Just Works. Default: \"none\"."
      ),
      Field(
        "request", \.response, .words([("accept", .accept), ("refuse", .refuse), ("ignore", .ignore)]),
        "What it does with a request to pair. Default: \"accept\"."),
      Field(
        "passkey", \.passkey, Codec.passkey,
        "The passkey that it shows. Default: a random one each time."),
      Field(
        "confirms", \.confirms, .flag,
        "Whether its user confirms the number in a comparison. Default: true."),
      Field(
        "types", \.typing, .words([("right", .right), ("wrong", .wrong), ("never", .never)]),
        "What its user types as the passkey that the other side shows; with \"never\", the command type-passkey types. Default: \"right\"."
      ),
    ])
}

extension Codec<UInt32> {
  /// A passkey.
  static let passkey = word(
    "a passkey of six digits such as \"042017\"", pattern: "^[0-9]{6}$", examples: ["042017"]
  ) {
    PasskeyText.passkey($0)
  } text: {
    PasskeyText.text($0)
  }
}
