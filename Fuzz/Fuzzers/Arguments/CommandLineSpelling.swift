// SPDX-License-Identifier: MIT

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
      "simulate", "uuid", "decode", "doctor", "monitor", "help", "--help", "-h", "--version", "--",
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
