// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Testing

@testable internal import CoreBluetooth

/// Objects may end anywhere, and call the program at their end: never under a lock.
@Suite("Ends of objects in CoreBluetooth", .timeLimit(.minutes(5)))
struct LifetimeTests {
  @Test("A peripheral may lose its last reference while another object of its device is forgotten")
  func lastReference() async {
    await #expect(processExitsWith: .success) {
      let session = CentralSession(EngineKey(["blectl.bus": "unix:path=/nonexistent"]), queue: nil)
      let address = try #require(BluetoothAddress("F2:CE:17:00:00:01"))
      let device = KnownDevice(
        identifier: PeerIdentifier.identifier(of: address), address: address, name: nil, services: [],
        longestWrite: 512, isKnown: true, isConnected: false)
      // Another object of the device, which is forgotten again and again.
      let other = CentralSession(EngineKey(["blectl.bus": "unix:path=/nonexistent"]), queue: nil)
        .peripheral(for: device)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        for _ in 0..<200_000 {
          if thread == 0 { session.forget(other) } else { _ = session.peripheral(for: device).state }
        }
      }
      #expect(session.peripherals.isEmpty)
    }
  }

  /// A characteristic that calls the program at its end.
  private final class Probe: CBMutableCharacteristic, @unchecked Sendable {
    private let ended: () -> Void

    init(ended: @escaping () -> Void) {
      self.ended = ended
      super.init(type: CBUUID(string: "2A00"), properties: .read, value: nil, permissions: .readable)
    }

    deinit { ended() }
  }

  @Test("A characteristic that is taken out of a service may look at the service at its end")
  func attributes() {
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    var counts: [Int?] = []
    service.characteristics = [Probe { counts.append(service.characteristics?.count) }]
    service.characteristics = []
    #expect(counts == [0])
  }

  @Test("A value that is replaced may look at its characteristic at its end")
  func values() throws {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A00"), properties: .read, value: nil, permissions: .readable)
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 64)
    let seen = Lock<[Data?]>([])
    do {
      let value = Data(
        bytesNoCopy: bytes, count: 64,
        deallocator: .custom { bytes, _ in
          seen.withLock { $0.append(characteristic.value) }
          bytes.deallocate()
        })
      characteristic.value = value
    }
    characteristic.value = Data([1])
    #expect(seen.withLock { $0 } == [Data([1])])
  }
}
