// SPDX-License-Identifier: MIT
package import AsyncIO
internal import BLEFormats
package import BLEWorld

/// A peripheral of a world without its radio: its values, its answers and its events, for a real adapter.
///
/// The owner of the adapter passes on the requests of centrals and sends the values, on the loop's thread.
package final class EmulatedPeripheral: EventSource {
  package let spec: PeripheralSpec
  package let server: AttributeServer
  package let worldEvents: [WorldEvent]
  private let timers: TimerQueue
  private let link = OutputLink()
  package var onConnected = Observers<Void>()
  /// Its lasting faults, of which a real adapter can only lose advertisements.
  package var faults: ActiveFaults {
    didSet {
      let wasHeard = oldValue[LoseAdverts.self] == nil && !server.isAway
      if isHeard != wasHeard { onAdvertising(isHeard) }
    }
  }
  /// Called when its advertisements are lost, and when they are no longer lost.
  package var onAdvertising: (_ isHeard: Bool) -> Void = { _ in }
  /// Called when its firmware restarts it: all links have to end.
  package var onRestart: () -> Void = {}
  private var isConnected = false

  /// Of the events of its world, those happen that a real adapter can emulate; everything runs on the loop.
  package init(_ spec: PeripheralSpec, events: [WorldEvent], on loop: EventLoop) {
    self.spec = spec
    worldEvents = events
    timers = TimerQueue(loop: loop)
    let firmware = EmulatedFirmware(spec.onRealAdapter)
    server = AttributeServer(firmware?.current ?? spec, timers: timers, firmware: firmware)
    faults = ActiveFaults(spec.faults)
    server.link = link
    server.onRestart = { [weak self] in self?.restart() }
  }

  package var isHeard: Bool { faults[LoseAdverts.self] == nil && !server.isAway }

  /// Lets its new firmware start: it is off the air meanwhile.
  private func restart() {
    guard let firmware = server.firmware else { return }
    let time = firmware.restart()
    server.reload(firmware.current)
    server.isAway = true
    onAdvertising(false)
    onRestart()
    // Firmware that hangs never comes back.
    guard let time else { return }
    timers.schedule(after: time) { [weak self] in
      guard let self else { return }
      server.isAway = false
      if isHeard { onAdvertising(true) }
    }
  }

  package func start(_ output: EmulatorOutput) {
    link.output = output
    for event in worldEvents where event.canBeEmulated(on: spec.address) {
      scheduler.schedule(event) { $0 == spec.address ? self : nil }
    }
  }

  /// Cancels everything that would happen later.
  package func stop() { timers.cancelAll() }

  private var scheduler: EventScheduler {
    EventScheduler(timers: timers) { [weak self] command in try? self?.perform(command) }
  }

  // MARK: What centrals do

  /// Reads the attribute with a handle, now, later or never.
  package func read(_ handle: UInt16, then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void) {
    server.read(handle, offset: 0, then: answer)
  }

  /// Writes to the attribute with a handle; `mtu` is that of the central's link, if it is known.
  package func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, mtu: Int? = nil,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) {
    if let mtu { link.size.note(mtu: mtu, longest: AttributeServer.maximumLength) }
    // A central may write before its subscription is reported, and still gets what is sent for that.
    for handle in server.subscribable where !server.isSubscribed(handle) {
      if link.output?.isSubscribed(handle) ?? false { server.setSubscribed(true, handle) }
    }
    server.write(handle, bytes, offset: offset, then: answer)
  }

  /// Handles the connection of the first central, or the end of the last link.
  package func setConnected(_ isConnected: Bool) {
    guard isConnected != self.isConnected else { return }
    self.isConnected = isConnected
    if isConnected {
      onConnected.notify(())
    } else {
      server.linkClosed()
      link.size = PacketSize()
      server.link = link
    }
  }

  /// Handles the first subscription to a characteristic, or the end of the last one.
  package func setSubscribed(_ isOn: Bool, _ handle: UInt16) {
    if isOn { server.countOperation() }
    // A second subscription must not restart what the first central receives.
    if isOn != server.isSubscribed(handle) { server.setSubscribed(isOn, handle) }
  }

  /// Sets the value of a characteristic, and sends it to the subscribed centrals.
  package func setValue(_ bytes: [UInt8], of handle: UInt16) { server.setAndNotify(handle, bytes) }

  // MARK: Commands

  /// Executes a command of the control channel, unless it cannot be emulated.
  package func perform(_ command: ControlCommand) throws(ControlError) {
    if let problem = command.action.limit { throw ControlError("/do", problem) }
    try ControlCheck(
      peripheral: { $0 == self.spec.address ? self.spec : nil }, addresses: { [self.spec.address] },
      adapters: [], absentAdapters: []
    ).check(command)
    switch command.action {
    case .characteristic(let reference, let action):
      if let handle = server.find(reference.uuid, in: reference.service) {
        server.apply(action, to: handle)
      }
    case .peripheral(_, let action): action.apply(to: self)
    default: break
    }
    if let duration = command.duration, let undoing = command.action.undoing {
      scheduler.run(ControlCommand(undoing), after: duration)
    }
  }

  /// Returns the state for the control channel; `isRunning` tells whether bluetoothd runs.
  package func state(
    adapter: (name: String, address: String, isPowered: Bool, isBlocked: Bool)?, isRunning: Bool
  ) -> WorldState {
    WorldState(
      daemon: isRunning ? .running : .stopped,
      adapters: adapter.map {
        [
          WorldState.Adapter(
            name: $0.name, address: $0.address, isPowered: $0.isPowered, isBlocked: $0.isBlocked)
        ]
      } ?? [],
      peripherals: [
        WorldState.Peripheral(
          address: spec.address, name: spec.advertisement.name, isPresent: isHeard, isConnected: isConnected,
          subscribed: server.subscribed.map(\.longForm), firmware: server.firmware?.state)
      ])
  }

  private final class OutputLink: AttributeLink {
    var output: EmulatorOutput?

    func received(_ value: [UInt8], from valueHandle: UInt16) { output?.send(valueHandle, value) }
    func afterReceived(_ action: @escaping () -> Void) { action() }
    /// BlueZ has already checked it.
    let security = LinkSecurity.secureConnections
    func isCongested(_ valueHandle: UInt16) -> Bool { output?.isCongested(valueHandle) ?? false }
    /// BlueZ cuts values to the MTU of each central.
    let longestNotification = AttributeServer.maximumLength
    /// The packet size of the links of all centrals.
    var size = PacketSize()
    var packetSize: Int { size.bytes }
  }
}

