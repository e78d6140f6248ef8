// SPDX-License-Identifier: MIT

/// The central's end of a link, as the peripheral sees it.
protocol PeripheralLink: AnyObject {
  /// A notification or an indication has arrived.
  func received(_ value: [UInt8], from valueHandle: UInt16)
  /// Calls `action` when what the peripheral has sent so far has arrived.
  func afterReceived(_ action: @escaping () -> Void)
  /// Packets take another time from now on.
  func retime()
  /// The peripheral has closed the link, or is out of reach.
  func lost()
  /// Whether nobody else can read what goes over it: after pairing.
  var isEncrypted: Bool { get }
  /// Whether more notifications had better wait.
  var isCongested: Bool { get }
}

/// A peripheral in the air: its place in the world and its radio.
///
/// Its GATT server is ``AttributeServer``.
///
/// It outlives the daemon: what was written to it stays when the daemon is restarted.
final class Peripheral {
  let spec: PeripheralSpec
  let server: AttributeServer
  private let agenda: Agenda
  private let defaults: LinkDefaults
  private(set) var isPresent: Bool
  private(set) weak var link: (any PeripheralLink)?
  /// What is wrong with it at present.
  var faults: PeripheralFaults
  /// The signal strength that was set; nil is that of the specification.
  var rssi: Int16?
  /// Called when a link has come up.
  var onConnected = Observers<Void>()
  private var reportCount = 0
  private var wander = 0

  init(_ spec: PeripheralSpec, agenda: Agenda, timing: SimulatorTiming, defaults: LinkDefaults) {
    self.spec = spec
    self.agenda = agenda
    self.defaults = defaults
    isPresent = spec.isPresent && !spec.isExpected
    faults = PeripheralFaults(spec.faults)
    server = AttributeServer(spec, agenda: agenda, timing: timing)
    server.closeLink = { [weak self] in self?.dropLink() }
    server.dropsAfterOperations = { [weak self] in self?.faults.dropsAfterOperations }
  }

  /// Whether it advertises: a connected peripheral does not.
  var isAdvertising: Bool { isPresent && link == nil && !faults.isUnheard }

  /// Whether an attempt to connect reaches it.
  var isReachable: Bool { isAdvertising && spec.advertisement.isConnectable }

  func setPresent(_ isPresent: Bool) {
    self.isPresent = isPresent
    if !isPresent { dropLink() }
  }

  // MARK: Advertising

  /// The next report that a scanner gets.
  func nextReport() -> AdvertisingReport {
    defer { reportCount += 1 }
    let advertisement = spec.advertisement
    let isNameless = reportCount < advertisement.missedNames || faults.takeNamelessReport()
    return AdvertisingReport(
      advertisement: advertisement, name: isNameless ? nil : advertisement.name,
      rssi: nextRSSI())
  }

  /// Wanders around the middle in small steps that repeat: noise without chance.
  private func nextRSSI() -> Int16 {
    let drift = Int(spec.advertisement.rssiDrift)
    let middle = rssi ?? spec.advertisement.rssi
    guard drift > 0 else { return middle }
    wander = (wander + 7) % (4 * drift)
    let offset = wander < 2 * drift ? wander - drift : 3 * drift - wander
    return Int16(clamping: Int(middle) + offset)
  }

  // MARK: The link

  /// How long each packet of a link takes.
  var packetTime: Duration { faults.packetTime ?? spec.link.packetTime ?? defaults.packetTime }

  func connect(_ link: any PeripheralLink) {
    self.link = link
    server.link = link
    expectDrop()
    onConnected.tell(())
  }

  /// Closes the present link when it is as old as the faults say.
  func expectDrop() {
    guard let limit = faults.dropsAfterTime, let link else { return }
    agenda.schedule(after: limit) { [weak self, weak link] in
      guard let self, let link, self.link === link, faults.dropsAfterTime == limit else { return }
      dropLink()
    }
  }

  /// The central has closed the link.
  func disconnect() {
    link = nil
    server.linkClosed()
  }

  /// Closes the link from this side.
  func dropLink() {
    guard let link else { return }
    disconnect()
    link.lost()
  }
}

/// What holds for the links of all peripherals that say nothing else.
final class LinkDefaults {
  /// How long each packet takes.
  var packetTime: Duration

  init(packetTime: Duration) { self.packetTime = packetTime }
}
