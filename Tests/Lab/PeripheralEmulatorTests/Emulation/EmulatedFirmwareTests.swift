// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Firmware of peripherals played by a real adapter")
struct EmulatedFirmwareTests {
  /// What a played peripheral has sent, and the restarts and advertisements that it has asked for.
  private final class Stage: @unchecked Sendable {
    let loop = EventLoop(name: "firmware")
    let played: EmulatedPeripheral
    let smp: UInt16
    let version: UInt16
    private let sent = Lock<(packets: [[UInt8]], promise: Promise<[UInt8]>?)>(([], nil))
    let restarts = Lock(0)
    private let advertised = Lock<(isOn: [Bool], promise: Promise<Void>?)>(([], nil))

    init(_ server: SMPSpec) {
      let spec = PeripheralSpec(
        address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec(name: "Board"), smp: server)
      played = EmulatedPeripheral(spec, events: [], on: loop)
      let characteristics = played.services.flatMap(\.characteristics)
      smp = characteristics.first { $0.spec.uuid == FirmwareUUID.smp }?.handle ?? 0
      version = characteristics.first { $0.spec.uuid == FirmwareUUID.firmwareRevision }?.handle ?? 0
    }

    func run(_ body: @escaping @Sendable (EmulatedPeripheral) -> Void) async {
      await Task(executorPreference: loop) { body(self.played) }.value
    }

    func start() async {
      await run { [self] played in
        played.onRestart = { [self] in restarts.withLock { $0 += 1 } }
        played.onAdvertising = { [self] isOn in
          advertised.withLock { state in
            state.isOn.append(isOn)
            return isOn ? state.promise : nil
          }?.fulfil(())
        }
        played.start(EmulatorOutput(send: { [self] in take($1) }, isCongested: { _ in false }))
        played.setConnected(true)
        played.setSubscribed(true, smp)
      }
    }

    private func take(_ bytes: [UInt8]) {
      sent.withLock { state in
        state.packets.append(bytes)
        return state.promise
      }?.fulfil(bytes)
    }

    /// Sends a request, and returns the answer, which fits one notification.
    func ask(_ request: SMPMessage) async throws -> CBORMap {
      let promise = Promise<[UInt8]>()
      sent.withLock { $0.promise = promise }
      let smp = smp
      await run { $0.write(smp, request.encoded, offset: 0, mtu: 512) { _ in } }
      return try SMPMessage(decoding: await promise.value).payload
    }

    /// Waits until the peripheral is back on the air, and returns the advertising that it has asked for.
    func back() async -> [Bool] {
      let promise = Promise<Void>()
      let isBack = advertised.withLock { state in
        state.promise = promise
        return state.isOn.last == true
      }
      if isBack { promise.fulfil(()) }
      await promise.value
      return advertised.withLock { $0.isOn }
    }

    func readVersion() async -> String {
      let promise = Promise<String>()
      let version = version
      await run { played in
        played.read(version) { outcome in
          promise.fulfil(String(decoding: (try? outcome.get()) ?? [], as: UTF8.self))
        }
      }
      return await promise.value
    }
  }

  @Test("A reset ends the links, and the same attributes come back with the new version")
  func update() async throws {
    let stage = Stage(SMPSpec { ($0.restartTime, $0.swapTime) = (.milliseconds(5), .milliseconds(5)) })
    await stage.start()
    let image = SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 100)
    #expect(await stage.readVersion() == "1.0.0")
    var offset = 0
    while offset < image.count {
      var payload: CBORMap = [
        "off": CBORValue(offset), "data": .bytes(Array(image[offset..<min(offset + 300, image.count)])),
      ]
      if offset == 0 { payload["len"] = CBORValue(image.count) }
      offset = try #require(
        try await stage.ask(SMPMessage(.write, group: 1, command: 1, payload))["off"]?.int)
    }
    let hash = try MCUbootImage(parsing: image).hash ?? []
    _ = try await stage.ask(SMPMessage(.write, group: 1, command: 0, ["hash": .bytes(hash)]))
    #expect(try await stage.ask(SMPMessage(.write, group: 0, command: 5)).isEmpty)
    #expect(await stage.back() == [false, true])
    #expect(stage.restarts.withLock { $0 } == 1)
    #expect(await stage.readVersion() == "2.0.0")
    await stage.run { played in
      let state = played.state(adapter: nil, isRunning: true).peripherals.first?.firmware
      #expect(state?.version == "2.0.0" && state?.slots.first?.bytes == image)
    }
  }

  @Test("A boot loader with an address or services of its own is refused, with the reason")
  func refusal() {
    func reason(_ dfu: DFUSpec?, _ smp: SMPSpec? = nil) -> String? {
      EmulatedPeripheral.refusal(
        of: PeripheralSpec(
          address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec(), smp: smp, dfu: dfu))
    }
    #expect(reason(DFUSpec(.secure))?.hasPrefix("its boot loader has an address of its own") == true)
    #expect(
      reason(DFUSpec(.legacy) { $0.hasNextAddress = false })?.hasPrefix("its boot loader has services")
        == true)
    #expect(reason(DFUSpec(.legacy) { $0.jumps = false }) == nil)
    #expect(reason(nil, SMPSpec()) == nil)
  }
}
