// SPDX-License-Identifier: MIT
internal import DBus

/// A property that was skipped because its type is not the documented one.
struct PropertyTypeMismatch: Hashable {
  var path: String
  var interface: String
  var property: String
  var signature: String
}

extension WireReader {
  /// Passes each property of an `a{sv}` to `apply`, and collects those of the wrong type.
  mutating func readProperties(
    of path: String, _ interface: WireText, mismatches: inout [PropertyTypeMismatch],
    _ apply: (WireText, WireText, inout WireReader) -> PropertyOutcome
  ) {
    forEachProperty { key, signature, reader in
      guard apply(key, signature, &reader) == .wrongType else { return }
      mismatches.append(
        PropertyTypeMismatch(
          path: path, interface: interface.string, property: key.string, signature: signature.string))
    }
  }
}
