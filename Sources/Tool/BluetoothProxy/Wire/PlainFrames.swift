// SPDX-License-Identifier: MIT

/// Frames without encryption: a zero, the size of the body, the type, the body; both numbers are varints.
struct PlainFrames: Sendable {
  private let isTurningAway: Bool
  private var isEstablished = false

  init(isTurningAway: Bool) { self.isTurningAway = isTurningAway }

  /// The most bytes in front of a body.
  private static let longestHeader = 6

  static func frame(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.varint(0)
    writer.varint(UInt64(body.count))
    writer.varint(UInt64(type))
    return writer.bytes + body
  }

  /// Takes the next frame; returns false if it is not complete.
  mutating func step(
    _ rest: inout ArraySlice<UInt8>, _ events: inout [ProxyTransport.Event]
  ) throws(Refusing) -> Bool {
    guard let marker = rest.first else { return false }
    guard marker == 0 else {
      // Clients tell by the zero in front that there is no encryption here.
      throw Refusing(
        refusal: marker == 1 && !isEstablished ? .wantsEncryption : .notTheProtocol,
        farewell: isEstablished ? [] : [0] + Array("Bad indicator byte".utf8))
    }
    if isTurningAway { throw Refusing(refusal: .turnedAway, farewell: []) }
    if !isEstablished {
      isEstablished = true
      events.append(.established)
    }
    var ahead = rest.dropFirst().prefix(Self.longestHeader - 1)
    let isWhole = ahead.count == Self.longestHeader - 1
    guard let size = Self.varint(&ahead) else { return try Self.missing(isWhole) }
    guard size <= Refusing.longestFrame else { throw Refusing(refusal: .tooLong, farewell: []) }
    guard let number = Self.varint(&ahead) else { return try Self.missing(isWhole) }
    guard let type = UInt16(exactly: number) else { throw Refusing(refusal: .notTheProtocol, farewell: []) }
    let body = rest[ahead.startIndex...].prefix(size)
    guard body.count == size else { return false }
    rest = rest[body.endIndex...]
    events.append(ProxyTransport.Event(type: type, body: body))
    return true
  }

  /// More of the header is to come, unless it is too long already.
  private static func missing(_ isWhole: Bool) throws(Refusing) -> Bool {
    if isWhole { throw Refusing(refusal: .notTheProtocol, farewell: []) }
    return false
  }

  /// Takes a number of at most five bytes.
  private static func varint(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var value = 0
    for (place, byte) in rest.prefix(5).enumerated() {
      value |= Int(byte & 0x7f) << (7 * place)
      if byte & 0x80 == 0 {
        rest = rest.dropFirst(place + 1)
        return value
      }
    }
    return nil
  }
}
