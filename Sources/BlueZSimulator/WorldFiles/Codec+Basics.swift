// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Codec where Value: FixedWidthInteger {
  /// A whole number.
  static func integer(_ range: ClosedRange<Value>) -> Codec {
    let bounds = Int(clamping: range.lowerBound)...Int(clamping: range.upperBound)
    return Codec("an integer from \(bounds.lowerBound) to \(bounds.upperBound)", .integer(bounds)) { node in
      node.integer.flatMap { bounds.contains($0) ? Value(exactly: $0) : nil }
    } write: { value, json in
      json.value(Int(clamping: value))
    }
  }
}

extension Codec<Bool> {
  static let flag = Codec("true or false", .flag) { node in
    if case .bool(let flag) = node.content { flag } else { nil }
  } write: { flag, json in
    json.value(flag)
  }
}

extension Codec<Double> {
  /// A number within ±2⁵³, where `Double` represents every integer exactly.
  static let number = Codec("a number", .number) { node in
    guard case .number(let number) = node.content, let real = number.real, real.magnitude <= 0x1p53 else {
      return nil
    }
    return real
  } write: { number, json in
    if let whole = Int(exactly: number) { json.value(whole) } else { json.value(number) }
  }
}

extension Codec<String> {
  /// A text with a maximum length in bytes.
  static func text(_ expected: String, atMost limit: Int) -> Codec {
    .word("\(expected) of at most \(limit) bytes") {
      $0.utf8.count <= limit ? $0 : nil
    } text: {
      $0
    }
  }

  /// The address of a device or an adapter.
  static let address = word(
    "an address such as \"C8:0F:10:01:02:03\"",
    pattern: "^[0-9A-Fa-f]{2}((:[0-9A-Fa-f]{2}){5}|(-[0-9A-Fa-f]{2}){5})$"
  ) { text in
    BluetoothAddress(text)?.description
  } text: {
    $0
  }

  /// The name of an adapter.
  static let adapterName = word("a name such as \"hci0\"", pattern: "^hci[0-9]{1,4}$") { text in
    let digits = text.utf8.dropFirst(3)
    let isName = text.hasPrefix("hci") && (1...4).contains(digits.count)
    return isName && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? text : nil
  } text: {
    $0
  }

  /// A path to another file.
  static let path = word("a path, relative to this file", pattern: "^[^\\u0000]+$") { text in
    text.isEmpty || text.utf8.contains(0) ? nil : text
  } text: {
    $0
  }
}

extension Codec<[UInt8]> {
  /// The value of an attribute.
  static let value = word(
    "a value of at most 512 bytes: hexadecimal digits, or FORMAT:TEXT such as \"utf8:hello\" or \"u16:1000\"",
    pattern: ValueSyntax.pattern, examples: ["0157", "f0 3d 3d", "utf8:hello", "u16:1000"]
  ) { text in
    ValueSyntax.bytes(text).flatMap { $0.count <= 512 ? $0 : nil }
  } text: {
    ValueSyntax.text($0)
  }

  /// Data of an advertisement.
  static let data = word(
    "at most 254 bytes: hexadecimal digits, or FORMAT:TEXT such as \"utf8:hello\" or \"u16:1000\"",
    pattern: ValueSyntax.pattern, examples: ["0100c80f10010203"]
  ) { text in
    ValueSyntax.bytes(text).flatMap { $0.count <= 254 ? $0 : nil }
  } text: {
    Hex.string($0)
  }
}

extension Codec<[UInt8?]> {
  /// Bytes with wildcards.
  static let pattern = word(
    "hexadecimal digits, with ?? for any byte", pattern: "^(([0-9A-Fa-f]{2}|\\?\\?)[ :]?)*$",
    examples: ["f03d3d??02f7"]
  ) { text in
    var rest = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") }[...]
    var pattern: [UInt8?] = []
    while rest.count >= 2 {
      let pair = String(decoding: rest.prefix(2), as: UTF8.self)
      if pair == "??" {
        pattern.append(nil)
      } else if let byte = Hex.bytes(pair)?.first {
        pattern.append(byte)
      } else {
        return nil
      }
      rest = rest.dropFirst(2)
    }
    return rest.isEmpty && pattern.count <= 512 ? pattern : nil
  } text: { pattern in
    pattern.map { $0.map { Hex.string([$0]) } ?? "??" }.joined()
  }
}

extension Codec<UInt8> {
  /// An ATT error code.
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
  /// A duration.
  static let duration = word(
    "a duration such as \"500ms\", \"10s\", \"2m\" or \"1h\"", pattern: "^[0-9]+(\\.[0-9]+)?(us|ms|s|m|h)$"
  ) {
    DurationText.duration($0)
  } text: {
    DurationText.text($0)
  }

  /// A duration of at least a millisecond.
  static let interval = Codec(
    "a duration of at least \"1ms\", such as \"500ms\", \"10s\", \"2m\" or \"1h\"", duration.schema
  ) { node in
    node.string.flatMap { DurationText.duration($0) }.flatMap { $0 >= .milliseconds(1) ? $0 : nil }
  } write: { duration, json in
    json.value(DurationText.text(duration))
  }
}