extension EmulatedPeripheral: PeripheralTarget {
  package func heal() {
    server.answerFaults.removeAll()
    faults = ActiveFaults()
  }

  // Commands that a real adapter cannot emulate are refused before.
  package func dropLink() {}
  package func setPresent(_ isPresent: Bool) {}
  package func setRSSI(_ strength: Int16) {}
  package func setPrivateAddress(_ address: String?) {}
  package func repeatProperties() {}
  package func forgetBonds() {}
  package func typePasskey(_ passkey: UInt32) {}
  package func askForSecurity() {}
  package func limitLinkTime() {}
  package func retimeLink() {}
  package func advertisesAgain() {}
}

/// Sends values to the centrals.
package struct EmulatorOutput {
  package let send: (_ handle: UInt16, _ value: [UInt8]) -> Void
  /// True if values of the characteristic with this handle still wait to be sent.
  package let isCongested: (_ handle: UInt16) -> Bool
  /// True if a central is subscribed, also if that has not been reported yet.
  package let isSubscribed: (_ handle: UInt16) -> Bool

  package init(
    send: @escaping (_ handle: UInt16, _ value: [UInt8]) -> Void,
    isCongested: @escaping (_ handle: UInt16) -> Bool,
    isSubscribed: @escaping (_ handle: UInt16) -> Bool = { _ in false }
  ) {
    self.send = send
    self.isCongested = isCongested
    self.isSubscribed = isSubscribed
  }
}
