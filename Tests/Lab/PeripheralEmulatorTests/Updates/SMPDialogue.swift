// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

/// A server, and a central that asks it and collects what happens.
struct SMPDialogue {
  var server: SMPServer
  var effects: [UpdateEffect] = []
  var version: UInt8 = 1
  private var sequence: UInt8 = 0

  init(_ change: (inout SMPSpec) -> Void = { _ in }) { server = SMPServer(SMPSpec(change)) }

  /// Sends a request; returns the answer, or nil if there is none.
  mutating func ask(
    _ operation: SMPMessage.Operation, _ group: UInt16, _ command: UInt8, _ payload: CBORMap = [:]
  ) throws -> CBORMap? {
    sequence &+= 1
    let request = SMPMessage(
      operation, group: group, command: command, sequence: sequence, version: version, payload)
    effects = server.receive(request.encoded, at: FirmwareUUID.smp)
    guard let answer = effects.compactMap(\.sent).first else { return nil }
    let response = try SMPMessage(decoding: answer)
    #expect(response.sequence == sequence && response.group == group && response.command == command)
    #expect(response.operation == operation.response)
    return response.payload
  }

  mutating func states() throws -> [CBORMap] {
    try #require(try ask(.read, 1, 0)?["images"]?.array).compactMap(\.map)
  }

  /// Uploads firmware in parts, from where the server wants them; returns the last answer.
  @discardableResult
  mutating func upload(_ firmware: [UInt8], part: Int = 200, upgrade: Bool = false) throws -> CBORMap {
    var (offset, answer): (Int, CBORMap) = (0, [:])
    let digest = try SHA256.digest(of: firmware)
    repeat {
      let data = Array(firmware[offset..<min(offset + part, firmware.count)])
      var payload: CBORMap = ["off": CBORValue(offset), "data": .bytes(data)]
      if offset == 0 {
        payload["len"] = CBORValue(firmware.count)
        payload["sha"] = .bytes(digest)
        if upgrade { payload["upgrade"] = true }
      }
      // A lost packet is sent again.
      guard let next = try ask(.write, 1, 1, payload) else { continue }
      answer = next
      guard let wanted = next["off"]?.int else { return next }
      offset = wanted
    } while offset < firmware.count
    return answer
  }

  mutating func choose(_ firmware: [UInt8], confirm: Bool = false) throws -> CBORMap? {
    let hash = try #require(SlotImage(firmware)).hash
    return try ask(.write, 1, 0, ["hash": .bytes(hash), "confirm": .bool(confirm)])
  }

  /// Resets the device, and returns how long it is away.
  mutating func reset() throws -> Duration? {
    #expect(try ask(.write, 0, 5)?.isEmpty == true)
    #expect(effects.last == .restart)
    server.linkEnded()
    return server.restart()
  }
}
