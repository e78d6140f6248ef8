// SPDX-License-Identifier: MIT
internal import JSON

/// Chooses the kind of object for a named value.
struct BTHomeChoice {
  typealias Candidate = (identifier: UInt8, kind: BTHomeKind)

  /// The kinds by their names, with and without the unit, in the order of the table.
  private static let named: [String: [Candidate]] = BTHomeKind.all.reduce(into: [:]) { named, candidate in
    for name in Set([candidate.kind.key, candidate.kind.name]) { named[name, default: []].append(candidate) }
  }

  private let text: String
  private let candidates: [Candidate]

  /// Finds the possible kinds; throws if there is none, or if they have different units.
  init(name: String, text: String) throws(FormatError) {
    self.text = text
    let wanted = name.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
    if wanted.hasPrefix("0x") {
      let bytes = Hex.bytes(wanted.dropFirst(2)) ?? []
      guard bytes.count == 1, let kind = BTHomeKind.of(bytes[0]) else {
        throw FormatError(name, "is not an object of BTHome")
      }
      candidates = [(bytes[0], kind)]
      return
    }
    let named = Self.named[wanted] ?? []
    if named.isEmpty {
      let words = BTHomeKind.all.flatMap { [$0.kind.name, $0.kind.key] }
      let advice = Spelling.advice(for: wanted, among: words) ?? "use one such as temperature or battery"
      throw FormatError(name, "is not a measurement, state or event of BTHome; \(advice)")
    }
    // Power, gas and moisture are a number or a state: the value decides.
    let isNumber = DecimalNumber(text) != nil && named.contains(where: \.kind.isNumeric)
    let states = named.filter { !$0.kind.isNumeric }
    candidates = isNumber || states.isEmpty ? named.filter(\.kind.isNumeric) : states
    let keys = candidates.reduce(into: [String]()) { keys, candidate in
      if !keys.contains(candidate.kind.key) { keys.append(candidate.kind.key) }
    }
    if keys.count > 1 { throw FormatError(name, "has several units: use \(keys.joined(separator: " or "))") }
  }

  /// Returns the kind that represents the value exactly, or else the first one that is large enough.
  func best() throws(FormatError) -> (identifier: UInt8, kind: BTHomeKind, bytes: [UInt8]) {
    var failure = FormatError(text, "is not a value")
    var rounded: (UInt8, BTHomeKind, [UInt8])?
    for (identifier, kind) in candidates {
      do throws(FormatError) {
        let bytes = try kind.bytes(of: text)
        if kind.isExact(bytes, text) { return (identifier, kind, bytes) }
        rounded = rounded ?? (identifier, kind, bytes)
      } catch {
        failure = FormatError(error.text, "\(error.reason) (\(kind.key))")
      }
    }
    if let rounded { return rounded }
    if let limits = limits, DecimalNumber(text) != nil {
      throw FormatError(text, "is out of range: \(limits) (\(candidates[0].kind.key))")
    }
    throw failure
  }

  /// The smallest and the largest number that any of the kinds can represent.
  private var limits: String? {
    let shapes = candidates.compactMap { candidate in
      if case .number(let shape) = candidate.kind.shape { shape } else { nil }
    }
    let ends = shapes.flatMap { [$0.range.lowerBound, $0.range.upperBound].map($0.value(of:)) }
      .map(\.text).sorted { Double($0) ?? 0 < Double($1) ?? 0 }
    guard let first = ends.first, let last = ends.last else { return nil }
    return "\(first) to \(last)"
  }
}

extension BTHomeKind {
  /// Returns whether the bytes represent the value exactly.
  fileprivate func isExact(_ bytes: [UInt8], _ text: String) -> Bool {
    guard isNumeric else { return true }
    var reader = ByteReader(bytes)
    guard let value = value(&reader), let shown = DecimalNumber(value.text), let typed = DecimalNumber(text)
    else { return false }
    return shown.reduced == typed.reduced
  }
}
