// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import BluetoothProxy

/// The requests of a client over a link.
extension ProxyLinkTests {
  @Test("A request with numbers out of range is answered, and the connection goes on")
  func outOfRange() async throws {
    try await ProxyStage.simulated { stage, _ in
      let client = try await stage.greetedClient()
      client.device(Device.strap, 99)
      #expect(try await client.next(69).signed(4) == 0x85)
      client.send(68) { writer in
        writer.number(1, UInt64.max)
        writer.number(2, 5)
      }
      let refused = try await client.next(69)
      #expect(try refused.number(1) == .max)
      #expect(try [refused.number(2), refused.number(4)] == [0, 0x85])
      for handle in [1 << 16, 1 << 32 - 1] as [UInt64] {
        client.send(73) { writer in
          writer.number(1, Device.strap.number)
          writer.number(2, handle)
        }
        let answer = try await client.next(82)
        #expect(try [answer.number(2), answer.number(3)] == [handle, 1])
      }
      #expect(try await client.connect(Device.strap).number(2) == 1)
    }
  }

  @Test("Values are read, written and refused, each with its handle")
  func values() async throws {
    try await ProxyStage.simulated { stage, _ in
      let (client, handles) = try await Self.connected(stage)
      let (level, location, control) = (handles[0x2a19] ?? 0, handles[0x2a38] ?? 0, handles[0x2a39] ?? 0)
      client.attribute(73, Device.strap, level)
      client.attribute(73, Device.strap, location)
      var answer = try await client.next(74)
      try Self.expect(answer, of: level, [0x57])
      answer = try await client.next(74)
      try Self.expect(answer, of: location, [0x01])
      client.attribute(75, Device.strap, control) { writer in
        writer.bool(3, true)
        writer.data(4, [1])
      }
      #expect(try await client.next(83).number(2) == UInt64(control))
      // It cannot be read.
      client.attribute(73, Device.strap, control)
      answer = try await client.next(82)
      try Self.expect(answer, of: control, failedWith: 2)
      client.attribute(73, Device.strap, 0xfff0)
      answer = try await client.next(82)
      try Self.expect(answer, of: 0xfff0, failedWith: 1)
    }
  }

  @Test("A handle that is not one of the device, or of another kind, is refused in every request")
  func handles() async throws {
    try await ProxyStage.simulated { stage, _ in
      let (client, handles) = try await Self.connected(stage)
      let level = handles[0x2a19] ?? 0
      let requests: [(type: UInt16, other: UInt16)] = [
        (73, level + 1), (75, level + 1), (76, level), (77, level), (78, level + 1),
      ]
      for (type, other) in requests {
        for handle in [0, other, 0xfff0] {
          client.attribute(type, Device.strap, handle) { $0.bool(3, type == 75 || type == 78) }
          let answer = try await client.next(82)
          try Self.expect(answer, of: handle, failedWith: 1)
        }
      }
    }
  }

  @Test("A client may send many commands at once, and all arrive in order; a value that is too long does not")
  func commands() async throws {
    try await ProxyStage.simulated { stage, simulated in
      await simulated.simulator.forgetReceived(Address.bench)
      let (client, handles) = try await Self.connected(stage, to: Device.bench)
      let control = try #require(handles[0xb1ec_0106])
      let values = (0..<300).map { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
      for value in values { client.attribute(75, Device.bench, control) { $0.data(4, value) } }
      let long = [UInt8](repeating: 0, count: 513)
      client.attribute(75, Device.bench, control) { $0.data(4, long) }
      var answer = try await client.next(82, 83)
      try Self.expect(answer, of: control, failedWith: 0x0d)
      client.attribute(75, Device.bench, control) { writer in
        writer.bool(3, true)
        writer.data(4, [9])
      }
      answer = try await client.next(82, 83)
      #expect(answer.type == 83)
      let uuid = try #require(BluetoothUUID("B1EC0106-5C0E-4B1E-A5D2-6B2F0C7E91AA"))
      #expect(await simulated.simulator.received(Address.bench, uuid) == values + [[9]])
    }
  }

  @Test("Requests without end are refused, each with its answer")
  func flood() async throws {
    try await ProxyStage.simulated { stage, _ in
      let (client, handles) = try await Self.connected(stage)
      let level = handles[0x2a19] ?? 0
      // All of them arrive before the first is answered.
      for _ in 0..<100 { client.attribute(73, Device.strap, level) }
      client.device(Device.strap, 2)
      let refused = try await client.next(85)
      #expect(try [refused.number(2), refused.number(3)] == [0, 0x11])
      for _ in 0..<64 { _ = try await client.next(74) }
      let errors = try client.messages(82).map { try $0.signed(3) }
      #expect(errors == [Int32](repeating: 0x11, count: 36))
    }
  }

  @Test("A notification comes once, in order, and none for a read; its descriptor is not written")
  func notifications() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let (client, handles) = try await Self.connected(stage)
      let level = handles[0x2a19] ?? 0
      for _ in 0..<2 {
        client.attribute(78, Device.strap, level) { $0.bool(3, true) }
        #expect(try await client.next(84).number(2) == UInt64(level))
      }
      client.attribute(77, Device.strap, level + 1) { $0.data(3, [1, 0]) }
      #expect(try await client.next(82, 83).type == 83)
      client.attribute(73, Device.strap, level)
      _ = try await client.next(74)
      for value in [1, 2, 3] as [UInt8] {
        try await simulated.simulator.perform(
          .characteristic(BluetoothUUID(short: 0x2a19), of: Address.strap, .setValue([value])))
      }
      for value in [1, 2, 3] as [UInt8] {
        let notification = try await client.next(79)
        try Self.expect(notification, of: level, [value])
      }
      client.attribute(78, Device.strap, level)
      _ = try await client.next(84)
      #expect(client.messages(79).count == 3)
    }
  }
}
