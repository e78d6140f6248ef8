// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// The keys that several commands share.
extension Field {
  typealias Key<Value> = any (WritableKeyPath<Owner, Value> & Sendable)

  static func device(_ key: Key<String>) -> Field {
    required("device", key, .address, "The address of the peripheral.")
  }

  static func service(_ key: Key<BluetoothUUID?>) -> Field {
    Field("service", key, Codec.service, "The service that contains the characteristic. Default: any.")
  }

  static func characteristic(_ key: Key<BluetoothUUID>) -> Field {
    required(
      "characteristic", key, .characteristic,
      "The UUID or the name of the characteristic; the first match is used.")
  }

  static func adapter(_ key: Key<String>) -> Field {
    Field("adapter", key, .adapterName, "The name of the adapter.")
  }

  static func times(_ key: Key<Int?>) -> Field {
    Field("times", key, Codec.integer(0...1_000_000), "How many times. Default: until undone.")
  }

  static func delay(_ key: Key<Duration>) -> Field { required("by", key, .duration, "The additional delay.") }

  static func error(_ key: Key<String?>) -> Field {
    Field(
      "error", key, Codec.errorName,
      "The D-Bus error name; a name without a dot is one of org.bluez.Error.")
  }

  static func text(_ key: Key<String?>) -> Field {
    Field("text", key, Codec.plainText("the text of the error"), "The text of the error.")
  }

  static func operation(_ key: Key<AnswerFault.Operation?>) -> Field {
    Field(
      "operation", key, Codec.words(AnswerFault.Operation.allCases.map { ($0.rawValue, $0) }),
      "The kind of request. Default: all.")
  }
}

struct ErrorKeys: Sendable, Equatable {
  /// The name; one without a dot is one of `org.bluez.Error`.
  var name: String?
  var text: String?

  private static let prefix = "org.bluez.Error."

  init() {}

  init(_ error: BlueZError) {
    let isShort = error.name.hasPrefix(ErrorKeys.prefix)
    name = isShort ? String(error.name.dropFirst(ErrorKeys.prefix.count)) : error.name
    text = error.text
  }

  /// Nil without name and text.
  var error: BlueZError? {
    if name == nil, text == nil { return nil }
    let name = name ?? "Failed"
    return BlueZError(name.contains(".") ? name : ErrorKeys.prefix + name, text ?? "")
  }
}

extension Codec where Value: Hashable {
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
  /// A text that D-Bus can carry, so without NUL.
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
