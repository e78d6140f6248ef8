// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import PeripheralEmulator

/// The peripherals and the radio channel between them and the adapters; it outlives the daemon.
final class RadioMedium {
  private let timers: TimerQueue
  private let timing: SimulatorTiming
  /// The time per packet on links whose peripheral sets none.
  private var packetTime: Duration
  private(set) var peripherals: [RadioPeripheral] = []
  /// The adapters that advertise.
  private var adapters: [AdapterPeer] = []
  private var byAddress: [String: RadioPeripheral] = [:]
  private var listener: ((any RadioPeer, AdvertisingReport) -> Void)?
  private var arrivals: [() -> Void] = []
  private var generation = 0
  private var lastKeyNumber = 0
  /// The peripherals that are yet to appear or vanish.
  private var presenceChanges: [PresenceChange] = []

  private struct PresenceChange {
    let time: ContinuousClock.Instant
    let peripheral: RadioPeripheral
    let isPresent: Bool
  }

  init(_ specs: [PeripheralSpec], timers: TimerQueue, timing: SimulatorTiming) {
    self.timing = timing
    self.timers = timers
    packetTime = timing.packetTime
    for spec in specs { insert(spec) }
  }

  private func insert(_ spec: PeripheralSpec) {
    let firmware = EmulatedFirmware(spec)
    let peripheral = make(spec, firmware)
    if spec.bootloaderAddress != nil {
      let bootloader = make(spec, firmware, isBootloader: true)
      (peripheral.counterpart, bootloader.counterpart) = (bootloader, peripheral)
    }
    for (delay, isPresent) in [(spec.appearsAfter, true), (spec.vanishesAfter, false)] {
      guard let delay else { continue }
      presenceChanges.append(
        PresenceChange(time: LoopClock.now + delay, peripheral: peripheral, isPresent: isPresent))
    }
  }

  @discardableResult
  private func make(
    _ spec: PeripheralSpec, _ firmware: EmulatedFirmware?, isBootloader: Bool = false
  ) -> RadioPeripheral {
    let peripheral = RadioPeripheral(
      spec, firmware: firmware, isBootloader: isBootloader, timers: timers, timing: timing
    ) { [unowned self] in packetTime }
    peripherals.append(peripheral)
    byAddress[peripheral.spec.address] = peripheral
    peripheral.server.onRestart = { [weak self, weak peripheral] in
      if let peripheral { self?.restart(peripheral) }
    }
    return peripheral
  }

  /// Takes a peripheral off the air until its new firmware, or its boot loader, has started.
  private func restart(_ peripheral: RadioPeripheral) {
    guard let firmware = peripheral.server.firmware else { return }
    peripheral.setPresent(false)
    let time = firmware.restart()
    let isElsewhere = firmware.isInBootloader != peripheral.isBootloader
    let next = isElsewhere ? peripheral.counterpart ?? peripheral : peripheral
    next.reload()
    // Firmware that hangs never comes back.
    guard let time else { return }
    let change = PresenceChange(time: LoopClock.now + time, peripheral: next, isPresent: true)
    presenceChanges.append(change)
    schedule(change)
  }

  /// Schedules the peripherals that appear and vanish, for each daemon: its end cancels all timers.
  func schedulePresenceChanges() {
    for change in presenceChanges.sorted(by: { $0.time < $1.time }) { schedule(change) }
  }

  private func schedule(_ change: PresenceChange) {
    timers.schedule(after: max(.zero, change.time - LoopClock.now)) { [weak self] in
      self?.presenceChanges.removeAll { $0.peripheral === change.peripheral && $0.time == change.time }
      self?.setPresent(change.isPresent, change.peripheral)
    }
  }

  subscript(address: String) -> RadioPeripheral? { byAddress[address] }

  func add(_ spec: PeripheralSpec) {
    let known = peripherals.count
    insert(spec)
    let added = peripherals[known...]
    for change in presenceChanges where added.contains(where: { $0 === change.peripheral }) {
      schedule(change)
    }
    arrived()
    guard listener != nil else { return }
    for peripheral in added { advertise(peripheral, after: .milliseconds(1)) }
  }

  func setPresent(_ isPresent: Bool, _ peripheral: RadioPeripheral) {
    peripheral.setPresent(isPresent)
    if isPresent { arrived() }
  }

  func setPacketTime(_ time: Duration) {
    packetTime = time
    for peripheral in peripherals { peripheral.link?.retime() }
    for adapter in adapters { adapter.retime() }
  }

