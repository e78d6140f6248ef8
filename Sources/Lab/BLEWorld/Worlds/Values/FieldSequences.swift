// SPDX-License-Identifier: MIT

/// The values of several fields, one after another from the first.
struct FieldSequences {
  private struct Field {
    let name: String
    var sequence: FieldSequence
    /// The current value; nil before the first one.
    var text: String?

    var pair: (name: String, text: String)? { text.map { (name, $0) } }
  }

  private var fields: [Field]

  /// `elements` returns the number of elements that a field has.
  init(_ specs: [FieldSpec], elements: (_ name: String) -> Int = { _ in 1 }) {
    fields = specs.map {
      Field(name: $0.name, sequence: FieldSequence($0.source, elements: elements($0.name)))
    }
  }

  /// Moves on to the next values, and encodes them.
  mutating func next<Value, Failure: Error>(
    _ encode: ([(name: String, text: String)]) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Whether an open counter fits depends on the others.
    for isOpen in [false, true] {
      for index in fields.indices where fields[index].sequence.isOpen == isOpen {
        var sequence = fields[index].sequence
        var changed = fields
        let text = sequence.next { text in
          changed[index].text = text
          return (try? encode(changed.compactMap(\.pair))) != nil
        }
        (fields[index].sequence, fields[index].text) = (sequence, text)
      }
    }
    return try encode(fields.compactMap(\.pair))
  }
}

/// The values of a field, one after another from the first, as texts.
private struct FieldSequence {
  private let source: FieldSpec.Source
  /// The number of elements of the field.
  private let count: Int
  private var index = 0
  private var numbers: NumberSequence?
  private var elements: [FieldSequence] = []

  init(_ source: FieldSpec.Source, elements count: Int) {
    (self.source, self.count) = (source, count)
    switch source {
    case .constant, .list: break
    case .numbers(let rule): numbers = NumberSequence(rule)
    case .elements(let sources): elements = sources.map { FieldSequence($0, elements: 1) }
    }
  }

  /// True if it has a counter that restarts where the format has no room for it.
  var isOpen: Bool {
    if case .numbers(.counter(let counter)) = source { return counter.last == nil }
    return elements.contains { $0.isOpen }
  }

  /// Returns the next value; `fits` tells whether the format has it, and is called only for open counters.
  mutating func next(_ fits: (String) -> Bool) -> String? {
    defer { index += 1 }
    switch source {
    case .constant(let word): return word.text
    case .list(let words): return words.isEmpty ? nil : words[index % words.count].text
    case .numbers:
      let count = count
      let texts = (0..<count).compactMap { _ in nextNumber { fits(FieldSpec.list($0, of: count)) } }
      return texts.isEmpty ? nil : texts.joined(separator: ",")
    case .elements:
      // What fits one element fits each.
      let count = elements.count
      let texts = elements.indices.compactMap { elements[$0].next { fits(FieldSpec.list($0, of: count)) } }
      return texts.isEmpty ? nil : texts.joined(separator: ",")
    }
  }

  private mutating func nextNumber(_ fits: (String) -> Bool) -> String? {
    let isOpen = isOpen
    return numbers?.next { number in
      let text = FieldSpec.Word.text(number)
      return isOpen && !fits(text) ? nil : text
    }
  }
}

extension FieldSpec {
  /// The text of a list whose elements are equal.
  static func list(_ element: String, of count: Int) -> String {
    Array(repeating: element, count: count).joined(separator: ",")
  }
}
