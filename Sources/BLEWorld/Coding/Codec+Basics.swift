// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Codec where Value: FixedWidthInteger {
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
  static func text(_ expected: String, atMost limit: Int) -> Codec {
    .word("\(expected) of at most \(limit) bytes") {
      $0.utf8.count <= limit ? $0 : nil
    } text: {
      $0
    }
  }

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
  static let value = word(
    "a value of at most 512 bytes: hexadecimal digits, or FORMAT:TEXT such as \"utf8:hello\" or \"u16:1000\"",
    pattern: ValueSyntax.pattern, examples: ["0157", "f0 3d 3d", "utf8:hello", "u16:1000"]
  ) { text in
    ValueSyntax.bytes(text).flatMap { $0.count <= 512 ? $0 : nil }
  } text: {
    ValueSyntax.text($0)
  }

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
    DurationText.text($0)
  }

  static let interval = Codec(
    "a duration of at least \"1ms\", such as \"500ms\", \"10s\", \"2m\" or \"1h\"", duration.schema
  ) { node in
    node.string.flatMap { DurationText.duration($0) }.flatMap { $0 >= .milliseconds(1) ? $0 : nil }
  } write: { duration, json in
    json.value(DurationText.text(duration))
  }
}

/// The syntax of durations in a world file: a number and its unit.
package enum DurationText {
  /// In microseconds, the largest first.
  private static let units: [(word: String, microseconds: Int)] = [
    ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("us", 1),
  ]

  /// The longest duration: a year.
  private static let limit = 366 * 24 * 3_600_000_000

  /// Parses a text such as `1.5s`, to the microsecond; returns nil if it is invalid or longer than a year.
  package static func duration(_ text: String) -> Duration? {
    let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
    guard let unit = units.first(where: { $0.word == text.dropFirst(digits.count) }),
      digits.first != ".", digits.last != ".", let number = DecimalNumber(digits), number.exponent <= 0
    else { return nil }
    // Digits below a microsecond are dropped; a mantissa has at most 17.
    var (mantissa, divisor) = (number.mantissa, 1)
    for _ in number.exponent..<0 {
      (mantissa, divisor) = divisor < 1_000_000_000_000 ? (mantissa, divisor * 10) : (mantissa / 10, divisor)
    }
    let (product, overflow) = Int128(mantissa).multipliedReportingOverflow(by: Int128(unit.microseconds))
    let microseconds = product / Int128(divisor)
    return overflow || microseconds > Int128(limit) ? nil : .microseconds(Int64(microseconds))
  }

  /// Writes a duration in the largest unit that needs no fraction.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    if microseconds == 0 { return "0s" }
    let unit = units.first { microseconds.isMultiple(of: $0.microseconds) }
    return unit.map { "\(microseconds / $0.microseconds)\($0.word)" } ?? "\(microseconds)us"
  }
}
