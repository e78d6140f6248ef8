// SPDX-License-Identifier: MIT

/// Steps through the type codes of signatures.
enum SignatureScanner {
  /// The maximum nesting of containers: D-Bus allows 32 arrays and 32 structures.
  static let maximumDepth = 64

  /// Steps over one complete type; returns false if the signature ends within it.
  static func skipOne(_ signature: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
    while index < signature.count, signature[index] == TypeCode.array { index += 1 }
    guard index < signature.count else { return false }
    let first = signature[index]
    index += 1
    guard first == TypeCode.structBegin || first == TypeCode.entryBegin else { return true }
    var depth = 1
    while depth > 0 {
      guard index < signature.count else { return false }
      switch signature[index] {
      case TypeCode.structBegin, TypeCode.entryBegin: depth += 1
      case TypeCode.structEnd, TypeCode.entryEnd: depth -= 1
      default: break
      }
      index += 1
    }
    return true
  }

  /// Returns the text of one complete type that starts at `index`, and moves `index` to its end.
  static func takeOne(_ signature: UnsafeRawBufferPointer, _ index: inout Int) -> String? {
    let start = index
    guard skipOne(signature, &index) else { return nil }
    return String(decoding: UnsafeRawBufferPointer(rebasing: signature[start..<index]), as: UTF8.self)
  }
}
