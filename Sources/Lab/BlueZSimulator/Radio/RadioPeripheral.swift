// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import PeripheralEmulator

/// A peripheral: its radio, its link and its GATT server.
///
/// It outlives the daemon, so written values survive a restart.
final class RadioPeripheral {
  let spec: PeripheralSpec
  let server: AttributeServer
  let pairing: PairingPeer
  private let timers: TimerQueue
  private let defaultPacketTime: () -> Duration
  private(set) var isPresent: Bool
  private(set) weak var link: (any PeripheralLink)?
  var faults: ActiveFaults
  /// The signal strength that a command has set; nil for that of the world.
  var rssi: Int16?
  /// The resolvable private address that it sends now, if any.
  var privateAddress: String?
  var onConnected = Observers<Void>()
  private var reportCount = 0
  private var wander = 0
  /// The timeline of its advertisements, from the start of the simulation.
  private var contents: AdvertisementTimeline
  private let start = LoopClock.now

  init(
    _ spec: PeripheralSpec, timers: TimerQueue, timing: SimulatorTiming,
    defaultPacketTime: @escaping () -> Duration
  ) {
    self.spec = spec
    self.timers = timers
    self.defaultPacketTime = defaultPacketTime
    isPresent = spec.isPresent && !spec.isExpected
    contents = spec.timeline()
    privateAddress = spec.privateAddress
    faults = ActiveFaults(spec.faults)
    server = AttributeServer(spec, timers: timers, responseDelay: timing.attResponse)
    pairing = PairingPeer(spec.pairing)
    server.closeLink = { [weak self] in self?.dropLink() }
    server.dropsAfterOperations = { [weak self] in self?.faults[DropAfterOperations.self]?.operations }
  }

  /// False while connected.
  var isAdvertising: Bool { isPresent && link == nil && faults[LoseAdverts.self] == nil }

  var isReachable: Bool { isAdvertising && spec.advertisement.isConnectable }

  func setPresent(_ isPresent: Bool) {
    self.isPresent = isPresent
    if !isPresent { dropLink(.timeout) }
  }

  // MARK: Advertising

  func nextReport() -> AdvertisingReport {
    defer { reportCount += 1 }
    contents.advance(to: LoopClock.now - start)
    let advertisement = contents.current
    let isNameless = reportCount < advertisement.missedNames || faults.take(LoseNames.self) != nil
    return AdvertisingReport(
      advertisement: advertisement, name: isNameless ? nil : advertisement.name,
      rssi: nextRSSI())
  }

  /// Returns values around the average in small, repeating steps: deterministic noise.
  private func nextRSSI() -> Int16 {
    let drift = Int(spec.advertisement.rssiDrift)
    let middle = rssi ?? spec.advertisement.rssi
    guard drift > 0 else { return middle }
    wander = (wander + 7) % (4 * drift)
    let offset = wander < 2 * drift ? wander - drift : 3 * drift - wander
    return Int16(clamping: Int(middle) + offset)
  }

  // MARK: The link

  var packetTime: Duration {
    faults[SlowLink.self]?.packetTime ?? spec.link.packetTime ?? defaultPacketTime()
  }

  var packetsAtOnce: Int { faults[SlowLink.self] == nil ? spec.link.packets : 1 }

  func connect(_ link: any PeripheralLink) {
    self.link = link
    server.link = link
    scheduleDrop()
    onConnected.notify(())
  }

  /// Schedules the end of the link if a fault limits its age.
  func scheduleDrop() {
    guard let limit = faults[DropAfterTime.self], let link else { return }
    timers.schedule(after: limit.time) { [weak self, weak link] in
      guard let self, let link, self.link === link, faults[DropAfterTime.self] == limit else { return }
      dropLink()
    }
  }

  func disconnect() {
    link = nil
    server.linkClosed()
  }

  /// Requests an encrypted link, authenticated if the peripheral requires that.
  func askForSecurity() {
    link?.securityRequested(spec.pairing.protection == .none ? .encrypted : .authenticated)
  }

  /// Closes the link from this side, unless `end` names another reason.
  func dropLink(_ end: LinkEnd = .remote) {
    guard let link else { return }
    disconnect()
    link.lost(end)
  }
}

extension RadioPeripheral: EventSource {}
