// SPDX-License-Identifier: MIT

/// The header of a marshalled message, with the positions of its texts.
///
/// The bytes are not validated. A header that breaks the specification is rejected, which ends the
/// connection.
struct MessageHeader {
  /// The position and length of a text in the message; a negative length means that it is missing.
  struct Place {
    var offset: Int32 = 0
    var count: Int32 = -1
  }

  /// The size of the fixed part, which contains the length of the message.
  static let fixedSize = 16
  /// The specification's limits, in bytes.
  static let longestMessage = 1 << 27
  static let longestFields = 1 << 26

  private(set) var isBigEndian = false
  private(set) var bodyOffset = 0
  private(set) var replySerial: UInt32 = 0
  private(set) var descriptorCount = 0
  private(set) var path = Place()
  private(set) var interface = Place()
  private(set) var member = Place()
  private(set) var errorName = Place()
  private(set) var destination = Place()
  private(set) var sender = Place()
  private(set) var signature = Place()

  /// The codes of the fields in the specification.
  enum Field {
    static let path: UInt8 = 1
    static let interface: UInt8 = 2
    static let member: UInt8 = 3
    static let errorName: UInt8 = 4
    static let replySerial: UInt8 = 5
    static let destination: UInt8 = 6
    static let sender: UInt8 = 7
    static let signature: UInt8 = 8
    static let descriptorCount: UInt8 = 9
  }

  /// The length of the message that starts with these 16 bytes or more; nil if it is not a message, or too long.
  static func length(_ start: UnsafeRawBufferPointer) -> Int? {
    guard start.count >= fixedSize, start[3] == 1,
      start[0] == UInt8(ascii: "l") || start[0] == UInt8(ascii: "B")
    else { return nil }
    var reader = WireReader(start, isBigEndian: start[0] == UInt8(ascii: "B"))
    _ = reader.uint32()
    let body = Int(reader.uint32())
    _ = reader.uint32()
    let fields = Int(reader.uint32())
    let total = fixedSize + (fields + 7) & ~7 + body
    return fields <= longestFields && total <= longestMessage ? total : nil
  }

  /// Reads the header of a complete message; fails if it is malformed.
  init?(_ message: UnsafeRawBufferPointer) {
    guard MessageHeader.length(message) == message.count, let base = message.baseAddress else { return nil }
    isBigEndian = message[0] == UInt8(ascii: "B")
    var reader = WireReader(message, isBigEndian: isBigEndian)
    for _ in 0..<3 { _ = reader.uint32() }
    reader.forEachElement(startingWith: TypeCode.structBegin) { reader in
      let field = reader.byte()
      let type = reader.signature()
      switch field {
      case Field.path where type == "o": path = Place(reader.text(), base)
      case Field.interface where type == "s": interface = Place(reader.text(), base)
      case Field.member where type == "s": member = Place(reader.text(), base)
      case Field.errorName where type == "s": errorName = Place(reader.text(), base)
      case Field.replySerial where type == "u": replySerial = reader.uint32()
      case Field.destination where type == "s": destination = Place(reader.text(), base)
      case Field.sender where type == "s": sender = Place(reader.text(), base)
      case Field.signature where type == "g": signature = Place(reader.signature(), base)
      case Field.descriptorCount where type == "u": descriptorCount = Int(reader.uint32())
      default: reader.skip(type)
      }
    }
    reader.align(8)
    if reader.isMalformed { return nil }
    bodyOffset = reader.offset
  }
}

extension MessageHeader.Place {
  fileprivate init(_ text: WireText, _ base: UnsafeRawPointer) {
    guard let start = text.utf8.baseAddress else { return }
    offset = Int32(truncatingIfNeeded: UnsafeRawPointer(start) - base)
    count = Int32(truncatingIfNeeded: text.utf8.count)
  }
}
