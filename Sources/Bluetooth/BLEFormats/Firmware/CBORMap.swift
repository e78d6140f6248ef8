// SPDX-License-Identifier: MIT

/// A map of CBOR; it keeps the order of its entries.
package struct CBORMap: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// The keys and values; a device may send a key twice.
  package private(set) var entries: [(key: CBORValue, value: CBORValue)]

  init(entries: [(CBORValue, CBORValue)]) {
    self.entries = entries.map { (key: $0.0, value: $0.1) }
  }

  package init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(entries: elements) }

  /// Creates a map whose keys are texts.
  package init(_ entries: some Sequence<(String, CBORValue)>) {
    self.entries = entries.map { (key: .text($0.0), value: $0.1) }
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// The value of a key that is a text: the first one; nil removes the key.
  package subscript(_ key: String) -> CBORValue? {
    get { entries.first { $0.key == .text(key) }?.value }
    set {
      let place = entries.firstIndex { $0.key == .text(key) }
      switch (place, newValue) {
      case (let place?, let value?): entries[place].value = value
      case (let place?, nil): entries.remove(at: place)
      case (nil, let value?): entries.append((key: .text(key), value: value))
      case (nil, nil): break
      }
    }
  }

  mutating func append(_ key: CBORValue, _ value: CBORValue) { entries.append((key: key, value: value)) }

  package static func == (left: Self, right: Self) -> Bool {
    left.entries.elementsEqual(right.entries) { $0.key == $1.key && $0.value == $1.value }
  }
}
