// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("SMP messages")
struct SMPMessageTests {
  /// As the Python package smp 4.2 writes it: an echo, version 2.
  private static let echo = "0a00000900000100" + "a161646568656c6c6f"

  @Test("A request has the bytes that another implementation writes, and is read again")
  func request() throws {
    let message = SMPMessage(.write, group: 0, command: 0, sequence: 1, ["d": "hello"])
    #expect(Hex.string(message.encoded) == Self.echo)
    #expect(try SMPMessage(decoding: message.encoded) == message)
  }

  @Test(
    "Operations and versions stand in the first byte",
    arguments: [("08", 0, 1), ("09", 1, 1), ("0a", 2, 1), ("0b", 3, 1), ("00", 0, 0), ("03", 3, 0)]
      as [(String, UInt8, UInt8)])
  func header(_ first: String, _ operation: UInt8, _ version: UInt8) throws {
    let bytes = try #require(Hex.bytes(first + "00000100400705" + "a0"))
    let message = try SMPMessage(decoding: bytes)
    #expect(message.operation.rawValue == operation && message.version == version)
    #expect(message.group == 64 && message.sequence == 7 && message.command == 5 && message.payload.isEmpty)
    #expect(message.encoded == bytes)
    #expect(message.operation.isResponse == (operation % 2 == 1))
  }

  @Test("A payload without bytes is an empty map, and one without a length is read")
  func payloads() throws {
    let empty = try SMPMessage(decoding: Hex.bytes("0b00000000000005") ?? [])
    #expect(empty.payload.isEmpty)
    let indefinite = try SMPMessage(decoding: Hex.bytes("0b0000060001ff01" + "bf62726300ff") ?? [])
    #expect(indefinite.payload["rc"] == 0 && indefinite.sequence == 0xff)
  }

  @Test(
    "Packets that are none are refused",
    arguments: [
      ("0a000001000001", "a header of 7 bytes, not 8"),
      ("0a00000200000100a0", "the header announces 10 bytes, the packet has 9"),
      ("0a0000010000010000", "the payload is not a map"),
      ("0a00000200000100a000", "1 byte left behind the value"),
      ("0e00000100000100a0", "a packet does not begin with 0e"),
      ("2a00000100000100a0", "a packet does not begin with 2a"),
      ("1a00000100000100a0", "a packet does not begin with 1a"),
    ])
  func malformed(_ hex: String, _ reason: String) throws {
    let bytes = try #require(Hex.bytes(hex))
    #expect(throws: CBORError(reason)) { try SMPMessage(decoding: bytes) }
  }

  @Test("A packet with a payload that cannot be read still tells which request it answers")
  func unreadable() throws {
    var fault: CBORError?
    let bytes = try #require(Hex.bytes("0b0000010040070100"))
    let message = try SMPMessage(decoding: bytes, fault: &fault)
    #expect(fault == CBORError("the payload is not a map") && message.payload.isEmpty)
    #expect(message.operation == .writeResponse && message.group == 64)
    #expect(message.sequence == 7 && message.command == 1)
    _ = try SMPMessage(decoding: SMPMessage(.read, group: 0, command: 0).encoded, fault: &fault)
  }

  @Test("A payload beyond the largest makes a packet that nobody takes")
  func large() {
    let message = SMPMessage(
      .write, group: 1, command: 1, ["data": .bytes([UInt8](repeating: 0, count: 66_000))])
    let packet = message.encoded
    #expect(throws: CBORError.self) { try SMPMessage(decoding: packet) }
  }

  @Test("Packets are put together from pieces of any size", arguments: [1, 3, 7, 8, 20, 1000])
  func reassembly(_ size: Int) throws {
    let packets = (0..<4).map { number in
      SMPMessage(
        .readResponse, group: 1, command: 0, sequence: UInt8(number),
        ["o": .text(String(repeating: "x", count: 40 * number))]
      ).encoded
    }
    let bytes = packets.flatMap { $0 }
    var reassembly = SMPReassembly()
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      found += try reassembly.append(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    #expect(found == packets && reassembly.count == 0)
  }

  @Test("Bytes that begin no packet are dropped with all before them, and the next packet is read")
  func resynchronization() throws {
    let packet = SMPMessage(.writeResponse, group: 0, command: 0, ["r": "x"]).encoded
    var reassembly = SMPReassembly()
    #expect(try reassembly.append(Array(packet.prefix(5))).isEmpty)
    let outcome = Result { try reassembly.append([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) }
    #expect(throws: Never.self) { try outcome.get() }
    reassembly.reset()
    let broken = Result { try reassembly.append([0xff] + packet) }
    #expect(throws: CBORError("a packet does not begin with ff")) { try broken.get() }
    #expect(try reassembly.append(packet) == [packet])
    #expect(try reassembly.append(packet + [UInt8](repeating: 0xff, count: 9)) == [packet])
    #expect(reassembly.count == 0)
  }

  @Test("Errors are words, of SMP itself or of a group, and unknown ones are numbers")
  func words() {
    #expect(SMPWords.error(8) == "not supported")
    #expect(SMPWords.error(300) == "error 300 of the device's maker")
    #expect(SMPWords.error(99) == "error 99")
    #expect(SMPWords.error(9, group: 1) == "no slot is free")
    #expect(SMPWords.error(3, group: 8) == "no such file")
    #expect(SMPWords.error(77, group: 1) == "error 77 of the group image")
    #expect(SMPWords.error(2, group: 70) == "error 2 of the group 70")
    #expect(SMPWords.error(0) == "no error")
    #expect(SMPWords.group(63) == "zephyr" && SMPWords.group(64) == nil)
  }
}
