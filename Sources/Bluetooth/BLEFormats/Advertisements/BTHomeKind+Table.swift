// SPDX-License-Identifier: MIT

/// The kinds of bthome.io/format: decoding and encoding both use this table.
extension BTHomeKind {
  static let all: [(identifier: UInt8, kind: BTHomeKind)] = (UInt8.min...UInt8.max).compactMap { identifier in
    of(identifier).map { (identifier, $0) }
  }

  /// The kind with a number; nil if the format does not define it.
  static func of(_ identifier: UInt8) -> BTHomeKind? { kinds[Int(identifier)] }

  /// By their numbers; made once, because their names take longer than to decode a value.
  private static let kinds: [BTHomeKind?] = (UInt8.min...UInt8.max).map {
    measurement($0) ?? later($0) ?? state($0)
  }

  private static func number(
    _ name: String, _ width: ByteWidth, _ unit: BTHomeUnit? = nil, ten: Int = 0, times: Int = 1,
    title: String? = nil
  ) -> BTHomeKind {
    // Of a percentage, decoding accepts what encoding does.
    let possible = unit == .percent ? DecodedFields.possiblePercentages(of: name) : nil
    let scale = (0..<(-ten)).reduce(1) { scale, _ in scale * 10 }
    let allowed = possible.map { $0.lowerBound * scale...min($0.upperBound * scale, width.range.upperBound) }
    return BTHomeKind(
      name, unit, .number(NumberShape(width: width, multiplier: times, decimal: ten, allowed: allowed)),
      title: title)
  }

  private static func measurement(_ identifier: UInt8) -> BTHomeKind? {
    switch identifier {
    case 0x00: number("packet_id", .u8, title: "packet")
    case 0x01: number("battery", .u8, .percent)
    case 0x02: number("temperature", .i16, .celsius, ten: -2)
    case 0x03: number("humidity", .u16, .percent, ten: -2)
    case 0x04: number("pressure", .u24, .hpa, ten: -2)
    case 0x05: number("illuminance", .u24, .lux, ten: -2)
    case 0x06: number("mass", .u16, .kg, ten: -2)
    case 0x07: number("mass", .u16, .lb, ten: -2)
    case 0x08: number("dew_point", .i16, .celsius, ten: -2)
    case 0x09: number("count", .u8)
    case 0x0a: number("energy", .u24, .kwh, ten: -3)
    case 0x0b: number("power", .u24, .w, ten: -2)
    case 0x0c: number("voltage", .u16, .v, ten: -3)
    case 0x0d: number("pm2_5", .u16, .ugPerM3, title: "PM2.5")
    case 0x0e: number("pm10", .u16, .ugPerM3)
    case 0x12: number("co2", .u16, .ppm)
    case 0x13: number("tvoc", .u16, .ugPerM3)
    case 0x14: number("moisture", .u16, .percent, ten: -2)
    case 0x2e: number("humidity", .u8, .percent)
    case 0x2f: number("moisture", .u8, .percent)
    case 0x3a: BTHomeKind("button", nil, .event(buttonEvents))
    case 0x3b: BTHomeKind("command", nil, .command)
    case 0x3c: BTHomeKind("dimmer", nil, .dimmer)
    case 0x3d: number("count", .u16)
    case 0x3e: number("count", .u32)
    case 0x3f: number("rotation", .i16, .degrees, ten: -1)
    case 0x40: number("distance", .u16, .mm)
    case 0x41: number("distance", .u16, .m, ten: -1)
    case 0x42: number("duration", .u24, .s, ten: -3)
    case 0x43: number("current", .u16, .a, ten: -3)
    case 0x44: number("speed", .u16, .mPerS, ten: -2)
    case 0x45: number("temperature", .i16, .celsius, ten: -1)
    case 0x46: number("uv_index", .u8, ten: -1)
    case 0x47: number("volume", .u16, .l, ten: -1)
    case 0x48: number("volume", .u16, .ml)
    case 0x49: number("flow", .u16, .m3PerH, ten: -3)
    case 0x4a: number("voltage", .u16, .v, ten: -1)
    default: nil
    }
  }

  private static func later(_ identifier: UInt8) -> BTHomeKind? {
    switch identifier {
    case 0x4b: number("gas", .u24, .m3, ten: -3)
    case 0x4c: number("gas", .u32, .m3, ten: -3)
    case 0x4d: number("energy", .u32, .kwh, ten: -3)
    case 0x4e: number("volume", .u32, .l, ten: -3)
    case 0x4f: number("water", .u32, .l, ten: -3)
    case 0x50: number("timestamp", .u32, .s)
    case 0x51: number("acceleration", .u16, .mPerS2, ten: -3)
    case 0x52: number("gyroscope", .u16, .degreesPerS, ten: -3)
    case 0x53: BTHomeKind("text", nil, .text)
    case 0x54: BTHomeKind("raw", nil, .raw)
    case 0x55: number("volume_storage", .u32, .l, ten: -3)
    case 0x56: number("conductivity", .u16, .usPerCm)
    case 0x57: number("temperature", .i8, .celsius)
    case 0x58: number("temperature", .i8, .celsius, ten: -2, times: 35)
    case 0x59: number("count", .i8)
    case 0x5a: number("count", .i16)
    case 0x5b: number("count", .i32)
    case 0x5c: number("power", .i32, .w, ten: -2)
    case 0x5d: number("current", .i16, .a, ten: -3)
    case 0x5e: number("direction", .u16, .degrees, ten: -2)
    case 0x5f: number("precipitation", .u16, .mm, ten: -1)
    case 0x60: number("channel", .u8)
    case 0x61: number("rotational_speed", .u16, .rpm)
    case 0x62: number("speed", .i32, .mPerS, ten: -6)
    case 0x63: number("acceleration", .i32, .mPerS2, ten: -6)
    case 0x64: number("light_level", .u8)
    case 0x65: number("settings_revision", .u8)
    case 0xf0: number("device_type", .u16)
    case 0xf1: BTHomeKind("firmware", nil, .version(4))
    case 0xf2: BTHomeKind("firmware", nil, .version(3))
    default: nil
    }
  }

