// SPDX-License-Identifier: MIT

/// The interfaces of an object with their properties, as an ObjectManager sends them: `a{sa{sv}}`.
extension WireReader {
  /// Calls `body` for each interface, at its properties (`a{sv}`), of which it may read any part.
  package mutating func forEachInterface(_ body: (_ interface: WireText, inout WireReader) -> Void) {
    forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let interface = reader.text()
      guard let end = reader.endOfProperties() else { return }
      body(interface, &reader)
      if !reader.isMalformed { reader.jump(to: end) }
    }
  }

  /// Returns the end of the `a{sv}` that starts here; nil and malformed if it is outside the body.
  private mutating func endOfProperties() -> Int? {
    align(4)
    let start = offset
    let count = Int(uint32())
    align(8)
    let end = offset + count
    jump(to: end)
    if isMalformed { return nil }
    jump(to: start)
    return end
  }

  /// Finds a property of the `a{sv}` that starts here; returns the signature of the value, which follows.
  package mutating func findProperty(_ name: StaticString) -> WireText? {
    guard let end = endOfProperties() else { return nil }
    _ = uint32()
    align(8)
    while offset < end, !isMalformed {
      align(8)
      let key = text()
      let signature = signature()
      if isMalformed { return nil }
      if key == name { return signature }
      skip(signature)
    }
    return nil
  }
}
