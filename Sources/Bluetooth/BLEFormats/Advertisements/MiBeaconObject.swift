// SPDX-License-Identifier: MIT

extension MiBeacon {
  /// An event or attribute.
  public struct Object: Sendable, Hashable {
    /// The number of its kind.
    public let identifier: UInt16
    /// The bytes after the number and the length.
    public let bytes: [UInt8]
    /// The product, on which the meaning of some objects depends.
    private let product: UInt16

    /// Takes an object from the front, or returns nil and takes nothing if it is incomplete.
    init?(_ reader: inout ByteReader, of product: UInt16) {
      var ahead = reader
      guard let identifier = ahead.unsigned(2), let count = ahead.unsigned(1), let bytes = ahead.bytes(count)
      else { return nil }
      reader = ahead
      (self.identifier, self.bytes, self.product) = (UInt16(identifier), bytes, product)
    }

    /// The values, with their units in the keys; the bytes of an unknown kind are `object_4c99`.
    ///
    /// So are those of a known kind with more bytes than it has: they mean something else.
    public var fields: DecodedFields {
      let number = identifier.fourDigits
      guard let kind = MiBeaconKind(identifier, of: product, size: bytes.count) else { return unknown() }
      var fields = kind.decode(bytes)
      if fields.problems.isEmpty, !fields.rest.isEmpty {
        let known = bytes.count - fields.rest.count
        return unknown("object \(number) has \(bytes.count) bytes, and the meaning of \(known) is known")
      }
      if !fields.rest.isEmpty {
        fields.add("object_\(number)_rest", .bytes(fields.rest), label: "rest of object \(number)")
        fields.rest = []
      }
      return fields
    }

    private func unknown(_ problem: String? = nil) -> DecodedFields {
      var fields = DecodedFields()
      let number = identifier.fourDigits
      fields.add("object_\(number)", .bytes(bytes), label: "object \(number)")
      if let problem { fields.problems = [problem] }
      return fields
    }
  }
}

/// A kind of object in MiBeacon, and the format of its bytes.
struct MiBeaconKind: Sendable {
  /// The meaning of the object, regardless of its bytes.
  let event: DecodedFields.Field?
  let layout: ValueLayout
  /// Changes the decoded fields where a layout does not describe them.
  private let finish: (@Sendable (inout DecodedFields) -> Void)?

  init(
    _ event: DecodedFields.Field? = nil, parts: [LayoutPart],
    finish: (@Sendable (inout DecodedFields) -> Void)? = nil
  ) {
    self.event = event
    self.finish = finish
    layout = ValueLayout("", parts: parts)
  }

  /// Creates the kind of an object of a product, or returns nil if it is not known.
  init?(_ identifier: UInt16, of product: UInt16, size: Int) {
    guard
      let kind = Self.special(identifier, product, size) ?? Self.event(identifier) ?? Self.attribute(
        identifier) ?? Self.vendor(identifier)
        ?? Self.product(identifier) ?? Self.productEvent(identifier)
    else { return nil }
    self = kind
  }

  func decode(_ bytes: [UInt8]) -> DecodedFields {
    var fields = layout.decode(bytes)
    if let event { fields.fields.insert(event, at: 0) }
    finish?(&fields)
    return fields
  }

  static func fields(_ parts: LayoutPart...) -> MiBeaconKind { MiBeaconKind(parts: parts) }

  static func state(_ key: String, _ label: String) -> MiBeaconKind { fields(.choice(key, label, .yesOrNo)) }

  static func choice(_ key: String, _ label: String, _ choice: Choice) -> MiBeaconKind {
    fields(.choice(key, label, choice))
  }

  /// Motion, and more.
  static func motion(_ parts: LayoutPart...) -> MiBeaconKind {
    MiBeaconKind(DecodedFields.Field(key: "motion", value: true, label: "motion", unit: ""), parts: parts)
  }

  /// A button that was pressed, and its number if the device has several.
  static func press(_ name: String) -> MiBeaconKind {
    MiBeaconKind(
      DecodedFields.Field(key: "button", value: .text(name), label: "button", unit: ""),
      parts: [.number("button_number", "number", .u8).optional])
  }
}