  private static let states: [UInt8: String] = {
    let others: [UInt8: String] = [0x0f: "state", 0x10: "power", 0x11: "opening"]
    let names = """
      battery_low battery_charging carbon_monoxide cold connected door garage_door gas heat light lock moisture motion \
      moving occupancy plug presence problem running safety smoke sound tamper vibration window
      """
    return others.merging(zip(0x15..., names.split(separator: " ").map(String.init))) { $1 }
  }()

  private static func state(_ identifier: UInt8) -> BTHomeKind? {
    // `problem` says in JSON why bytes cannot be decoded.
    states[identifier].map { BTHomeKind($0, nil, .state, key: $0 == "problem" ? "problem_detected" : nil) }
  }

  private static var buttonEvents: [Int: String] {
    [
      0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press", 0x04: "long press",
      0x05: "long double press", 0x06: "long triple press", 0x80: "hold press", 0x81: "hold release",
    ]
  }

  static var commands: [Int: String] {
    [0x00: "off", 0x01: "on", 0x02: "toggle", 0x03: "step up", 0x04: "step down"]
  }
}

/// Encoding: the inverse of ``BTHomeKind/value(_:)``.
extension BTHomeKind {
  /// The longest argument of a command: its length has five bits.
  private static let longestArgument = 0x1f

  var isNumeric: Bool { if case .number = shape { true } else { false } }

  /// Encodes a value as decoding shows it, without the unit: `21.5`, `yes`, `double press`; rounds numbers.
  ///
  /// Returns the bytes after the number of the kind.
  func bytes(of text: String) throws(FormatError) -> [UInt8] {
    switch shape {
    case .number(let shape): return shape.width.encode(try shape.raw(of: text))
    case .state: return [try Self.isTrue(text) ? 1 : 0]
    case .event(let names): return [try Self.number(of: text, names: names, otherwise: "event")]
    case .dimmer: return try Self.dimmer(text)
    case .command: return try Self.command(text)
    case .text: return try Self.counted(Array(text.utf8), text)
    case .raw: return try Self.counted(try HexValue.bytes(text), text)
    case .version(let count): return try Self.version(text, count)
    }
  }

  static func isTrue(_ text: String) throws(FormatError) -> Bool {
    switch text.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw FormatError(text, "is neither yes nor no")
    }
  }

  /// Returns the number of a name, or of a word and a number for those without a name, as in `event 119`.
  private static func number(
    of text: String, names: [Int: String], otherwise word: String
  ) throws(FormatError) -> UInt8 {
    let wanted = Choice.plain(text)
    if let number = names.first(where: { Choice.plain($0.value) == wanted })?.key { return UInt8(number) }
    let parts = text.split(separator: " ")
    if parts.count == 2, parts[0] == word, let number = UInt8(parts[1]) { return number }
    let words = names.sorted { $0.key < $1.key }.map(\.value)
    throw FormatError(text, "is none of: \(words.joined(separator: ", "))")
  }

  private static func dimmer(_ text: String) throws(FormatError) -> [UInt8] {
    if let steps = Int(text) {
      guard let count = UInt8(exactly: steps.magnitude) else {
        throw FormatError(text, "is out of range: -255 to 255")
      }
      return [steps < 0 ? 1 : 2, count]
    }
    do throws(FormatError) {
      return [try number(of: text, names: [0: "none"], otherwise: "event"), 0]
    } catch {
      throw FormatError(text, "is neither a number of steps nor none")
    }
  }

  private static func command(_ text: String) throws(FormatError) -> [UInt8] {
    // The text after the last space is the argument, unless it is part of the name: `step up 02`.
    if let number = try? number(of: text, names: commands, otherwise: "command") { return [0, number] }
    guard let space = text.lastIndex(of: " "), let argument = Hex.bytes(text[text.index(after: space)...])
    else { return [0, try number(of: text, names: commands, otherwise: "command")] }
    guard argument.count <= longestArgument else {
      throw FormatError(text, "has an argument of \(argument.count) bytes; \(longestArgument) fit")
    }
    let number = try number(of: String(text[..<space]), names: commands, otherwise: "command")
    return [UInt8(argument.count), number] + argument
  }

  private static func counted(_ bytes: [UInt8], _ text: String) throws(FormatError) -> [UInt8] {
    guard let count = UInt8(exactly: bytes.count) else {
      throw FormatError(text, "has \(bytes.count) bytes; 255 fit")
    }
    return [count] + bytes
  }

  private static func version(_ text: String, _ count: Int) throws(FormatError) -> [UInt8] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt8($0) }
    guard parts.count == count, numbers.count == count else {
      throw FormatError(text, "is not \(count) numbers up to 255 with points between them")
    }
    return numbers.reversed()
  }
}
