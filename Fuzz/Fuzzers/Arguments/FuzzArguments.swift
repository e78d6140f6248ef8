// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

@testable internal import BlectlArguments
@testable internal import BlectlCommands
@testable internal import TerminalOutput
@testable internal import ValueLogs

/// Feeds any words to what reads the command line; nothing is run.
///
/// The first byte chooses what the rest is: one word, for the parsers of single words, or a whole command line
/// (``CommandLineSpelling``), which a command alone and the tree of all commands have to parse to the same result.
func fuzzArguments(_ input: UnsafeRawBufferPointer) {
  guard let choice = input.first else { return }
  let rest = Array(input.dropFirst())
  switch choice {
  case 0..<0x60: checkWord(String(decoding: rest, as: UTF8.self))
  case 0x60..<0x70: checkName(String(decoding: rest, as: UTF8.self))
  case 0x70..<0xf0: checkCommandLine(CommandLineSpelling.words(rest, startsWithCommand: true))
  default: checkCommandLine(CommandLineSpelling.words(rest, startsWithCommand: false))
  }
}

/// Any command line is parsed, alone and in the tree alike, or refused with an error that is safe for a terminal.
private func checkCommandLine(_ words: [String]) {
  // ArgumentParser's own options do more than parsing: completion queries the bus.
  guard !words.contains(where: { $0.hasPrefix("---") || $0.hasPrefix("--generate") }) else { return }
  do {
    let alone = try CommandLineTool.parse(words)
    _ = alone.deviceText
    let inTree = try CommandLineTool.parseInTree(words)
    precondition(dumped(alone) == dumped(inTree), "parsed in two ways: \(words)")
  } catch {
    let lines = ErrorReport.lines(UsageReport.error(error, words), verbosity: 0)
    precondition(!lines.isEmpty, "refused without a word: \(words)")
    for line in lines {
      precondition(!line.unicodeScalars.contains { $0.isHarmful }, "harmful: \(line.debugDescription)")
    }
  }
}

/// Everything that a command holds, including its property wrappers.
private func dumped(_ command: Any) -> String {
  var text = ""
  dump(command, to: &text)
  return text
}

/// Spells command lines with few bytes: a byte is a word of the vocabulary, or starts a word that is spelt out.
enum CommandLineSpelling {
  /// The words that some bytes spell.
  ///
  /// - Parameters:
  ///   - bytes: from 0x00 to 0xdf a word of the vocabulary; from 0xe0 on a word of as many bytes as the lower half of
  ///     the byte says, which follow; when the lowest bit of the upper half is set, it belongs to the word before.
  ///   - startsWithCommand: whether the first byte is a command that is often run in loops.
  /// - Returns: the words; invalid UTF-8 is mended, as the start of a program does.
  static func words(_ bytes: [UInt8], startsWithCommand: Bool) -> [String] {
    var words: [String] = []
    var rest = bytes[...]
    if startsWithCommand, let first = rest.popFirst() { words.append(commands[Int(first) % commands.count]) }
    while let byte = rest.popFirst(), words.count < 40 {
      guard byte >= 0xe0 else {
        words.append(vocabulary[Int(byte) % vocabulary.count])
        continue
      }
      let spelt = rest.prefix(Int(byte & 0x0f) * 2)
      rest = rest.dropFirst(spelt.count)
      let text = String(decoding: spelt.prefix { $0 != 0 }, as: UTF8.self)
      if byte & 0x10 != 0, let last = words.popLast() {
        words.append(last + text)
      } else {
        words.append(text)
      }
    }
    return words
  }

  private static let commands = ["read", "write", "devices", "connect", "disconnect"]

  private static let vocabulary =
    commands + [
      "scan", "info", "services", "subscribe", "notify", "adapter", "list", "show", "on", "off", "snapshot",
      "simulate", "uuid", "decode", "firmware", "doctor", "monitor", "help", "--help", "-h", "--version",
      "--",
      "Bench", "Piano", "F0:F1:F2:F3:F4:F5", "f0-f1-f2-f3-f4-f5", "MI Band*", "",
      "2a19", "0x2A37", "180f/2a19", "@002a", "@0x2a", "heart-rate-measurement", "battery-level", "ffe3",
      "f03d3d0002f7", "0x01:02", "u16:1000", "i8:-5", "utf8:x", "auto:high", "hex:", "f32:1e9", "-", "@file",
      "-i", "--adapter", "hci0", "--adapter=hci1", "--bus", "unix:path=/x", "--simulate",
      "--simulate=world.json", "--simulate=", "--timeout", "--timeout=1s", "500ms", "1.5s", "0", "2h", "10",
      "--json", "--color", "never", "always", "auto", "blue", "-q", "--quiet", "-v", "-vv", "--verbose",
      "-qv", "--pick", "strongest", "first", "--as", "--as=hex", "u16be", "sfloat", "utf8", "--descriptor",
      "2901",
      "--every", "--count", "3", "-3", "+3", "--from", "values.txt", "--no-response", "--reply",
      "--connected",
      "--paired", "--stay", "--log", "log.ndjson", "log.csv", "--log-rotate", "100M", "24h", "--buffer",
      "64K",
      "--reconnect", "--reconnect-delay", "--all", "--via", "socket", "signal", "--duration", "--service",
      "--name", "--address", "--manufacturer", "004c", "--rssi", "--rssi=-70", "--duplicates", "--passive",
      "--exec", "true", "--event", "found", "--kind", "company", "advert", "\u{1b}[31m", "é", "🎹",
    ]
}

