// SPDX-License-Identifier: MIT
internal import JSON

/// The keys that words of commands share.
extension Key<CommandFields> {
  static let device = required("device", \.device, Form.address.optional, "The address of the peripheral.")
  static let anyDevice = Key(
    "device", \.device, Form.address, "The address of the device whose objects are meant; without it, all.")
  static let service = Key(
    "service", \.service, Form.service, "The service to look in; without it, all.")
  static let characteristic = required(
    "characteristic", \.characteristic, Form.characteristic.optional,
    "The UUID of the characteristic, or its name: the first one that has it.")
  static let adapter = Key("adapter", \.adapter, Form.adapterName, "The name of the adapter.")
  static let times = Key(
    "times", \.times, Form.integer(0...1_000_000), "How often; without it, until it is taken back.")
  static let duration = Key("for", \.duration, Form.interval, "After how long it is undone.")
  static let delay = required("by", \.delay, Form.duration, "How much later than usual.")
  static let error = Key(
    "error", \.error, Form.errorName, "The name of the error; without a dot, of org.bluez.Error.")
  static let text = Key("text", \.text, Form.plainText("the text of the error"), "The text of the error.")
  static let operation = Key(
    "operation", \.operation, Form.words(AnswerFault.Operation.allCases.map { ($0.rawValue, $0) }),
    "Which requests; without it, all.")
}

extension Form where Value: Hashable {
  /// One of some words.
  static func words(_ words: [(String, Value)]) -> Form {
    let list = words.map { JSONText.quoted($0.0) }.joined(separator: ", ")
    return Form("one of \(list)", .words(words.map(\.0))) { node in
      words.first { $0.0 == node.string }?.1
    } write: { value, json in
      if let word = words.first(where: { $0.1 == value })?.0 { json.value(word) }
    }
  }
}

extension Form<String> {
  /// A text that D-Bus can carry: without NUL.
  static func plainText(_ what: String) -> Form {
    word("\(what), at most 1000 bytes, without U+0000", pattern: "^[^\\u0000]*$") { text in
      text.utf8.count <= 1000 && !text.utf8.contains(0) ? text : nil
    } text: {
      $0
    }
  }

  /// The name of a D-Bus error, or the last word of one of BlueZ's.
  static let errorName = word(
    "the name of an error such as \"InProgress\" or \"org.bluez.Error.Failed\"",
    pattern: "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$"
  ) { text in
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 200 && words.allSatisfy { isMember($0) } ? text : nil
  } text: {
    $0
  }

  /// The name of a D-Bus method.
  static let methodName = word(
    "the name of a method such as \"StartDiscovery\"", pattern: "^[A-Za-z_][A-Za-z0-9_]*$"
  ) { text in
    text.utf8.count <= 200 && isMember(text) ? text : nil
  } text: {
    $0
  }

  private static func isMember(_ word: some StringProtocol) -> Bool {
    guard let first = word.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
