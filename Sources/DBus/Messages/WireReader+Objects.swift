// SPDX-License-Identifier: MIT

/// What an ObjectManager tells of an object: `a{sa{sv}}`, its interfaces with their properties.
extension WireReader {
  /// Calls `body` at the properties of each interface, an `a{sv}`, of which it reads as much as it likes.
  package mutating func forEachInterface(_ body: (_ interface: WireText, inout WireReader) -> Void) {
    forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let interface = reader.text()
      guard let end = reader.endOfProperties() else { return }
      body(interface, &reader)
      if !reader.isMalformed { reader.jump(to: end) }
    }
  }

  /// Where the `a{sv}` ends that begins here; nil, and malformed, when that is outside.
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

  /// Finds a property of the `a{sv}` that begins here.
  ///
  /// - Parameter name: the property's name.
  /// - Returns: the signature of its value, which stands next; nil when there is no such property.
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
