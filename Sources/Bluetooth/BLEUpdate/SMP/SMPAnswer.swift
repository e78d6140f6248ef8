// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The sign that an answer has a value of another type than the one that was asked for.
struct WrongType: Error {}

extension CBORMap {
  /// Returns the value of a key, as a type; nil if the answer has none.
  func value<Value>(_ key: String, as read: (CBORValue) -> Value?) throws(WrongType) -> Value? {
    switch self[key] {
    case nil, .null?: return nil
    case let found?:
      guard let value = read(found) else { throw WrongType() }
      return value
    }
  }

  /// The output and the status of a shell command; an answer must have one of them.
  var shellOutcome: (output: String, status: Int) {
    get throws(WrongType) {
      let output = try value("o", as: \.text)
      let (own, other) = (try value("ret", as: \.int), try value("rc", as: \.int))
      if output == nil, own == nil, other == nil { throw WrongType() }
      return (output ?? "", own ?? other ?? 0)
    }
  }

  /// Returns the list of a key, whose entries are all read; an answer must have it.
  func list<Entry>(
    _ key: String, of read: (CBORMap) throws(WrongType) -> Entry
  ) throws(WrongType) -> [Entry] {
    guard let entries = self[key]?.array else { throw WrongType() }
    return try entries.map { entry throws(WrongType) -> Entry in
      guard let map = entry.map else { throw WrongType() }
      return try read(map)
    }
  }
}

extension CBORValue {
  /// The number, if it counts something.
  var count: Int? { int.flatMap { $0 < 0 ? nil : $0 } }

  /// The flag; some servers write it as a number.
  var flag: Bool? { bool ?? int.map { $0 != 0 } }
}
