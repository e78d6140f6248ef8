// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import PeripheralEmulator

/// A peripheral: its radio, its link and its GATT server.
///
/// It outlives the daemon, so written values survive a restart.
final class RadioPeripheral {
  private(set) var spec: PeripheralSpec
  let server: AttributeServer
  let pairing: PairingPeer
  /// True for a boot loader at an address of its own; its application is ``counterpart``.
  let isBootloader: Bool
  /// The boot loader at another address, or the application of this one.
  weak var counterpart: RadioPeripheral?
  /// The number of changes of its attributes that it has reported.
  private(set) var reportedChanges = 0
  private var hasUnreportedChange = false
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
  private var start = LoopClock.now
  private let reportsChangeAfter: Duration?

  /// `firmware` is that of a peripheral that can be updated; a boot loader at another address shares it.
  init(
    _ world: PeripheralSpec, firmware: EmulatedFirmware? = nil, isBootloader: Bool = false,
    timers: TimerQueue, timing: SimulatorTiming, defaultPacketTime: @escaping () -> Duration
  ) {
    let spec = RadioPeripheral.running(world, firmware, isBootloader: isBootloader)
    self.spec = spec
    self.isBootloader = isBootloader
    reportsChangeAfter = world.reportsChangeAfter
    self.timers = timers
    self.defaultPacketTime = defaultPacketTime
    let isElsewhere = world.bootloaderAddress != nil && firmware?.isInBootloader != isBootloader
    isPresent = world.isPresent && !world.isExpected && !isElsewhere
    contents = spec.timeline()
    privateAddress = spec.privateAddress
    faults = ActiveFaults(spec.faults)
    server = AttributeServer(
      spec, timers: timers, responseDelay: timing.attResponse, firmware: firmware)
    pairing = PairingPeer(spec.pairing)
    server.closeLink = { [weak self] in self?.dropLink() }
    server.dropsAfterOperations = { [weak self] in self?.faults[DropAfterOperations.self]?.operations }
  }

  private static func running(
    _ world: PeripheralSpec, _ firmware: EmulatedFirmware?, isBootloader: Bool
  ) -> PeripheralSpec {
    guard let firmware else { return world }
    if isBootloader { return firmware.bootloader ?? world }
    return world.bootloaderAddress == nil ? firmware.current : firmware.application
  }

  // MARK: Firmware

  /// Starts other firmware: its attributes and advertisements take the place of the former ones.
  func reload() {
    guard let firmware = server.firmware else { return }
    let before = server.layout
    if isBootloader {
      spec = firmware.bootloader ?? spec
    } else {
      spec = counterpart == nil ? firmware.current : firmware.application
    }
    server.reload(spec)
    contents = spec.timeline()
    (start, reportCount) = (LoopClock.now, 0)
    guard !server.layout.hasAttributes(of: before), let reportsChangeAfter else { return }
    if reportsChangeAfter > .zero { hasUnreportedChange = true } else { reportedChanges += 1 }
  }

  /// Reports changed services to a central, some time after it has connected.
  private func reportChange(to link: any PeripheralLink) {
    guard hasUnreportedChange, let reportsChangeAfter else { return }
    timers.schedule(after: reportsChangeAfter) { [weak self, weak link] in
      guard let self, let link, self.link === link, hasUnreportedChange else { return }
      hasUnreportedChange = false
      reportedChanges += 1
      link.servicesChanged()
    }
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
    reportChange(to: link)
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
