// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The peripherals of a simulation and the ether between them and the adapters.
///
/// It outlives the daemon.
final class Air {
  private let agenda: Agenda
  private let timing: SimulatorTiming
  private let defaults: LinkDefaults
  private(set) var peripherals: [Peripheral] = []
  private var byAddress: [String: Peripheral] = [:]
  /// Who scans: called with each report.
  private var listener: ((Peripheral, AdvertisingReport) -> Void)?
  private var arrivals: [() -> Void] = []
  private var generation = 0
  /// Who comes and goes by itself, as far as that is still ahead.
  private var timetable: [Appointment] = []

  private struct Appointment {
    let time: ContinuousClock.Instant
    let peripheral: Peripheral
    let isPresent: Bool
  }

  init(_ specs: [PeripheralSpec], agenda: Agenda, timing: SimulatorTiming) {
    self.timing = timing
    self.agenda = agenda
    defaults = LinkDefaults(packetTime: timing.packetTime)
    for spec in specs { insert(spec) }
  }

  private func insert(_ spec: PeripheralSpec) {
    let peripheral = Peripheral(spec, agenda: agenda, timing: timing, defaults: defaults)
    peripherals.append(peripheral)
    byAddress[spec.address] = peripheral
    for (delay, isPresent) in [(spec.appearsAfter, true), (spec.vanishesAfter, false)] {
      guard let delay else { continue }
      timetable.append(Appointment(time: LoopClock.now + delay, peripheral: peripheral, isPresent: isPresent))
    }
  }

  /// Lets the peripherals come and go when it is time for it; again for each daemon, with which all plans end.
  func followTimetable() {
    for appointment in timetable.sorted(by: { $0.time < $1.time }) { follow(appointment) }
  }

  private func follow(_ appointment: Appointment) {
    agenda.schedule(after: max(.zero, appointment.time - LoopClock.now)) { [weak self] in
      self?.timetable.removeAll { $0.peripheral === appointment.peripheral && $0.time == appointment.time }
      self?.setPresent(appointment.isPresent, appointment.peripheral)
    }
  }

  subscript(address: String) -> Peripheral? { byAddress[address] }

  /// Brings a new peripheral into the world.
  func add(_ spec: PeripheralSpec) {
    insert(spec)
    for appointment in timetable where appointment.peripheral === peripherals.last { follow(appointment) }
    arrived()
    if listener != nil, let last = peripherals.last { advertise(last, after: .milliseconds(1)) }
  }

  func setPresent(_ isPresent: Bool, _ peripheral: Peripheral) {
    peripheral.setPresent(isPresent)
    if isPresent { arrived() }
  }

  /// Lets each packet take so long, on every link whose peripheral says nothing else.
  func setPacketTime(_ time: Duration) {
    defaults.packetTime = time
    for peripheral in peripherals { peripheral.link?.retime() }
  }

  // MARK: Scanning

  /// Delivers the reports of everything that advertises, until ``stopListening()``.
  ///
  /// The peripherals are heard one after another in their first interval, those of a small world almost at once.
  func listen(_ listener: @escaping (Peripheral, AdvertisingReport) -> Void) {
    stopListening()
    self.listener = listener
    for (index, peripheral) in peripherals.enumerated() {
      let turn = peripheral.spec.advertisement.interval * index / max(1, peripherals.count)
      advertise(peripheral, after: min(turn, .milliseconds(2) * (index + 1)))
    }
  }

  func stopListening() {
    listener = nil
    generation += 1
  }

  private func advertise(_ peripheral: Peripheral, after delay: Duration) {
    let current = generation
    agenda.schedule(after: delay) { [weak self, weak peripheral] in
      guard let self, let peripheral, generation == current, let listener else { return }
      advertise(peripheral, after: peripheral.spec.advertisement.interval)
      if peripheral.isAdvertising { listener(peripheral, peripheral.nextReport()) }
    }
  }

  // MARK: Waiting for somebody

  /// Calls `action` once when a peripheral has arrived or may be reachable again.
  func onArrival(_ action: @escaping () -> Void) { arrivals.append(action) }

  /// A peripheral has come, or advertises again.
  func arrived() {
    let waiting = arrivals
    arrivals = []
    for action in waiting { action() }
  }
}
