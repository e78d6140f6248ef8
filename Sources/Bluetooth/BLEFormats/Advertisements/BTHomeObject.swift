// SPDX-License-Identifier: MIT

extension BTHome {
  /// One measurement, state or event.
  public struct Object: Sendable, Hashable {
    /// The number of its kind.
    public let identifier: UInt8
    private let kind: BTHomeKind
    /// Its name with the unit at the end: `temperature_celsius`.
    public var key: String { kind.key }
    /// The value.
    public let value: DecodedValue
    /// The symbol of the unit; empty if there is none.
    public var unit: String { kind.symbol }
    /// The bytes after the number of the kind.
    public var bytes: [UInt8] { Array(contents) }
    /// Of the packet, since a copy of each object takes longer than to decode it.
    private let contents: ArraySlice<UInt8>
    /// The prefix of the value in text; empty if the unit shows what is measured.
    var label: String { kind.label }

    /// Takes an object from the front, or returns nil and takes nothing if it is incomplete.
    init?(_ identifier: UInt8, _ kind: BTHomeKind, _ reader: inout ByteReader) {
      var ahead = reader
      guard ahead.unsigned(1) != nil else { return nil }
      let start = ahead.rest
      guard let value = kind.value(&ahead) else { return nil }
      reader = ahead
      self.init(identifier, kind, value, start.dropLast(ahead.rest.count))
    }

    private init(
      _ identifier: UInt8, _ kind: BTHomeKind, _ value: DecodedValue, _ contents: ArraySlice<UInt8>
    ) { (self.identifier, self.kind, self.value, self.contents) = (identifier, kind, value, contents) }

    /// Encodes a value by the name of its kind, with or without its unit, or by the kind's number.
    ///
    /// Several kinds can have the same name. The first one of the table that represents the value exactly is
    /// used, or else the first one that is large enough, rounded.
    ///
    /// ```swift
    /// try BTHome.Object("temperature", "21.5")      // object 02, in hundredths of a degree
    /// try BTHome.Object("count", "70000")           // object 3e, the first that is large enough
    /// try BTHome.Object("0x57", "21.5")             // object 57, in degrees: 22
    /// ```
    ///
    /// - Parameters:
    ///   - name: a name or a number: `temperature`, `mass_kg`, `0x45`.
    ///   - text: the value as it is decoded, without its unit: `21.5`, `yes`, `double press`.
    /// - Throws: if no kind has this name, the unit is ambiguous, or the value is invalid or out of range.
    public init(_ name: String, _ text: String) throws(FormatError) {
      let choice = try BTHomeChoice(name: name, text: text)
      let (identifier, kind, bytes) = try choice.best()
      var reader = ByteReader(bytes)
      guard let value = kind.value(&reader) else { throw FormatError(text, "is not a value of \(kind.key)") }
      self.init(identifier, kind, value, bytes[...])
    }
  }
}
