// SPDX-License-Identifier: MIT

/// Why a text is not valid JSON, or not the expected JSON.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The position.
  package let place: JSONPlace
  /// The value that is wrong.
  package let pointer: JSONPointer
  /// What was expected, and what was found.
  package let message: String
  /// Further errors in the text.
  package internal(set) var others: [JSONError] = []

  /// An error at a position.
  package init(_ place: JSONPlace, _ pointer: JSONPointer, _ message: String) {
    self.place = place
    self.pointer = pointer
    self.message = message
  }

  /// An error about a value.
  package init(_ node: JSONNode, _ message: String) {
    self.init(node.place, node.pointer, message)
  }

  /// This error and the further ones, separately.
  var all: [JSONError] {
    guard !others.isEmpty else { return [self] }
    var first = self
    first.others = []
    return [first] + others
  }

  /// `12:18: /peripherals/0/rssi: expected …`; without the pointer for the whole text.
  package var description: String {
    let pointer = pointer.description
    return pointer.isEmpty ? "\(place): \(message)" : "\(place): \(pointer): \(message)"
  }
}
