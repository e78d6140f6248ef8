// SPDX-License-Identifier: MIT

/// A request or a response of SMP, the protocol with which MCUmgr manages devices.
package struct SMPMessage: Sendable, Equatable {
  package enum Operation: UInt8, Sendable {
    case read
    case readResponse
    case write
    case writeResponse

    /// True for what a device sends.
    package var isResponse: Bool { self == .readResponse || self == .writeResponse }
    /// The response to a request; a response has none of its own.
    package var response: Operation { self == .read ? .readResponse : .writeResponse }
  }

  package var operation: Operation
  /// The version of the protocol, in two bits: 0 is the first, 1 the second.
  package var version: UInt8
  package var group: UInt16
  /// A number that a response repeats.
  package var sequence: UInt8
  package var command: UInt8
  package var payload: CBORMap

  package init(
    _ operation: Operation, group: UInt16, command: UInt8, sequence: UInt8 = 0, version: UInt8 = 1,
    _ payload: CBORMap = [:]
  ) {
    (self.operation, self.version, self.group) = (operation, version, group)
    (self.sequence, self.command, self.payload) = (sequence, command, payload)
  }

  /// The size of what stands before the payload, in bytes.
  package static let headerSize = 8
  /// The largest payload that the header can announce, in bytes.
  package static let largestPayload = 0xffff

  /// The packet; a payload that is too large for its header gives one that no device takes.
  package var encoded: [UInt8] {
    let content = CBORValue.map(payload).encoded
    var packet: [UInt8] = [(version & 3) << 3 | operation.rawValue, 0]
    packet += UInt16(clamping: content.count).bigEndianBytes
    packet += group.bigEndianBytes
    packet += [sequence, command]
    return packet + content
  }

  /// Decodes a whole packet; a payload without bytes is an empty map.
  package init(decoding packet: [UInt8]) throws(CBORError) {
    var fault: CBORError?
    try self.init(decoding: packet, fault: &fault)
    if let fault { throw fault }
  }

  /// Decodes a whole packet; a payload that cannot be read is empty, and has a `fault`.
  package init(decoding packet: [UInt8], fault: inout CBORError?) throws(CBORError) {
    guard packet.count >= Self.headerSize else { throw CBORError("a header of \(packet.count) bytes, not 8") }
    let header = try SMPHeader(packet[..<Self.headerSize])
    guard header.size == packet.count else {
      throw CBORError("the header announces \(header.size) bytes, the packet has \(packet.count)")
    }
    self.init(
      header.operation, group: UInt16(packet[4]) << 8 | UInt16(packet[5]), command: packet[7],
      sequence: packet[6], version: header.version)
    do throws(CBORError) {
      payload = try Self.payload(of: Array(packet[Self.headerSize...]))
    } catch {
      fault = error
    }
  }

  private static func payload(of content: [UInt8]) throws(CBORError) -> CBORMap {
    let value = content.isEmpty ? CBORValue.map([:]) : try CBORValue(decoding: content)
    guard let payload = value.map else { throw CBORError("the payload is not a map") }
    return payload
  }
}

/// The parts of a header that tell one from other bytes, and the size of the packet.
struct SMPHeader {
  let operation: SMPMessage.Operation
  let version: UInt8
  /// The size of the whole packet, in bytes.
  let size: Int

  /// Reads at least four bytes.
  init(_ bytes: ArraySlice<UInt8>) throws(CBORError) {
    var reader = ByteReader(bytes)
    guard let first = reader.unsigned(1), let length = reader.unsigned(3, isBigEndian: true) else {
      throw CBORError("the header is cut off")
    }
    version = UInt8(first) >> 3 & 3
    guard first >> 5 == 0, version <= 1, let operation = SMPMessage.Operation(rawValue: UInt8(first) & 7)
    else {
      throw CBORError("a packet does not begin with \(Hex.string([UInt8(first)]))")
    }
    self.operation = operation
    // The byte before the length has flags, of which none is defined.
    size = SMPMessage.headerSize + length & 0xffff
  }
}
