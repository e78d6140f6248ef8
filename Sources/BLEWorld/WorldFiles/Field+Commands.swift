// SPDX-License-Identifier: MIT
internal import JSON

/// The keys that several commands share.
extension Field<CommandObject> {
  static let device = required("device", \.device, Codec.address.optional, "The address of the peripheral.")
  static let anyDevice = Field(
    "device", \.device, Codec.address,
    "Only calls to the objects of the device with this address. Default: all objects.")
  static let service = Field(
    "service", \.service, Codec.service, "The service that contains the characteristic. Default: any.")
  static let characteristic = required(
    "characteristic", \.characteristic, Codec.characteristic.optional,
    "The UUID or the name of the characteristic; the first match is used.")
  static let adapter = Field("adapter", \.adapter, Codec.adapterName, "The name of the adapter.")
  static let times = Field(
    "times", \.times, Codec.integer(0...1_000_000), "How many times. Default: until undone.")
  static let duration = Field("for", \.duration, Codec.interval, "Undo it after this time.")
  static let delay = required("by", \.delay, Codec.duration, "The additional delay.")
  static let error = Field(
    "error", \.error, Codec.errorName, "The D-Bus error name; a name without a dot is one of org.bluez.Error."
  )
  static let text = Field("text", \.text, Codec.plainText("the text of the error"), "The text of the error.")
  static let operation = Field(
    "operation", \.operation, Codec.words(AnswerFault.Operation.allCases.map { ($0.rawValue, $0) }),
    "The kind of request. Default: all.")
}

extension Codec where Value: Hashable {
  /// One of several words.
  static func words(_ words: [(String, Value)]) -> Codec {
    let list = words.map { JSONText.quoted($0.0) }.joined(separator: ", ")
    return Codec("one of \(list)", .words(words.map(\.0))) { node in
      words.first { $0.0 == node.string }?.1
    } write: { value, json in
      if let word = words.first(where: { $0.1 == value })?.0 { json.value(word) }
    }
  }
}

extension Codec<String> {
  /// A text that D-Bus can carry, without NUL.
  static func plainText(_ what: String) -> Codec {
    word("\(what), at most 1000 bytes, without U+0000", pattern: "^[^\\u0000]*$") { text in
      text.utf8.count <= 1000 && !text.utf8.contains(0) ? text : nil
    } text: {
      $0
    }
  }

  /// The name of a D-Bus error, or the last part of one of BlueZ's.
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
