// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Events", .enabled(if: Stages.hasPlain))
  struct Events {
    /// Names of the events of one device, from a connection to its end, without the changes of its signal.
    private func names(
      _ events: CentralEvents, of address: BluetoothAddress
    ) async throws -> [String] {
      var names: [String] = []
      for try await event in events {
        switch event.kind {
        case .connected(let info) where info.address == address: names = ["connected"]
        case .value(let info, let characteristic, let bytes) where info.address == address:
          names.append("\(characteristic.uuid)=\(bytes)")
        case .changed(let info, let fields)
        where info.address == address && fields.contains(.servicesResolved) && !names.isEmpty:
          names.append(info.isServicesResolved ? "resolved" : "unresolved")
        case .disconnected(let info) where info.address == address:
          if !names.isEmpty { return names + ["disconnected"] }
        default: break
        }
      }
      return names
    }

    @Test("Links, changes and values are reported to every watcher, whichever program causes them")
    func links() async throws {
      try await Contract.withCentral { watcher in
        let events = await watcher.events()
        try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
          let plain = try await peripheral.characteristic(BuiltIn.bench(0x0104))
          #expect(try await peripheral.readValue(for: plain) == Array("fixed".utf8))
          try await peripheral.disconnect()
        }
        let told = try await names(events, of: BuiltIn.bench)
        let order = told.filter { ["connected", "resolved", "disconnected"].contains($0) }
        #expect(order == ["connected", "resolved", "disconnected"])
        #expect(told.contains("\(BuiltIn.bench(0x0104))=\(Array("fixed".utf8))"), "\(told)")
      }
    }

    @Test("The events of one adapter can be followed while a device of it is connected")
    func oneAdapter() async throws {
      try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
        try await Contract.withCentral(adapter: peripheral.central.currentAdapter().id) { watcher in
          let events = await watcher.events()
          try await peripheral.disconnect()
          for try await event in events {
            if case .disconnected(let info) = event.kind, info.address == BuiltIn.bench { break }
          }
        }
      }
    }

    @Test("A device that a scan finds is reported to every watcher")
    func found() async throws {
      try await Contract.withCentral { watcher in
        let events = await watcher.events()
        // Beacons are forgotten with the last scan: sooner or later it is found again.
        try await Contract.withCentral { scanner in
          var scan = scanner.scan().makeAsyncIterator()
          _ = try await scan.next()
          for try await event in events {
            if case .found(let info) = event.kind, info.address == BuiltIn.iBeacon {
              #expect(info.advertisement.manufacturerData[0x004c] != nil)
              break
            }
          }
        }
      }
    }

    @Test("A daemon that ends and comes back ends no events")
    func outage() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { watcher in
        let events = await watcher.events()
        var iterator = events.makeAsyncIterator()
        try await stage.killDaemon()
        var states: [BluetoothState] = []
        var isStarted = false
        while states.last != .poweredOn, let event = try await iterator.next() {
          guard case .state(let state) = event.kind else { continue }
          states.append(state)
          if state == .serviceUnavailable, !isStarted {
            isStarted = true
            try await stage.startDaemon()
          }
        }
        #expect(states.first == .serviceUnavailable)
        #expect(states.last == .poweredOn)
      }
    }
  }
}