/// What reads a single word: what is read is printed and read again, and means the same.
func checkWord(_ word: String) {
  if let duration = try? DurationArgument(parsing: word), let limit = duration.limit {
    precondition(limit > .zero, "no time: \(word)")
    let isWhole = limit.components.attoseconds % 1_000_000_000_000_000 == 0
    precondition(!isWhole || (try? DurationArgument(parsing: duration.description)) == duration, word)
  }
  if let size = try? SizeArgument(parsing: word) {
    precondition(size.bytes > 0 && (try? SizeArgument(parsing: size.description)) == size, word)
  }
  if let rotation = try? LogRotation(parsing: word) {
    _ = rotation.isDue(size: 1 << 20, begin: Timestamp(seconds: 0, nanoseconds: 0), now: .now)
  }
  if let log = try? LogArgument(parsing: word) {
    precondition(log.path == word || log.kind == .influx)
    if case .broker(let address) = log.kind {
      precondition(!address.host.isEmpty && !address.topic.isEmpty && address.port > 0, word)
    }
  }
  if let log = try? LogArgument(parsing: word), log.isFile, log.kind != .influx {
    let aside = LogRotation.name(for: word, at: Timestamp(seconds: 0, nanoseconds: 0), number: 2)
    precondition((try? LogArgument(parsing: aside))?.kind == log.kind, aside)
  }
  if let device = try? DeviceArgument(parsing: word) {
    precondition((try? DeviceArgument(parsing: device.description)) == device, word)
  }
  if word.utf8.count <= 24 {
    for name in ["MI Band 2", "aaaaaaaaaaaaaaaa", "\u{1b}[31mé\u{202e}", ""] {
      _ = NamePattern(word).rank(of: name)
    }
    precondition(word.isEmpty || word.utf8.contains(0) || NamePattern(word).rank(of: word) == .exact)
  }
  checkValue(word)
  _ = ColorMode(rawValue: word)
  _ = PickRule(rawValue: word)
  precondition(!TerminalSafe.escaped(word).unicodeScalars.contains { $0 == "\n" || $0 == "\u{1b}" })
}

/// Bytes that are read are written in hexadecimal digits, and read again.
private func checkValue(_ word: String) {
  do throws(ArgumentError) {
    switch try ValueArgument(parsing: word) {
    case .bytes(let bytes):
      let again = "hex:" + Hex.string(bytes)
      precondition((try? ValueArgument(parsing: again)) == .bytes(bytes), word)
    case .checksum, .standard, .fields, .standardInput, .file: break
    }
  } catch {
    check(error)
  }
}

/// Names and numbers of UUIDs, which are looked for in long lists.
func checkName(_ word: String) {
  guard word.utf8.count <= 80 else { return }
  do throws(ArgumentError) {
    let characteristic = try CharacteristicArgument(parsing: word)
    precondition((try? CharacteristicArgument(parsing: characteristic.description)) == characteristic, word)
  } catch {
    check(error)
  }
  for number in UUIDLookup(kind: .characteristic).find(word).prefix(2) {
    guard let uuid = number.uuid else { continue }
    precondition((try? BluetoothUUID(parsingCharacteristic: uuid.description)) == uuid)
    _ = UUIDLookup.form(of: uuid)
  }
}

/// Why a word is refused is one harmless line.
private func check(_ error: ArgumentError) {
  let text = error.description
  precondition(!text.isEmpty && !text.unicodeScalars.contains { $0 == "\n" || $0 == "\u{1b}" })
}

extension Unicode.Scalar {
  /// Whether it must not stand in a line by itself; joiners within emoji may.
  var isHarmful: Bool { isHarmfulToTerminals && self != "\u{200d}" && self != "\u{fe0f}" }
}
