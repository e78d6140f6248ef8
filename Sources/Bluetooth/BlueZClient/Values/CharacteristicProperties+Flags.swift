// SPDX-License-Identifier: MIT

extension CharacteristicProperties: CustomStringConvertible {
  /// Each property with BlueZ's flag for it, in the order of their listing: the most interesting ones first.
  private static let flags: [(property: Self, word: StaticString)] = [
    (.read, "read"),
    (.writeWithoutResponse, "write-without-response"),
    (.write, "write"),
    (.notify, "notify"),
    (.indicate, "indicate"),
    (.broadcast, "broadcast"),
    (.authenticatedSignedWrites, "authenticated-signed-writes"),
    (.extendedProperties, "extended-properties"),
    (.reliableWrite, "reliable-write"),
    (.writableAuxiliaries, "writable-auxiliaries"),
  ]

  /// Makes the property of a flag of BlueZ; nil for flags with other meanings, such as `encrypt-read`.
  ///
  /// - Parameter flag: the flag, such as `write-without-response`.
  public init?(flag: some StringProtocol) {
    var flag = String(flag)
    let parsed = flag.withUTF8 { Self(flagUTF8: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Makes the property of a flag in ASCII, or nil; allocates nothing.
  ///
  /// - Parameter flagUTF8: the characters, without a terminating NUL.
  public init?(flagUTF8: UnsafeRawBufferPointer) {
    for (property, word) in Self.flags where word.utf8CodeUnitCount == flagUTF8.count {
      if flagUTF8.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)) {
        self = property
        return
      }
    }
    return nil
  }

  /// Makes the properties of BlueZ's flags; flags with other meanings are skipped.
  ///
  /// - Parameter flags: the flags, in any order.
  public init(flags: some Sequence<some StringProtocol>) {
    self = flags.reduce(into: []) { sum, flag in sum.formUnion(Self(flag: flag) ?? []) }
  }

  /// BlueZ's flags for the properties, always in the same order: `read` first.
  public var names: [String] {
    Self.flags.filter { contains($0.property) }.map(\.word.description)
  }

  /// The flags with commas between them: `read, notify`.
  public var description: String { names.joined(separator: ", ") }
}
