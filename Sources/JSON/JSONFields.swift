// SPDX-License-Identifier: MIT

/// Fields of an object, written once to be copied into many: for lines, not for indented files.
package struct JSONFields: Sendable {
  let bytes: [UInt8]

  /// Writes them.
  package init(_ fields: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    fields(&json)
    bytes = json.bytes
  }
}
