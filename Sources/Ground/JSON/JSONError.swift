// SPDX-License-Identifier: MIT

/// An error in a text that is not valid JSON, or not the expected JSON.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  package let place: JSONPlace
  /// The path to the wrong value.
  package let pointer: JSONPointer
  /// The expected content, and the actual content.
  package let message: String
  package internal(set) var others: [JSONError] = []

  package init(_ place: JSONPlace, _ pointer: JSONPointer, _ message: String) {
    self.place = place
    self.pointer = pointer
    self.message = message
  }

  package init(_ node: JSONNode, _ message: String) {
    self.init(node.place, node.pointer, message)
  }

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

/// A position in a text.
package struct JSONPlace: Sendable, Hashable, CustomStringConvertible {
  /// The line, counted from 1; lines end at LF.
  package let line: Int
  /// The column in Unicode scalars, counted from 1.
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `12:18`.
  package var description: String { "\(line):\(column)" }
}

/// The path from the root of a JSON text to a value.
package indirect enum JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The whole text.
  case root
  /// The value of a key of an object.
  case key(JSONPointer, String)
  /// An element of an array, counted from 0.
  case element(JSONPointer, Int)

  /// A JSON pointer (RFC 6901): `/peripherals/0/rssi`, with `~1` for a slash and `~0` for a tilde.
  package var description: String {
    switch self {
    case .root: return ""
    case .element(let parent, let index): return "\(parent)/\(index)"
    case .key(let parent, let key):
      var word = ""
      for scalar in key.unicodeScalars {
        switch scalar {
        case "~": word += "~0"
        case "/": word += "~1"
        default: word.unicodeScalars.append(scalar)
        }
      }
      return "\(parent)/\(word)"
    }
  }
}
