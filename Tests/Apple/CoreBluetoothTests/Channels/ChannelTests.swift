// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// L2CAP channels between a central manager and a peripheral manager.
@Suite("Channels of CoreBluetooth")
struct ChannelTests {
  private static func noise(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
  }

  /// Offers a channel, and returns its number.
  private func publish(_ fixture: ServingFixture) async throws -> CBL2CAPPSM {
    fixture.manager.publishL2CAPChannel(withEncryption: false)
    let published = await fixture.delegate.first { event -> (CBL2CAPPSM, (any Error)?)? in
      if case .published(let psm, let error) = event { (psm, error) } else { nil }
    }
    let (psm, error) = try #require(published)
    #expect(error == nil)
    return psm
  }

  private func connect(_ fixture: ServingFixture) async throws -> CBPeripheral {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: benchUUID("0001")), properties: .read, value: Data([1]), permissions: .readable)
    _ = try await fixture.serve([characteristic])
    return try await fixture.central.connected("Served")
  }

  private func opening(_ fixture: ServingFixture) async -> (CBL2CAPChannel?, (any Error)?)? {
    await fixture.central.delegate.first { event -> (CBL2CAPChannel?, (any Error)?)? in
      if case .channel(let channel, let error) = event { (channel, error) } else { nil }
    }
  }

  /// The end of a channel that the next central opens.
  private func accepted(_ fixture: ServingFixture) async throws -> CBL2CAPChannel {
    let channel = await fixture.delegate.first { event -> CBL2CAPChannel? in
      if case .opened(let channel, _) = event { channel } else { nil }
    }
    return try #require(channel)
  }

  /// Ends an offer, and returns the error that is reported, if any.
  private func unpublish(_ psm: CBL2CAPPSM, _ fixture: ServingFixture) async throws -> (any Error)? {
    fixture.manager.unpublishL2CAPChannel(psm)
    let reported = await fixture.delegate.first { event -> (any Error)?? in
      if case .unpublished(psm, let error) = event { .some(error) } else { nil }
    }
    return try #require(reported)
  }

  /// Runs a test with the ends of a channel: the central's and the peripheral's.
  private func withChannel(
    _ body: (ServingFixture, CBL2CAPChannel, CBL2CAPChannel) async throws -> Void
  ) async throws {
    try await ServingFixture.run { fixture in
      let peripheral = try await connect(fixture)
      let psm = try await publish(fixture)
      peripheral.openL2CAPChannel(psm)
      let near = try #require(await opening(fixture)?.0)
      let far = try await accepted(fixture)
      #expect(near.psm == psm && far.psm == psm && near.peer === peripheral && far.peer is CBCentral)
      try await body(fixture, near, far)
    }
  }

  @Test("The events of its streams carry 100 kB each way at once")
  func bothWays() async throws {
    try await withChannel { _, near, far in
      let (there, back) = (Self.noise(100_000), Self.noise(100_001))
      let (central, peripheral) = (ChannelUser(near, sends: there), ChannelUser(far, sends: back))
      await peripheral.waits { $0.received.count >= there.count }
      await central.waits { $0.received.count >= back.count }
      #expect(peripheral.received == there && central.received == back)
      #expect(Set(central.events) == ["input opened", "output opened"])
    }
  }

  @Test(
    "What was written before a channel is closed arrives, then both streams of the other end, and run loops end"
  )
  func closing() async throws {
    try await withChannel { _, near, far in
      let data = Self.noise(10_000)
      let (central, peripheral) = (ChannelUser(near, sends: data), ChannelUser(far))
      await central.waits { $0.unsent == 0 }
      central.close()
      await peripheral.waits { $0.events.contains("input ended") && $0.events.contains("output ended") }
      #expect(peripheral.received == data)
      #expect(far.inputStream.streamStatus == .atEnd && far.inputStream.streamError == nil)
      var byte: UInt8 = 0
      #expect(far.inputStream.read(&byte, maxLength: 1) == 0)
      #expect(far.outputStream.write(&byte, maxLength: 1) == -1)
      #expect(near.inputStream.read(&byte, maxLength: 1) == -1)
      #expect(near.outputStream.streamStatus == .closed)
      peripheral.close()
      await central.waits { $0.events.contains("run loop ended") }
      await peripheral.waits { $0.events.contains("run loop ended") }
    }
  }

  @Test("Without a run loop, a read waits for bytes, and a write for room")
  func waiting() async throws {
    try await withChannel { _, near, far in
      let data = Self.noise(1_000_000)
      let (arrivals, arrival) = AsyncStream<Data>.makeStream()
      Thread {
        far.inputStream.open()
        var (all, buffer) = (Data(), [UInt8](repeating: 0, count: 5000))
        while all.count < data.count {
          let count = far.inputStream.read(&buffer, maxLength: buffer.count)
          if count < 1 { break }
          all.append(contentsOf: buffer[..<count])
        }
        arrival.yield(all)
      }.start()
      Thread {
        near.outputStream.open()
        var rest = Array(data)[...]
        while !rest.isEmpty {
          let count = near.outputStream.write(Array(rest), maxLength: rest.count)
          if count < 1 { break }
          rest = rest.dropFirst(count)
        }
      }.start()
      let received = await arrivals.first { _ in true }
      #expect(received == data)
    }
  }

  @Test("An output stream whose channel has ended says so by itself, and a write to it is an error")
  func endOfOutput() async throws {
    try await withChannel { _, near, far in
      near.inputStream.open()
      near.outputStream.open()
      far.inputStream.open()
      far.outputStream.open()
      far.inputStream.close()
      far.outputStream.close()
      // The program looks at no event.
      var byte: UInt8 = 0
      #expect(near.inputStream.read(&byte, maxLength: 1) == 0)
      #expect(near.outputStream.streamStatus == .atEnd && near.outputStream.streamError == nil)
      #expect(near.outputStream.write(&byte, maxLength: 1) == -1)
      #expect(near.outputStream.streamStatus == .error)
      #expect((near.outputStream.streamError as? CBError)?.code == .peripheralDisconnected)
    }
  }

  @Test("A channel that the program releases is closed, and no other one")
  func released() async throws {
    try await withChannel { fixture, near, far in
      let user = ChannelUser(far)
      let peripheral = try #require(near.peer as? CBPeripheral)
      peripheral.openL2CAPChannel(far.psm)
      let isOpen = await opening(fixture)?.0 != nil
      #expect(isOpen)
      let other = ChannelUser(try await accepted(fixture))
      await other.waits { $0.events.contains("input ended") }
      #expect(!user.events.contains("input ended"))
    }
  }

  @Test("Numbers that nobody offers are refused, also after the end of an offer, or of bluetoothd")
  func refusals() async throws {
    try await ServingFixture.run { fixture in
      let peripheral = try await connect(fixture)
      let psm = try await publish(fixture)
      let error = try await unpublish(psm, fixture)
      #expect(error == nil)
      peripheral.openL2CAPChannel(psm)
      let refusal = await opening(fixture)
      #expect(refusal?.0 == nil && (refusal?.1 as? CBError)?.code == .operationNotSupported)
      peripheral.openL2CAPChannel(300)
      let outOfRange = await opening(fixture)?.1
      #expect((outOfRange as? CBError)?.code == .invalidParameters)
      let again = try await unpublish(psm, fixture)
      #expect((again as? CBError)?.code == .invalidParameters)
      let second = try await publish(fixture)
      await fixture.bus.simulator.killDaemon()
      _ = await fixture.delegate.first { if case .state(.resetting) = $0 { true } else { nil } }
      try await fixture.bus.simulator.startDaemon()
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      let gone = try await unpublish(second, fixture)
      #expect((gone as? CBError)?.code == .invalidParameters)
    }
  }
}
