// SPDX-License-Identifier: MIT
package import DBus

/// What a test does to the world behind the daemon's back. Devices and adapters that do not exist are ignored.
extension Simulator {
  // MARK: Peripherals, by their addresses

  /// Closes the link of a peripheral from its side.
  package func dropLink(_ address: String) { air[address]?.dropLink() }

  /// Takes a peripheral out of reach: its link breaks, it is not heard any more.
  package func vanish(_ address: String) {
    if let peripheral = air[address] { air.setPresent(false, peripheral) }
  }

  /// Brings a peripheral back into reach.
  package func appear(_ address: String) {
    if let peripheral = air[address] { air.setPresent(true, peripheral) }
  }

  /// Adds a peripheral to the world.
  package func addPeripheral(_ spec: PeripheralSpec) { air.add(spec) }

  /// Lets the next attempts to connect fail.
  package func connectFailures(
    _ address: String, count: Int, error: String = "org.bluez.Error.Failed",
    text: String = "le-connection-abort-by-local"
  ) {
    air[address]?.faults.apply(.refuseConnect(times: count, BlueZError(error, text)))
  }

  /// Gives the first characteristic with a UUID another value and notifies it.
  package func notify(_ address: String, _ characteristic: AttributeUUID, value: [UInt8]) {
    guard let server = air[address]?.server, let handle = server.find(characteristic) else { return }
    server.setAndNotify(handle, value)
  }

  /// The values that were written to the first characteristic with a UUID, in order, as they reached the peripheral.
  ///
  /// They are kept from the first ``forgetReceived(_:)`` on.
  package func received(_ address: String, _ characteristic: AttributeUUID) -> [[UInt8]] {
    guard let server = air[address]?.server, let handle = server.find(characteristic) else { return [] }
    return server.written?[handle] ?? []
  }

  /// Forgets what a peripheral has received, and keeps from now on what it receives.
  package func forgetReceived(_ address: String) { air[address]?.server.written = [:] }

  /// Lets each packet take so long, on every link whose peripheral says nothing else.
  package func setPacketTime(_ time: Duration) { air.setPacketTime(time) }

  /// Whether a peripheral has a link to us.
  package func isConnected(_ address: String) -> Bool { air[address]?.link != nil }

  // MARK: Adapters, by their names

  /// Switches an adapter on or off, as another program would.
  package func setPowered(_ isOn: Bool, adapter: String = "hci0") {
    // The kernel reports each change by itself: one that is still to be signalled is not undone unseen.
    daemon?.tree.flush()
    remember(adapter) { $0.isPowered = isOn }
    daemon?.adapters.first { $0.spec.name == adapter }?.switchPower(isOn)
  }

  /// Blocks an adapter by rfkill, or unblocks it; it stays off when unblocked.
  package func setBlocked(_ isBlocked: Bool, adapter: String = "hci0") {
    remember(adapter) { $0.isBlocked = isBlocked }
    daemon?.adapters.first { $0.spec.name == adapter }?.setBlocked(isBlocked)
  }

  /// Unplugs an adapter.
  package func removeAdapter(_ name: String = "hci0") {
    if let spec = adapters.first(where: { $0.name == name }) { unpluggedAdapters.append(spec) }
    adapters.removeAll { $0.name == name }
    daemon?.removeAdapter(name)
  }

  /// Plugs an adapter in.
  package func addAdapter(_ spec: AdapterSpec = AdapterSpec()) {
    guard !adapters.contains(where: { $0.name == spec.name }) else { return }
    adapters.append(spec)
    daemon?.addAdapter(spec)
  }

  func remember(_ name: String, _ change: (inout AdapterSpec) -> Void) {
    if let index = adapters.firstIndex(where: { $0.name == name }) { change(&adapters[index]) }
  }

  /// Lets the daemon give up all passive scans of an adapter.
  package func releaseMonitors(adapter: String = "hci0") {
    daemon?.adapters.first { $0.spec.name == adapter }?.monitors?.releaseAll()
  }

  // MARK: A hostile daemon

  /// Shows a property with any value, also one of a wrong type; nil shows the true one again.
  package func overrideProperty(
    _ property: String, of interface: String, at path: String, with value: DBusValue?
  ) {
    daemon?.tree.override(property, of: interface, at: path, with: value)
  }

  /// Sends a signal as the daemon would not.
  package func emit(_ message: Message) { daemon?.tree.send(message) }
}
