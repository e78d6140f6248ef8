// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// A marshalled D-Bus message, which is read in place.
///
/// One owner fills it before it is sent. After that it is read-only, so it may cross threads.
package final class Message: Sendable {
  package enum Kind: UInt8, Sendable {
    case unknown, methodCall, methodReturn, error, signal
  }

  private enum Flag {
    static let noReplyExpected: UInt8 = 1
    static let noAutoStart: UInt8 = 2
  }

  let header: MessageHeader
  private let block: ByteBlock
  private let offset: Int
  let count: Int
  /// The descriptors that are sent with the message, in the order of their indices in the body.
  let descriptors: [SharedDescriptor]

  init(_ block: ByteBlock, at range: Range<Int>, _ header: MessageHeader, _ descriptors: [SharedDescriptor]) {
    self.block = block
    self.header = header
    self.descriptors = descriptors
    offset = range.lowerBound
    count = range.count
  }

  /// Copies a message from any source; fails if it is malformed.
  package convenience init?(marshalled bytes: UnsafeRawBufferPointer) {
    guard let header = MessageHeader(bytes) else { return nil }
    let block = ByteBlock(capacity: bytes.count)
    block.base.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    self.init(block, at: 0..<bytes.count, header, [])
  }

  private var base: UnsafeMutableRawPointer { block.base + offset }

  // MARK: Creating

  /// Makes a method call that does not start the service: a missing service is an error at once.
  package convenience init(
    call member: String, of interface: String, at path: String, to destination: String,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    self.init(kind: .methodCall, flags: Flag.noAutoStart, body) { fields in
      fields.text(MessageHeader.Field.path, "o", path)
      fields.text(MessageHeader.Field.interface, "s", interface)
      fields.text(MessageHeader.Field.member, "s", member)
      fields.text(MessageHeader.Field.destination, "s", destination)
    }
  }

  package convenience init(
    signal member: String, of interface: String, at path: String,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    self.init(kind: .signal, flags: Flag.noReplyExpected, body) { fields in
      fields.text(MessageHeader.Field.path, "o", path)
      fields.text(MessageHeader.Field.interface, "s", interface)
      fields.text(MessageHeader.Field.member, "s", member)
    }
  }

  package convenience init(replyTo call: Message, _ body: (inout MessageWriter) -> Void = { _ in }) {
    self.init(kind: .methodReturn, flags: Flag.noReplyExpected, body) { fields in
      fields.number(MessageHeader.Field.replySerial, call.serial)
      if let sender = call.sender { fields.text(MessageHeader.Field.destination, "s", sender) }
    }
  }

  package convenience init(errorTo call: Message, name: String, text: String) {
    self.init(kind: .error, flags: Flag.noReplyExpected, { $0.string(text) }) { fields in
      fields.text(MessageHeader.Field.errorName, "s", name)
      fields.number(MessageHeader.Field.replySerial, call.serial)
      if let sender = call.sender { fields.text(MessageHeader.Field.destination, "s", sender) }
    }
  }

  private convenience init(
    kind: Kind, flags: UInt8, _ body: (inout MessageWriter) -> Void, _ fields: (inout HeaderWriter) -> Void
  ) {
    var writer = MessageWriter()
    body(&writer)
    var headerWriter = HeaderWriter(kind: kind.rawValue, flags: flags)
    fields(&headerWriter)
    let block = headerWriter.finish(writer)
    guard let header = MessageHeader(UnsafeRawBufferPointer(start: block.base, count: block.capacity)) else {
      preconditionFailure("a message that is too long for D-Bus")
    }
    self.init(block, at: 0..<block.capacity, header, writer.descriptors)
  }

  // MARK: The header

  /// Passes the complete message to `read`, from which no pointer into it may escape.
  package func withBytes<Result>(_ read: (UnsafeRawBufferPointer) -> Result) -> Result {
    defer { withExtendedLifetime(block) {} }
    return read(UnsafeRawBufferPointer(start: base, count: count))
  }

  package var kind: Kind { Kind(rawValue: base.load(fromByteOffset: 1, as: UInt8.self)) ?? .unknown }

  /// Returns a text of the header without copying it; valid only while the message is.
  private func text(_ place: MessageHeader.Place) -> WireText? {
    place.count < 0
      ? nil
      : WireText(utf8: UnsafeRawBufferPointer(start: base + Int(place.offset), count: Int(place.count)))
  }

  var interfaceText: WireText? { text(header.interface) }
  var memberText: WireText? { text(header.member) }

  package var path: String? { text(header.path)?.string }
  package var interface: String? { text(header.interface)?.string }
  package var member: String? { text(header.member)?.string }
  package var sender: String? { text(header.sender)?.string }
  package var destination: String? { text(header.destination)?.string }
  package var errorName: String? { text(header.errorName)?.string }
  package var signature: String { text(header.signature)?.string ?? "" }
  package var replySerial: UInt32 { header.replySerial }

  package var serial: UInt32 {
    let raw = base.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    return header.isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
  }

  func setSerial(_ serial: UInt32) {
    base.storeBytes(of: serial.littleEndian, toByteOffset: 8, as: UInt32.self)
  }

  private var flags: UInt8 { base.load(fromByteOffset: 2, as: UInt8.self) }

  package var wantsReply: Bool { flags & Flag.noReplyExpected == 0 }

  /// Requests no reply: the bus then sends none, not even an error.
  package func expectNoReply() {
    base.storeBytes(of: flags | Flag.noReplyExpected, toByteOffset: 2, as: UInt8.self)
  }

  /// Returns whether the member has this name; creates no string.
  package func hasMember(_ member: StaticString) -> Bool { text(header.member).map { $0 == member } ?? false }

  /// Returns whether it comes from this connection; creates no string.
  package func isSent(by name: String) -> Bool { text(header.sender).map { $0 == name } ?? false }

  /// Returns whether it concerns this object; creates no string.
  package func isAbout(_ path: String) -> Bool { text(header.path).map { $0 == path } ?? false }

  /// Returns whether the body has this signature; creates no string.
  package func hasSignature(_ signature: StaticString) -> Bool {
    text(header.signature).map { $0 == signature } ?? (signature.utf8CodeUnitCount == 0)
  }

  // MARK: The body

  /// The body, which retains the memory of the message.
  package var body: MessageBody {
    MessageBody(
      in: block, at: offset + header.bodyOffset, count: count - header.bodyOffset,
      isBigEndian: header.isBigEndian)
  }

  /// Passes a reader of the body to `read`, from which no pointer into the message may escape.
  package func withBody<Result>(_ read: (inout WireReader) -> Result) -> Result { body.read(read) }

  /// The body as values; empty if it is malformed.
  package var values: [DBusValue] { withBody { $0.values(signature) } ?? [] }

  /// Returns a duplicate of the descriptor in argument number `index`.
  package func takeDescriptor(at index: Int) -> OwnedDescriptor? {
    guard let signature = text(header.signature) else { return nil }
    let number = withBody { reader -> Int? in
      var position = 0
      for _ in 0..<index {
        let start = position
        guard SignatureScanner.skipOne(signature.utf8, &position) else { return nil }
        reader.skip(WireText(utf8: UnsafeRawBufferPointer(rebasing: signature.utf8[start..<position])))
      }
      guard position < signature.utf8.count, signature.utf8[position] == TypeCode.descriptor else {
        return nil
      }
      return Int(reader.uint32())
    }
    guard let number, descriptors.indices.contains(number) else { return nil }
    return descriptors[number].duplicate()
  }
}

/// A file descriptor that is sent with a message, and closed with the last message that holds it.
final class SharedDescriptor: Sendable {
  let raw: Int32

  init(adopting raw: Int32) { self.raw = raw }

  /// Duplicates a descriptor; fails if it is invalid, or if too many are open.
  init?(duplicating other: Int32) {
    raw = fcntl(other, F_DUPFD_CLOEXEC, 0)
    if raw < 0 { return nil }
  }

  deinit { close(raw) }

  /// Returns a duplicate with its own owner; nil if too many are open.
  func duplicate() -> OwnedDescriptor? {
    let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }
}
