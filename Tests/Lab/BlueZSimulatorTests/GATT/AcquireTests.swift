// SPDX-License-Identifier: MIT
import AsyncIO
import BLEWorld
import BlueZSimulator
internal import DBus
import Glibc
import TestSupport
import Testing

@Suite("Acquire")
struct AcquireTests {
  private func withBench(_ body: (BusClient, SimulatedBus, String, String) async throws -> Void) async throws
  {
    try await withSimulator(world: .contract) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      let writer = try await client.characteristic(benchUUID("0106"), of: Address.bench)
      let echo = try await client.characteristic(benchUUID("0107"), of: Address.bench)
      try await body(client, bus, writer, echo)
    }
  }

  /// Acquires a socket.
  private func acquire(_ member: String, _ path: String, _ client: BusClient) async throws -> OwnedDescriptor
  {
    let reply = try await client.gatt(member, path) { $0.properties([]) }
    #expect(reply.values.last == .uint16(517))
    guard let descriptor = reply.takeDescriptor(at: 0) else { throw NoDescriptor() }
    return descriptor
  }

  private struct NoDescriptor: Error {}

  /// The next packet, once the loop reports it.
  private func packet(_ descriptor: Int32) async -> [UInt8] {
    let ready = Promise<Void>()
    EventLoop.shared.submit {
      let slot = Lock<SourceID?>(nil)
      let source = EventLoop.shared.watch(descriptor, for: .readable) { _ in
        if let id = slot.withLock({ $0 }) { EventLoop.shared.unwatch(id) }
        ready.fulfil(())
      }
      slot.withLock { $0 = source }
    }
    await ready.value
    var buffer = [UInt8](repeating: 0, count: 600)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return Array(buffer.prefix(max(0, count)))
  }

  @Test("Values go through the sockets and not over the bus")
  func valuesGoThrough() async throws {
    try await withBench { client, _, writer, echo in
      let out = try await acquire("AcquireWrite", writer, client)
      let values = try await acquire("AcquireNotify", echo, client)
      _ = send(out.raw, [1, 2, 3] as [UInt8], 3, Int32(MSG_NOSIGNAL))
      #expect(await packet(values.raw) == [1, 2, 3])
      try await client.barrier()
      #expect(!client.log.events().contains { $0.sets("Value", to: .bytes([1, 2, 3])) })
      let acquired = client.log.events().filter {
        $0.sets("WriteAcquired", to: .boolean(true)) || $0.sets("NotifyAcquired", to: .boolean(true))
      }
      #expect(acquired.count == 2)
      _ = (out.release(), values.release())  // until here they must live
    }
  }

  @Test("No second client can acquire the same characteristic")
  func impossible() async throws {
    try await withBench { client, bus, writer, echo in
      let other = try await BusClient.connect(to: bus.address)
      let out = try await acquire("AcquireWrite", writer, client)
      let values = try await acquire("AcquireNotify", echo, client)
      #expect(
        await failure { try await other.gatt("AcquireWrite", writer) { $0.properties([]) } }?.line
          == "NotPermitted Write acquired")
      #expect(await failure { try await other.write(writer, [1]) }?.line == "NotPermitted Write acquired")
      #expect(
        await failure { try await other.gatt("AcquireNotify", echo) { $0.properties([]) } }?.line
          == "NotPermitted Notify acquired")
      #expect(
        await failure { try await other.gatt("StartNotify", echo) }?.line == "NotPermitted Notify acquired")
      _ = (out.release(), values.release())  // until here they must live
    }
  }

  @Test("An acquisition that is not possible is refused")
  func whatCannotAcquired() async throws {
    try await withBench { client, _, writer, echo in
      let indicated = try await client.characteristic(benchUUID("010A"), of: Address.bench)
      for (member, path) in [("AcquireNotify", writer), ("AcquireWrite", echo), ("AcquireNotify", indicated)]
      {
        #expect(
          await failure { try await client.gatt(member, path) { $0.properties([]) } }?.line
            == "NotSupported Operation is not supported")
      }
      try await client.gatt("StartNotify", echo)
      #expect(
        await failure { try await client.gatt("AcquireNotify", echo) { $0.properties([]) } }?.line
          == "InProgress In Progress")
    }
  }

  @Test("Closing a socket releases it")
  func closingSocketReleases() async throws {
    try await withBench { client, _, writer, echo in
      for (member, path, property) in [
        ("AcquireWrite", writer, "WriteAcquired"), ("AcquireNotify", echo, "NotifyAcquired"),
      ] {
        let descriptor = try await acquire(member, path, client)
        close(descriptor.release())
        #expect(await client.log.first { $0.sets(property, to: .boolean(false), at: path) } != nil)
      }
      try await client.gatt("StartNotify", echo)
      try await client.write(writer, [9])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([9]), at: echo) } != nil)
    }
  }

  @Test("A closed socket is released before the next call")
  func closedSocketReleased() async throws {
    try await withBench { client, _, writer, echo in
      for _ in 0..<200 {
        let out = try await acquire("AcquireWrite", writer, client)
        let values = try await acquire("AcquireNotify", echo, client)
        _ = [7].withUnsafeBytes { send(out.raw, $0.baseAddress, 1, 0) }
        close(out.release())
        close(values.release())
        try await client.write(writer, [8])
        try await client.gatt("StartNotify", echo)
        try await client.gatt("StopNotify", echo)
      }
    }
  }

  @Test("StopNotify of any client ends the socket")
  func stopnotifyAnybodyEnds() async throws {
    try await withBench { client, bus, _, echo in
      let other = try await BusClient.connect(to: bus.address)
      let values = try await acquire("AcquireNotify", echo, client)
      try await other.gatt("StopNotify", echo)
      #expect(await packet(values.raw) == [])
    }
  }

  @Test("The end of the link is the end of the sockets")
  func endLinkEnd() async throws {
    try await withBench { client, bus, writer, echo in
      let out = try await acquire("AcquireWrite", writer, client)
      let values = try await acquire("AcquireNotify", echo, client)
      await bus.simulator.dropLink(Address.bench)
      #expect(await packet(values.raw) == [])
      #expect(await packet(out.raw) == [])
      #expect(await client.log.first { $0.sets("NotifyAcquired", to: .boolean(false), at: echo) } != nil)
      #expect(await client.log.first { $0.sets("WriteAcquired", to: .boolean(false), at: writer) } != nil)
    }
  }
}