  var defaultPacketTime: Duration { packetTime }

  // MARK: Adapters

  /// Adds an adapter that starts to advertise, unless it is there.
  func add(_ adapter: AdapterPeer) {
    arrived()
    guard !isPresent(adapter) else { return }
    adapters.append(adapter)
    if listener != nil { advertise(adapter, after: .milliseconds(1)) }
  }

  func remove(_ adapter: AdapterPeer) { adapters.removeAll { $0 === adapter } }

  func adapter(_ address: String) -> AdapterPeer? { adapters.first { $0.address == address } }

  private func isPresent(_ peer: any RadioPeer) -> Bool {
    peer.host == nil || adapters.contains { $0 === peer }
  }

  func makeKey(_ security: LinkSecurity) -> BondKey {
    lastKeyNumber += 1
    return BondKey(number: lastKeyNumber, security: security)
  }

  // MARK: Scanning

  /// Delivers the reports of all advertising peripherals until ``stopListening()``.
  ///
  /// They start one after another within their first interval, those of a small world almost at once.
  func listen(_ listener: @escaping (any RadioPeer, AdvertisingReport) -> Void) {
    stopListening()
    self.listener = listener
    for (index, peripheral) in peripherals.enumerated() {
      let turn = peripheral.spec.advertisement.interval * index / max(1, peripherals.count)
      advertise(peripheral, after: min(turn, .milliseconds(2) * (index + 1)))
    }
    for adapter in adapters { advertise(adapter, after: .milliseconds(2)) }
  }

  func stopListening() {
    listener = nil
    generation += 1
  }

  private func advertise(_ peripheral: any RadioPeer, after delay: Duration) {
    let current = generation
    timers.schedule(after: delay) { [weak self, weak peripheral] in
      guard let self, let peripheral, generation == current, let listener, isPresent(peripheral) else {
        return
      }
      advertise(peripheral, after: peripheral.interval)
      if peripheral.isAdvertising { listener(peripheral, peripheral.nextReport()) }
    }
  }

  // MARK: Waiting for a peripheral

  /// Calls `action` once, as soon as a peripheral may be reachable.
  func onArrival(_ action: @escaping () -> Void) { arrivals.append(action) }

  /// Reports that a peripheral has appeared or advertises again.
  func arrived() {
    let waiting = arrivals
    arrivals = []
    for action in waiting { action() }
  }
}

/// A scanner's report of a peripheral: advertisement and scan response, merged.
struct AdvertisingReport {
  let advertisement: AdvertisementSpec
  let name: String?
  let rssi: Int16

  /// The report to a scanner that requests no scan response.
  var withoutScanResponse: AdvertisingReport {
    var advertisement = advertisement
    if advertisement.scanResponse.contains(.services) { advertisement.services = [] }
    return AdvertisingReport(
      advertisement: advertisement, name: advertisement.scanResponse.contains(.name) ? nil : name, rssi: rssi)
  }

  /// The fields of the packet: AD types and data.
  var fields: [(type: UInt8, bytes: [UInt8])] {
    var fields: [(type: UInt8, bytes: [UInt8])] = []
    if let flags = advertisement.flags { fields.append((0x01, [flags])) }
    let services = advertisement.services.map(\.littleEndianBytes)
    for (type, size) in [(UInt8(0x03), 2), (0x07, 16)] {
      let list = services.filter { $0.count == size }.flatMap(\.self)
      if !list.isEmpty { fields.append((type, list)) }
    }
    if let name { fields.append((0x09, Array(name.utf8))) }
    if let power = advertisement.txPower { fields.append((0x0A, [UInt8(truncatingIfNeeded: power)])) }
    for data in advertisement.serviceData {
      let uuid = data.service.littleEndianBytes
      fields.append((uuid.count == 2 ? 0x16 : 0x21, uuid + data.bytes))
    }
    if let appearance = advertisement.appearance { fields.append((0x19, appearance.littleEndianBytes)) }
    for data in advertisement.manufacturerData {
      fields.append((0xFF, data.company.littleEndianBytes + data.bytes))
    }
    return fields
  }
}

extension UInt16 {
  fileprivate var littleEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}

extension BluetoothUUID {
  /// The bytes as sent over the radio: two for a 16-bit UUID, otherwise sixteen.
  fileprivate var littleEndianBytes: [UInt8] {
    shortForm.flatMap { UInt16(exactly: $0) }?.littleEndianBytes ?? bytes.reversed()
  }
}
