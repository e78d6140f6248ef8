// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// The link of a device: from a client's call, or from the central that makes it, to its end.
final class DeviceLink {
  private unowned let device: DeviceObject
  /// The link while it stands.
  private(set) var current: CentralLink?
  private(set) var phase = LinkPhase.none
  private var attempt: ConnectionAttempt?
  /// The calls of Disconnect, which are answered when the link has ended.
  private var disconnecting: [MethodCall] = []

  init(_ device: DeviceObject) { self.device = device }

  private var daemon: DaemonContext { device.daemon }
  var isConnecting: Bool { attempt != nil }

  /// Runs `action` after a delay, unless the link has ended by then.
  func after(_ delay: Duration, over link: CentralLink, _ action: @escaping (DeviceLink) -> Void) {
    daemon.timers.schedule(after: delay) { [weak device] in
      guard let device, device.link.current === link else { return }
      withExtendedLifetime(device) { action(device.link) }
    }
  }

  // MARK: Connecting

  func connect(_ call: MethodCall) {
    if daemon.behaviour.refusesParallelConnect, device.bond.isRequested || isConnecting {
      return call.fail(.inProgress)
    }
    if phase.isConnected { return call.reply() }
    guard !isConnecting else { return call.fail(.failed("Operation already in progress")) }
    guard device.adapter.isPowered else { return call.fail(.failed("Input/output error")) }
    begin(ConnectionAttempt(call))
  }

  /// Waits for the peripheral, up to the timeout.
  func begin(_ attempt: ConnectionAttempt) {
    device.makePermanent()
    self.attempt = attempt
    attempt.timeout = daemon.timers.schedule(after: daemon.timing.connectTimeout) { [weak self] in
      self?.fail(attempt, .failed("le-connection-abort-by-local"))
    }
    reachOut(attempt)
  }

  /// Waits for an advertisement of the peripheral, then for the controller.
  private func reachOut(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard device.isReachable, !device.isBlocked else {
      daemon.medium.onArrival { [weak self] in self?.reachOut(attempt) }
      return
    }
    device.adapter.connectionSlot.take(attempt) { [weak self] in
      guard let self, self.attempt === attempt else { return }
      attempt.step = daemon.timers.schedule(after: daemon.timing.connect) { [weak self] in
        self?.establish(attempt)
      }
    }
  }

  private func establish(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    let peripheral = device.peripheral
    guard device.isReachable else {
      device.adapter.connectionSlot.release(attempt)
      return reachOut(attempt)
    }
    if let fault = peripheral.faults.take(RefuseConnect.self) { return fail(attempt, fault.error) }
    if device.adapter.ignoredConnects != nil || peripheral.faults.take(HangConnect.self) != nil {
      // After a while the kernel releases the slot; the daemon waits until its timeout.
      attempt.step = daemon.timers.schedule(after: daemon.timing.controllerAttempt) { [weak device] in
        device?.adapter.connectionSlot.release(attempt)
      }
      return
    }
    attempt.withdraw(daemon.timers)
    let link = open(isForPairing: attempt.isPairing)
    after(.zero, over: link) { $0.encrypt(link, for: attempt) }
  }

  private func open(isForPairing: Bool, twin: (any PeripheralLink)? = nil) -> CentralLink {
    let link = CentralLink(to: device.peripheral, daemon: daemon, of: self)
    link.twin = twin
    current = link
    phase = .standing(isForPairing: isForPairing)
    device.wasSeen()
    if device.peripheral.faults.take(HideConnected.self) == nil { device.changed("Connected") }
    return link
  }

  /// Ends the attempt with success, or the link if the peripheral has lost its key; the daemon keeps its own.
  private func encrypt(_ link: CentralLink, for attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard device.bond.encrypt(link) else {
      return after(daemon.timing.connect, over: link) {
        if $0.attempt === attempt { $0.close(.authentication) }
      }
    }
    self.attempt = nil
    let isHeld =
      daemon.behaviour.encryptsBeforeDiscovery && (attempt.isPairing || device.bond.state.key == .dropped)
    if isHeld { device.services.phase = .held }
    if attempt.isPairing { device.bond.pair(over: link) } else { attempt.call.reply() }
    guard current === link else { return }
    guard isHeld else { return device.services.discover(over: link) }
    if !attempt.isPairing { securityRequested(.encrypted, on: link) }
  }

  private func fail(_ attempt: ConnectionAttempt, _ error: BlueZError) {
    guard self.attempt === attempt else { return }
    withdrawAttempt()
    device.wasSeen()
    if attempt.isPairing { device.bond.abandonRequest() }
    attempt.call.fail(attempt.isPairing ? .failed("Software caused connection abort") : error)
  }

  func cancelAttempt() { if let attempt { fail(attempt, .failed("br-connection-canceled")) } }

