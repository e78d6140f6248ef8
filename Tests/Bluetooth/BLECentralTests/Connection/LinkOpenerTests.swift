// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import TestSupport
import Testing

@testable import BLECentral

@Suite("Connecting in turns")
struct ConnectingOrderTests {
  /// bluetoothd closes the socket of an attempt that is cancelled, but watches its number a moment longer: when the next
  /// Connect comes then, it takes the new socket for the old one, and two devices share a link.
  @Test("An attempt that failed is cancelled in bluetoothd before another device has its turn")
  func cancelled() async throws {
    let calls = Lock<[String]>([])
    let second = Promise<Void>()
    let fake = try FakeBlueZ(
      [FakeBlueZ.adapter]
        + (1...2).map { (FakeBlueZ.devicePath($0), [("org.bluez.Device1", FakeBlueZ.device($0))]) },
      answer: { call in
        let path = call.path ?? ""
        guard path.contains("/dev_") else { return nil }
        let number = path == FakeBlueZ.devicePath(1) ? 1 : 2
        calls.withLock { $0.append("\(call.member ?? "") \(number)") }
        guard call.member == "Connect" else { return nil }
        if number == 2 { second.fulfil(()) }
        return Message(
          errorTo: call, name: "org.bluez.Error.Failed", text: "le-connection-abort-by-local")
      })
    let central = try await CentralManager(bus: .address(fake.address), timeout: nil)
    let attempts = try await central.knownPeripherals().sorted { $0.address < $1.address }.map { info in
      Task(executorPreference: central.taskExecutor) { try await info.peripheral.connect(timeout: nil) }
    }
    await second.value
    for attempt in attempts { attempt.cancel() }
    for attempt in attempts { _ = await attempt.result }
    await central.close()
    // Get is the round trip behind Disconnect.
    #expect(
      calls.withLock { Array($0.prefix(4)) } == ["Connect 1", "Disconnect 1", "Get 1", "Connect 2"])
  }
}

@Suite("A device that BlueZ forgets")
struct ForgottenDeviceTests {
  /// BlueZ forgets a device that accepts no connections when a scan ends, and the scan goes on behind the attempt: an
  /// attempt that went on too would find the device again, and lose it again, until its time is over.
  @Test("An attempt ends at once when BlueZ forgets the device, before the call is answered")
  func forgotten() async throws {
    let calls = Lock<[String]>([])
    let path = FakeBlueZ.devicePath(1)
    let fake = try FakeBlueZ(
      [FakeBlueZ.adapter, (path, [("org.bluez.Device1", FakeBlueZ.device(1))])],
      answer: { call in
        guard call.path == path else { return nil }
        calls.withLock { $0.append(call.member ?? "") }
        return call.member == "Connect" ? FakeBlueZ.removed(path) : nil
      })
    let central = try await CentralManager(bus: .address(fake.address))
    let info = try #require(try await central.knownPeripherals().first)
    let error = await #expect(throws: BLEError.self) { try await info.peripheral.connect(timeout: nil) }
    #expect(error?.code == .notFound)
    #expect(calls.withLock { $0 } == ["Connect"])
    await central.close()
  }
}
