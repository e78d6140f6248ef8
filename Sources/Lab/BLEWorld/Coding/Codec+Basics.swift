// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<String> {
  static let address = word(
    "an address such as \"C8:0F:10:01:02:03\"",
    pattern: "^[0-9A-Fa-f]{2}((:[0-9A-Fa-f]{2}){5}|(-[0-9A-Fa-f]{2}){5})$"
  ) { text in
    BluetoothAddress(text)?.description
  } text: {
    $0
  }

  /// A resolvable private address: its first two bits are 01.
  static let privateAddress = word(
    "a resolvable private address, which begins with 40 to 7F",
    pattern: "^[4-7][0-9A-Fa-f]((:[0-9A-Fa-f]{2}){5}|(-[0-9A-Fa-f]{2}){5})$"
  ) { text in
    text.utf8.first.map { (UInt8(ascii: "4")...UInt8(ascii: "7")).contains($0) } == true
      ? BluetoothAddress(text)?.description : nil
  } text: {
    $0
  }

  static let adapterName = word("a name such as \"hci0\"", pattern: "^hci[0-9]{1,4}$") { text in
    let digits = text.utf8.dropFirst(3)
    let isName = text.hasPrefix("hci") && (1...4).contains(digits.count)
    return isName && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? text : nil
  } text: {
    $0
  }

  static let path = word("a path, relative to this file", pattern: "^[^\\u0000]+$") { text in
    text.isEmpty || text.utf8.contains(0) ? nil : text
  } text: {
    $0
  }
}

extension Codec<[UInt8]> {
  static let value = bytes(
    "a value of at most 512 bytes", atMost: 512, examples: ["0157", "f0 3d 3d", "utf8:hello", "u16:1000"]
  ) {
    ValueSyntax.text($0)
  }

  static let data = bytes("at most 254 bytes", atMost: 254, examples: ["0100c80f10010203"]) {
    Hex.string($0)
  }

  /// Creates a codec whose errors say why a text is not one of these values.
  private static func bytes(
    _ expected: String, atMost most: Int, examples: [String], text: @escaping @Sendable ([UInt8]) -> String
  ) -> Codec {
    let expected =
      "\(expected): hexadecimal digits, or FORMAT:TEXT such as \"utf8:hello\" or \"u16:1000\""
    return Codec(expected, .text(pattern: ValueSyntax.pattern, examples: examples)) {
      node throws(JSONError) in
      guard let text = node.string else { throw node.mismatch(expected) }
      let bytes: [UInt8]
      do throws(FormatError) {
        bytes = try ValueSyntax.bytes(of: text)
      } catch {
        let reason = error.text == text ? "which \(error.reason)" : "where \(error)"
        throw JSONError(node, "\(node.mismatch(expected).message), \(reason)")
      }
      guard bytes.count <= most else {
        throw JSONError(node, "\(node.mismatch(expected).message), which has \(bytes.count) bytes")
      }
      return bytes
    } write: {
      $1.value(text($0))
    }
  }
}

extension Codec<[UInt8?]> {
  static let pattern = word(
    "hexadecimal digits, with ?? for any byte", pattern: "^(([0-9A-Fa-f]{2}|\\?\\?)[ :]?)*$",
    examples: ["f03d3d??02f7"]
  ) { text in
    guard let bytes = MaskedByte.bytes(text), bytes.count <= 512,
      bytes.allSatisfy({ $0.mask == 0 || $0.mask == 0xff })
    else { return nil }
    return bytes.map { $0.mask == 0 ? nil : $0.value }
  } text: { pattern in
    pattern.map { $0.map { Hex.string([$0]) } ?? "??" }.joined()
  }
}

extension Codec<UInt8> {
  static let attError = word(
    "an ATT error code from \"0x01\" to \"0xff\"", pattern: "^0x[0-9A-Fa-f]{2}$", examples: ["0x85"]
  ) { text in
    guard text.utf8.count == 4, text.hasPrefix("0x"), let code = Hex.bytes(text.dropFirst(2))?.first else {
      return nil
    }
    return code == 0 ? nil : code
  } text: {
    "0x" + Hex.string([$0])
  }
}

extension Codec<Duration> {
  static let duration = word(
    "a duration such as \"500ms\", \"10s\", \"2m\" or \"1h\"", pattern: "^[0-9]+(\\.[0-9]+)?(us|ms|s|m|h)$"
  ) {
    DurationText.duration($0)
  } text: {
    DurationText.signed($0)
  }

  static let interval = Codec(
    "a duration of at least \"1ms\", such as \"500ms\", \"10s\", \"2m\" or \"1h\"", duration.schema
  ) { node in
    node.string.flatMap { DurationText.duration($0) }.flatMap { $0 >= .milliseconds(1) ? $0 : nil }
  } write: { duration, json in
    json.value(DurationText.signed(duration))
  }
}

extension DurationText {
  /// Returns a duration with its sign: a negative one is refused where it is read, and is not taken for zero.
  fileprivate static func signed(_ duration: Duration) -> String {
    duration < .zero ? "-" + text(.zero - duration) : text(duration)
  }

  /// Parses a duration of a world file, to the microsecond; nil if it is invalid or longer than a year.
  package static func duration(_ text: String) -> Duration? {
    guard let duration = duration(text, in: ["h", "m", "s", "ms", "us"]), duration <= .seconds(366 * 86_400)
    else { return nil }
    let (seconds, attoseconds) = duration.components
    return Duration(
      secondsComponent: seconds, attosecondsComponent: attoseconds - attoseconds % 1_000_000_000_000)
  }
}
