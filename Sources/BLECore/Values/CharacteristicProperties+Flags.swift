// SPDX-License-Identifier: MIT

extension CharacteristicProperties: CustomStringConvertible {
  /// Each property beside BlueZ's word for it, in the order in which they are listed: what most people look
  /// for first.
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

  /// The property that a word of BlueZ's `Flags` names, or nil for words that say something else
  /// (`encrypt-read`).
  ///
  /// - Parameter flag: the word, such as `write-without-response`.
  public init?(flag: some StringProtocol) {
    var flag = String(flag)
    let parsed = flag.withUTF8 { Self(flagUTF8: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// The property that the ASCII bytes of a word of `Flags` name, or nil; nothing is allocated.
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

  /// The properties that the words of BlueZ's `Flags` name; words that say something else are skipped.
  ///
  /// - Parameter flags: the words, in any order.
  public init(flags: some Sequence<some StringProtocol>) {
    self = flags.reduce(into: []) { sum, flag in sum.formUnion(Self(flag: flag) ?? []) }
  }

  /// BlueZ's words for the properties, always in the same order: `read` first.
  public var names: [String] {
    Self.flags.filter { contains($0.property) }.map(\.word.description)
  }

  /// The words with commas between them: `read, notify`.
  public var description: String { names.joined(separator: ", ") }
}
