// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Checks that the values of fields can be encoded.
struct FieldCheck {
  let fields: [FieldSpec]
  /// The object of the fields.
  let place: JSONNode
  /// The noun of a format whose values they are.
  let format: String
  /// Returns the number of elements that a field has.
  var elements: (_ name: String) -> Int = { _ in 1 }

  /// A text of a field, and the JSON pointer below the field to what is wrong if it cannot be encoded.
  typealias Candidate = (text: String, pointer: String)

  /// Encodes the extreme values of each field beside the first values of the others, and returns the first ones.
  func run<Value>(
    _ encode: ([(name: String, text: String)]) throws(FormatError) -> Value
  ) throws(JSONError) -> Value {
    let candidates = fields.map { $0.source.candidates(elements($0.name)) }
    let first = zip(fields, candidates).map { (name: $0.name, text: $1.first?.text ?? "") }
    let result: Value
    do throws(FormatError) { result = try encode(first) } catch {
      let index = wrong(error, in: first)
      throw fault(error, at: index, index.flatMap { candidates[$0].first?.pointer } ?? "")
    }
    for (index, candidates) in candidates.enumerated() {
      for candidate in candidates.dropFirst() {
        var values = first
        values[index].text = candidate.text
        do throws(FormatError) { _ = try encode(values) } catch {
          throw fault(error, at: index, candidate.pointer)
        }
      }
    }
    return result
  }

  /// Returns the field that an error is about: it names the field, or says its text.
  private func wrong(_ error: FormatError, in values: [(name: String, text: String)]) -> Int? {
    values.firstIndex { $0.name == error.text }
      ?? values.firstIndex { $0.text == error.text && error.reason.contains("(\($0.name)") }
      ?? values.firstIndex { $0.text == error.text }
  }

  private func fault(_ error: FormatError, at index: Int?, _ pointer: String) -> JSONError {
    let field = index.flatMap { place[fields[$0].name] }
    return JSONError(field?.at(pointer) ?? place, "expected values of \(format): \(error)")
  }
}

extension FieldSpec.Source {
  /// The first value, and all that may not fit the format, of a field with some number of elements.
  fileprivate func candidates(_ count: Int) -> [FieldCheck.Candidate] {
    switch self {
    case .constant(let word): return [(word.text, "")]
    case .list(let words): return words.enumerated().map { ($0.element.text, "list/\($0.offset)") }
    case .numbers(let rule):
      let written = rule.written
      return ([written.start] + written.extremes).map { number, key in
        let text = FieldSpec.list(FieldSpec.Word.text(number), of: count)
        return (text, "\(type(of: written).tag)/\(key)")
      }
    case .elements(let sources):
      let candidates = sources.map { $0.candidates(1) }
      let first = candidates.map { $0.first?.text ?? "" }
      var result: [FieldCheck.Candidate] = [(first.joined(separator: ","), "")]
      for (index, candidates) in candidates.enumerated() {
        for candidate in candidates {
          var texts = first
          texts[index] = candidate.text
          result.append((texts.joined(separator: ","), "\(index)/\(candidate.pointer)"))
        }
      }
      return result
    }
  }
}

extension LayoutRule {
  /// The number of values in the longest list of a field, at least 1.
  var longestList: Int {
    fields.reduce(1) { longest, field in
      if case .list(let words) = field.source { max(longest, words.count) } else { longest }
    }
  }

  /// Refuses fields that the layout does not have, and values that do not fit it.
  func check(_ node: JSONNode) throws(JSONError) {
    let layout = layout.layout
    let place = node["fields"] ?? node["layout"] ?? node
    for field in fields where layout.elementCount(of: field.name) == nil {
      switch field.source {
      case .constant, .list, .elements: break
      case .numbers:
        throw JSONError(
          place[field.name] ?? place,
          "expected an array or a text, because the layout does not say how many numbers \(field.name) has")
      }
    }
    let check = FieldCheck(fields: fields, place: place, format: "the layout") {
      layout.elementCount(of: $0) ?? 1
    }
    let midnight = CivilTime(microseconds: 0)
    _ = try check.run { fields throws(FormatError) in
      let bytes = try layout.encode(fields: fields, at: midnight)
      if bytes.count > 512 { throw FormatError("\(bytes.count) bytes", "are too many; 512 fit") }
      return bytes
    }
  }
}
