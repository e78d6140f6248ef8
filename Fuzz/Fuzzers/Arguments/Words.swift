// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

@testable internal import BlectlCommands
@testable internal import TerminalOutput
@testable internal import ValueLogs

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
    _ = rotation.isDue(size: 1 << 20, begin: Timestamp(seconds: 0, nanoseconds: 0))
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
    case .standard, .standardInput, .file: break
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
