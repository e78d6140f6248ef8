// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning

extension PeripheralInfo: DeviceCandidate {}

/// Finds the device that a DEVICE names: first among what BlueZ knows, then by scanning.
///
/// The scan is kept until the device is connected: BlueZ forgets a device that nobody looks for, and one that vanished in
/// between is found again by the same scan.
final class DeviceLocator {
  private let session: Session
  private let central: CentralManager
  private let wanted: DeviceArgument
  private let pick: PickRule?
  private let deadline: ContinuousClock.Instant?
  private var scan: ScanResults.Iterator?
  private var heard: [Peripheral: PeripheralInfo] = [:]

  /// How long a scan goes on after the first match of a name, for others of that name to be heard.
  private static let settlingTime = Duration.milliseconds(500)

  /// - Parameters:
  ///   - wanted: which device is meant.
  ///   - pick: which one of several.
  ///   - central: the way into Bluetooth.
  ///   - session: the run of the command.
  ///   - limit: how long finding and connecting may take; nil is without limit.
  init(
    _ wanted: DeviceArgument, pick: PickRule?, central: CentralManager, session: Session,
    within limit: Duration?
  ) {
    self.wanted = wanted
    self.pick = pick
    self.central = central
    self.session = session
    deadline = limit.map { .now + $0 }
  }

  /// Finds and connects within `--timeout`.
  convenience init(_ wanted: DeviceArgument, pick: PickRule?, central: CentralManager, session: Session) {
    self.init(wanted, pick: pick, central: central, session: session, within: session.timeout)
  }

  /// What is left of the time for finding and connecting.
  var remaining: Duration? { deadline.map { max($0 - .now, .zero) } }

  /// The device among those that BlueZ knows; nil when it knows none of that name.
  func known() async throws -> PeripheralInfo? {
    guard let address = wanted.address else { return try choose(from: try await central.knownPeripherals()) }
    return try await central.knownPeripheral(withAddress: address)
  }

  /// The device, found by a scan where BlueZ does not know it.
  func find() async throws -> PeripheralInfo {
    if let known = try await known() { return known }
    return try await search()
  }

  /// The device, heard by a scan.
  func search() async throws -> PeripheralInfo {
    heard = [:]
    let found = try await session.showingProgress("looking for \(wanted)") { try await scanUntilFound() }
    if let found { return found }
    try Task.checkCancellation()
    throw CommandError(
      status: .notFound,
      message: "cannot find \(wanted): not heard in the time given\(try await advice(for: wanted))",
      hint: "blectl scan; a device that is connected elsewhere does not advertise", isAbsence: true)
  }

  /// What to say of names that resemble the one that is not there: `; did you mean Piano?`, or nothing.
  func advice(for wanted: DeviceArgument) async throws -> String {
    guard wanted.address == nil else { return "" }
    let infos = Array(heard.values) + (try await central.knownPeripherals())
    let names = Set(infos.compactMap(\.name)).sorted()
    return Spelling.advice(for: wanted.description, amongNames: names).map { "; \($0)" } ?? ""
  }

  private func scanUntilFound() async throws -> PeripheralInfo? {
    var settled: ContinuousClock.Instant?
    while true {
      let limit = [deadline, settled].compactMap { $0 }.min()
      guard let batch = try await nextBatch(until: limit), limit.map({ .now < $0 }) ?? true else {
        return settled == nil ? nil : try choose(from: Array(heard.values))
      }
      for event in batch where event.kind != .lost { heard[event.info.peripheral] = event.info }
      guard try choose(from: Array(heard.values), isFinal: false) != nil else { continue }
      // An address is unique, and "first" asks for no more: otherwise others of that name may still be heard.
      if wanted.address != nil || pick == .first { return try choose(from: Array(heard.values)) }
      settled = settled ?? .now + DeviceLocator.settlingTime
    }
  }

  /// The next events of the scan; none when the time is over, nil when the task was cancelled.
  private func nextBatch(until limit: ContinuousClock.Instant?) async throws -> [ScanEvent]? {
    let filter = ScanFilter(addresses: wanted.address.map { [$0] } ?? [])
    var iterator = scan ?? central.scan(filter).makeAsyncIterator()
    defer { scan = iterator }
    guard let limit else { return try await iterator.nextBatch()?.elements }
    return try await iterator.nextBatch(until: limit)?.elements
  }

  /// The device that is meant among these; while a scan may still bring others, any that matches.
  private func choose(from infos: [PeripheralInfo], isFinal: Bool = true) throws -> PeripheralInfo? {
    switch wanted.select(from: infos.sorted { $0.address < $1.address }, pick: pick) {
    case .none: return nil
    case .one(let info): return info
    case .many(let matching):
      if !isFinal { return matching.first }
      throw CommandError(
        status: .notFound, message: "cannot tell which device: '\(wanted)' matches \(matching.count) devices",
        details: matching.map { "\($0.address) \($0.name ?? "")" },
        hint: "give the address, or --pick strongest")
    }
  }
}

extension DeviceArgument {
  /// The address, when that is what was given.
  var address: BluetoothAddress? {
    if case .address(let address) = self { address } else { nil }
  }
}
