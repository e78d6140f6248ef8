// SPDX-License-Identifier: MIT
internal import AsyncIO
import BlueZClient
import DBus
import Testing

@testable import BLECentral

@Suite("EventTracker", .timeLimit(.minutes(1)))
struct EventTrackerTests {
  private static let path = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  private func words(_ kinds: [CentralEvent.Kind]) -> [String] {
    kinds.map { kind in
      switch kind {
      case .found: "found"
      case .lost: "lost"
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .changed(_, let fields): "changed " + fields.map(\.rawValue).joined(separator: ",")
      case .value: "value"
      case .adapterAdded, .adapterRemoved, .adapterChanged: "adapter"
      case .state(let state): "\(state)"
      case .missed(let count): "missed \(count)"
      }
    }
  }

  @Test("A change is reported once, and an unchanged state is not reported")
  func changes() async throws {
    try await withIdleCentral { central in
      var tracker = EventTracker(devices: [:], adapters: [:], state: .poweredOn)
      let plain = try central.sampleInfo()
      let loud = try central.sampleInfo {
        $0.rssi = -40
        $0.name = "Strap"
      }
      #expect(words(tracker.device(Self.path, is: plain)) == ["found"])
      #expect(words(tracker.device(Self.path, is: plain)) == [])
      #expect(words(tracker.device(Self.path, is: loud)) == ["changed name,rssi"])
      #expect(words(tracker.device(Self.path, is: plain)) == ["changed name,rssi"])
      #expect(words(tracker.device(Self.path, is: nil)) == ["lost"])
      #expect(words(tracker.device(Self.path, is: nil)) == [])
      #expect(words(tracker.state(is: .poweredOn)) == [])
      #expect(words(tracker.state(is: .blocked)) == ["blocked"])
    }
  }

  @Test("A device that appears with a link is connected, one that vanishes with it disconnected")
  func links() async throws {
    try await withIdleCentral { central in
      var tracker = EventTracker(devices: [:], adapters: [:], state: .poweredOn)
      let linked = try central.sampleInfo { $0.isConnected = true }
      let resolved = try central.sampleInfo {
        $0.isConnected = true
        $0.isResolved = true
      }
      #expect(words(tracker.device(Self.path, is: linked)) == ["found", "connected"])
      #expect(words(tracker.device(Self.path, is: resolved)) == ["changed services_resolved"])
      let ended = words(tracker.device(Self.path, is: try central.sampleInfo()))
      #expect(ended == ["disconnected", "changed services_resolved"])
      _ = tracker.device(Self.path, is: linked)
      #expect(words(tracker.device(Self.path, is: nil)) == ["disconnected", "lost"])
    }
  }

  @Test("The end of the daemon removes everything, and its return restores it")
  func outage() async throws {
    try await withIdleCentral { central in
      let linked = try central.sampleInfo { $0.isConnected = true }
      let adapter = Adapter(AdapterState(path: "/org/bluez/hci0"))
      let adapters = ["/org/bluez/hci0": adapter]
      var tracker = EventTracker(devices: [Self.path: linked], adapters: adapters, state: .poweredOn)
      let end = tracker.everything(devices: [:], adapters: [:], state: .serviceUnavailable)
      #expect(words(end) == ["disconnected", "lost", "adapter", "serviceUnavailable"])
      let plain = try central.sampleInfo()
      let again = tracker.everything(devices: [Self.path: plain], adapters: adapters, state: .poweredOn)
      #expect(words(again) == ["adapter", "poweredOn", "found"])
      #expect(
        words(tracker.everything(devices: [Self.path: plain], adapters: adapters, state: .poweredOn)) == [])
    }
  }

  @Test("Events that a slow reader cannot take are counted")
  func missed() async throws {
    try await withIdleCentral { central in
      let events = await central.events(capacity: 2)
      let info = try central.sampleInfo()
      for _ in 0..<5 {
        events.source.channel.send(CentralEvent(kind: .found(info), time: .now))
      }
      var iterator = events.makeAsyncIterator()
      let batch = try #require(try await iterator.nextBatch())
      #expect(words(batch.elements.map(\.kind)) == ["found", "found", "missed 3"])
    }
  }
}
