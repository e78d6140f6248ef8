// SPDX-License-Identifier: MIT
internal import Foundation

/// A JSON record as a test looks at it.
package struct JSONRecord: @unchecked Sendable {
  /// Never changed after it was parsed.
  private let value: Any

  /// The records of some lines of JSON.
  ///
  /// - Throws: when a line is not a JSON object.
  package static func parse(_ lines: [String]) throws -> [JSONRecord] {
    try lines.map { JSONRecord(value: try JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  private init(value: Any) { self.value = value }

  package subscript(key: String) -> JSONRecord? {
    (value as? [String: Any])?[key].map { JSONRecord(value: $0) }
  }

  package subscript(index: Int) -> JSONRecord? {
    guard let array = value as? [Any], array.indices.contains(index) else { return nil }
    return JSONRecord(value: array[index])
  }

  package var text: String? { value as? String }
  package var number: Int? { value as? Int }
  package var real: Double? { value as? Double }
  package var flag: Bool? { value as? Bool }
  package var elements: [JSONRecord] { (value as? [Any])?.map { JSONRecord(value: $0) } ?? [] }
  package var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
}

extension ToolResult {
  /// The output as JSON, a record a line.
  package var records: [JSONRecord] {
    get throws { try JSONRecord.parse(lines) }
  }
}