  /// Drops the attempt, and returns its call.
  @discardableResult
  func withdrawAttempt() -> MethodCall? {
    defer { attempt = nil }
    attempt?.withdraw(daemon.timers)
    return attempt?.call
  }

  /// Takes over a link that the device made to our adapter, and discovers the services of that central over it, too.
  func accept(_ incoming: any PeripheralLink) {
    guard current == nil else { return }
    let link = open(isForPairing: false, twin: incoming)
    withdrawAttempt()?.reply()
    after(.zero, over: link) { $0.device.services.discover(over: link) }
  }

  // MARK: The end

  func disconnect(_ call: MethodCall) {
    cancelAttempt()
    device.bond.disconnecting()
    guard current != nil else { return call.reply() }
    disconnecting.append(call)
    disconnect()
  }

  /// Ends the link after the delay in which profiles may say goodbye.
  func disconnect() {
    guard let link = current, phase.beginClosing() else { return }
    device.setBattery(nil)
    after(daemon.timing.disconnect, over: link) {
      guard $0.phase.isClosing else { return }
      $0.daemon.kernel.send { [weak self] in self?.terminate(link) }
    }
  }

  private func terminate(_ link: CentralLink) {
    guard current === link, phase.endClosing() else { return }
    link.terminate { [weak self] in
      guard let self, current === link else { return }
      if daemon.behaviour.endsServicesBeforeLink {
        device.services.end()
        answerDisconnects()
      }
      after(daemon.timing.linkTeardown, over: link) { $0.close() }
    }
  }

  private func answerDisconnects() {
    let calls = disconnecting
    disconnecting = []
    phase.endClosing()
    for call in calls { call.reply() }
  }

  /// The kernel ends the link.
  func closeSoon() { if let current { after(.zero, over: current) { $0.close() } } }

  func close(_ end: LinkEnd = .local) {
    if let current { ended(end) { current.close() } }
  }

  /// The device closed the link that it had made.
  func endedByCentral() {
    guard let current else { return }
    device.peripheral.disconnect(current)
    current.lost(.remote)
  }

  /// The adapter is switched off.
  func radioEnded() {
    cancelAttempt()
    close()
  }

  /// The device is removed.
  func drop() {
    guard let link = current else { return }
    current = nil
    phase = .none
    device.services.phase = .pending
    device.changed("Connected")
    device.changed("ServicesResolved")
    device.gatt.detach()
    link.close()
    daemon.tree.flush()
  }

  /// The daemon was killed: the kernel closes its sockets.
  func abandon() {
    withdrawAttempt()
    device.gatt.detach()
    current?.close()
    current = nil
  }

  private func ended(_ end: LinkEnd, _ failRequests: () -> Void) {
    let (device, daemon) = (device, daemon)
    phase = .none
    if daemon.behaviour.signalsDisconnected {
      device.services.end()
      signal(end)
    }
    device.changed("Connected")
    device.services.end()
    current = nil
    device.wasSeen()
    device.gatt.detach()
    failRequests()
    device.bond.linkEnded()
    // Only paired or trusted devices are permanent.
    if !device.bond.state.isPaired, !device.isTrusted { device.presence.release() }
    withdrawAttempt()?.fail(.failed("br-connection-canceled"))
    device.setBattery(nil)
    answerDisconnects()
    if device.presence == .forgotten {
      daemon.tree.flush()
      device.adapter.remove(device)
    }
    daemon.medium.arrived()
  }

  /// Says why the link ended, after all changes so far.
  private func signal(_ end: LinkEnd) {
    for interface in [BlueZName.bearer, BlueZName.device] {
      daemon.tree.send(
        Message(signal: "Disconnected", of: interface, at: device.path) {
          $0.string(end.name)
          $0.string(end.message)
        })
    }
  }

  // MARK: Reports of the link

  var central: AdapterPeer { device.adapter.peer }
  /// True if a client reads notifications too slowly.
  var isCongested: Bool { device.gatt.isCongested }

  func received(_ value: [UInt8], from valueHandle: UInt16) { device.gatt.received(value, from: valueHandle) }

  /// Handles a request that needs a more secure link; calls `resume` once, and if, the link is that secure.
  func raiseSecurity(of link: CentralLink, to level: LinkSecurity, then resume: @escaping () -> Void) {
    device.bond.raiseSecurity(of: link, to: level, then: resume)
  }

  func securityRequested(_ level: LinkSecurity, on link: CentralLink) {
    device.bond.securityRequested(level, on: link)
  }

  func servicesChanged() { if current != nil { device.services.changed() } }

  /// Handles the loss of the ATT channel: no more requests can be sent, although the link still stands.
  func attChannelLost() { device.gatt.detach() }

  /// Handles the end of the link; `failRequests` ends the requests that wait on it.
  func linkLost(_ end: LinkEnd, failRequests: () -> Void) { if current != nil { ended(end, failRequests) } }
}
