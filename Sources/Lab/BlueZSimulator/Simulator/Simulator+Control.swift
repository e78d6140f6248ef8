// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
package import BLEWorld
internal import PeripheralEmulator

/// Changes the world for tests; ignores devices and adapters that do not exist.
extension Simulator {
  /// Sets the value of the first characteristic with a UUID and notifies it.
  package func notify(_ address: String, _ characteristic: BluetoothUUID, value: [UInt8]) {
    guard let server = medium[address]?.server, let handle = server.find(characteristic) else { return }
    server.setAndNotify(handle, value)
  }

  /// Returns the values written to the first characteristic with a UUID, in the order of their arrival.
  ///
  /// Recording starts with the first ``forgetReceived(_:)``.
  package func received(_ address: String, _ characteristic: BluetoothUUID) -> [[UInt8]] {
    guard let server = medium[address]?.server, let handle = server.find(characteristic) else { return [] }
    return server.written?[handle] ?? []
  }

  /// Discards the recorded writes to a peripheral and starts recording.
  package func forgetReceived(_ address: String) { medium[address]?.server.written = [:] }

  /// Returns the number of notifications and indications that the first characteristic with a UUID has sent so far.
  package func sentCount(_ address: String, _ characteristic: BluetoothUUID) -> Int {
    guard let server = medium[address]?.server, let handle = server.find(characteristic) else { return 0 }
    return server.sentCount(handle)
  }

  /// Returns the firmware of a peripheral that can be updated, with the bytes that it has received; also by the
  /// address of its boot loader.
  package func firmware(of address: String) -> FirmwareState? { medium[address]?.server.firmware?.state }

  package func setPacketTime(_ time: Duration) { medium.setPacketTime(time) }

  package func isConnected(_ address: String) -> Bool { medium[address]?.link != nil }

  package func bondCount(_ address: String) -> Int { medium[address]?.pairing.bondCount ?? 0 }

  /// Returns the passkey that a peripheral shows now, or the number to compare.
  package func passkey(shownBy address: String) -> UInt32? { medium[address]?.pairing.shown }

  /// Resets a peripheral's pairing: no bonds, nothing typed.
  package func resetPairing(_ address: String) { medium[address]?.pairing.reset() }

  // MARK: Adapters, by their names

  /// Switches an adapter on or off as another program does.
  package func setPowered(_ isOn: Bool, adapter: String = "hci0") {
    // The kernel reports each change separately, so signal a pending one first.
    daemon?.tree.flush()
    remember(adapter) { $0.isPowered = isOn }
    daemon?.adapter(adapter)?.switchPower(isOn)
  }

  /// Blocks an adapter as rfkill does, or unblocks it; it stays off when unblocked.
  package func setBlocked(_ isBlocked: Bool, adapter: String = "hci0") {
    remember(adapter) { $0.isBlocked = isBlocked }
    daemon?.adapter(adapter)?.setBlocked(isBlocked)
  }

  package func removeAdapter(_ name: String = "hci0") {
    if let spec = adapters.first(where: { $0.name == name }) { unpluggedAdapters.append(spec) }
    adapters.removeAll { $0.name == name }
    daemon?.removeAdapter(name)
  }

  package func addAdapter(_ spec: AdapterSpec = AdapterSpec()) {
    guard !adapters.contains(where: { $0.name == spec.name }) else { return }
    adapters.append(spec)
    daemon?.addAdapter(spec)
  }

  func remember(_ name: String, _ change: (inout AdapterSpec) -> Void) {
    if let index = adapters.firstIndex(where: { $0.name == name }) { change(&adapters[index]) }
  }

  /// Makes an adapter hear nothing, until something heals it; nil heals it.
  package func silence(adapter: String = "hci0", until cure: AdapterCure?) {
    daemon?.adapter(adapter)?.silence = cure
  }

  /// Makes an adapter's attempts to connect hang, until something heals it; nil heals it.
  package func ignoreConnects(adapter: String = "hci0", until cure: AdapterCure?) {
    daemon?.adapter(adapter)?.ignoredConnects = cure
  }

  /// Ends all passive scans of an adapter from the daemon's side.
  package func releaseMonitors(adapter: String = "hci0") {
    daemon?.adapter(adapter)?.monitors?.releaseAll()
  }
}

extension Simulator {
  /// Schedules events, counted from now.
  func schedule(_ events: [WorldEvent]) {
    for event in events { eventScheduler.schedule(event) { medium[$0] } }
  }

  /// Executes commands later, unless they are impossible by then.
  var eventScheduler: EventScheduler {
    EventScheduler(timers: events) { [weak self] command in
      // On this executor the command runs before the next message is read, even on a busy machine.
      Task(executorPreference: EventLoop.simulation) { [weak self] in try? await self?.perform(command) }
    }
  }
}

extension Simulator: ControlTarget {
  package var state: WorldState {
    WorldState(
      daemon: daemon == nil ? .stopped : isDaemonFrozen ? .frozen : .running,
      adapters: adapters.map { spec in
        let adapter = daemon?.adapter(spec.name)
        return WorldState.Adapter(
          name: spec.name, address: spec.address, isPowered: adapter?.isPowered ?? spec.isPowered,
          isBlocked: spec.isBlocked, isDiscovering: adapter?.discovery.isRunning ?? false)
      },
      peripherals: medium.peripherals.map { peripheral in
        WorldState.Peripheral(
          address: peripheral.spec.address, name: peripheral.spec.advertisement.name,
          isPresent: peripheral.isPresent, isConnected: peripheral.link != nil,
          subscribed: peripheral.server.subscribed.map(\.longForm), bonds: peripheral.pairing.bondCount,
          passkey: peripheral.pairing.shown.map { PasskeyText.text($0) },
          firmware: peripheral.isBootloader ? nil : peripheral.server.firmware?.state)
      })
  }
}
