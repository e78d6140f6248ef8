// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BLEFormats
package import BlectlArguments

extension PeripheralInfo: DeviceCandidate {
  /// True if it may send from another address by now: it has no link, and was not heard.
  ///
  /// BlueZ itself resolves the addresses of a device that it has a bond with.
  fileprivate var mayHaveMoved: Bool { identity != nil && !isConnected && !isPaired && rssi == nil }
}

extension [PeripheralInfo] {
  /// The devices without the objects that BlueZ still has for private addresses of the past, as far as they are known.
  package func withoutFormerAddresses() -> [PeripheralInfo] {
    guard contains(where: { $0.identity != nil }) else { return self }
    var best: [DeviceKey: PeripheralInfo] = [:]
    for info in self where info.isMoreCurrent(than: best[info.key]) { best[info.key] = info }
    return filter { best[$0.key]?.peripheral == $0.peripheral }
  }
}

extension PeripheralInfo {
  /// A link counts most, then a bond, then that it was heard.
  private var currency: [Int] { [isConnected ? 1 : 0, isPaired ? 1 : 0, rssi ?? -1000] }

  fileprivate func isMoreCurrent(than other: PeripheralInfo?) -> Bool {
    guard let other else { return true }
    return other.currency.lexicographicallyPrecedes(currency)
  }
}

/// Finds a DEVICE, first among the devices that BlueZ knows, then by scanning.
///
/// The scan continues until the device is connected: BlueZ forgets devices without a scan, and the same scan
/// finds a device again that vanished.
package final class DeviceLocator {
  private let context: CommandContext
  private let central: CentralManager
  private let wanted: DeviceArgument
  private let pick: PickRule?
  private let forAll: String?
  private let deadline: ContinuousClock.Instant?
  private var scan: ScanResults.Iterator?
  private var heard: [Peripheral: PeripheralInfo] = [:]

  /// The time for which a scan continues after the first match of a name, to hear other devices of that name.
  private static let settlingTime = Duration.milliseconds(500)

  /// `limit` is the time to find and connect, nil sets no limit; for `forAll` see ``DeviceChoice``.
  package init(
    _ wanted: DeviceArgument, pick: PickRule?, forAll: String? = nil, central: CentralManager,
    context: CommandContext, within limit: Duration?
  ) {
    self.wanted = wanted
    self.pick = pick
    self.forAll = forAll
    self.central = central
    self.context = context
    deadline = limit.map { LoopClock.now + $0 }
  }

  /// Finds and connects within `--timeout`.
  package convenience init(
    _ wanted: DeviceArgument, pick: PickRule?, central: CentralManager, context: CommandContext
  ) {
    self.init(wanted, pick: pick, central: central, context: context, within: context.timeout)
  }

  package var remaining: Duration? { deadline.map { max($0 - LoopClock.now, .zero) } }

  /// The device among those that BlueZ knows; nil if none matches.
  package func known() async throws -> PeripheralInfo? {
    if let address = wanted.address {
      let info = try await central.knownPeripheral(withAddress: address)
      // That of an identity, which BlueZ may show by its private addresses.
      guard context.names.hasIdentity(at: address), info?.mayHaveMoved ?? true else { return info }
    }
    return try choose(from: try await central.knownPeripherals())
  }

  /// The device among those that BlueZ knows; otherwise throws "cannot `verb` …", with status not found.
  package func known(for verb: String, hint: String) async throws -> PeripheralInfo {
    if let info = try await known() { return info }
    throw CommandError(
      status: .notFound,
      message: "cannot \(verb) \(wanted): BlueZ knows no such device" + (try await advice(for: wanted)),
      hint: hint)
  }

  package func find() async throws -> PeripheralInfo {
    // An address that is not heard may have been replaced by another one, but a private one was asked for as such.
    if let known = try await known() {
      let isAskedFor = wanted.address == known.address && known.address != known.identity?.address
      if isAskedFor || !known.mayHaveMoved {
        if pick == .first || wanted.rank(of: known) == .exact { return known }
        // BlueZ forgets devices that are not heard: one that matches better, or as well, may be beside it.
        return try await search(beside: known)
      }
    }
    return try await search()
  }

  package func search() async throws -> PeripheralInfo { try await search(beside: nil) }

  /// Searches for other devices for a short time, if there is one already.
  private func search(beside known: PeripheralInfo?) async throws -> PeripheralInfo {
    heard = [:]
    if let known { hear(known) }
    let found = try await context.showingProgress("looking for \(wanted)") { try await scanUntilFound() }
    if let found { return found }
    try Task.checkCancellation()
    throw CommandError.absence(
      of: wanted, "not found before the timeout", nearNames: try await advice(for: wanted))
  }

  /// A suggestion of similar names, such as `; did you mean Piano?`, or an empty text.
  package func advice(for wanted: DeviceArgument) async throws -> String {
    guard !wanted.isOne else { return "" }
    let infos = Array(heard.values) + (try await central.knownPeripherals())
    // One that is known was not misspelt.
    if infos.contains(where: { wanted.rank(of: $0) != nil }) { return "" }
    return wanted.advice(among: Set(infos.compactMap(\.name)))
  }

  private func scanUntilFound() async throws -> PeripheralInfo? {
    var settled = heard.isEmpty ? nil : LoopClock.now + DeviceLocator.settlingTime
    while true {
      let limit = [deadline, settled].compactMap { $0 }.min()
      guard let batch = try await nextBatch(until: limit), limit.map({ LoopClock.now < $0 }) ?? true else {
        return settled == nil ? nil : try choose(from: Array(heard.values))
      }
      for event in batch where event.kind != .lost { hear(event.info) }
      guard try choose(from: Array(heard.values), isFinal: false) != nil else { continue }
      // Other devices may still match a name, but not an address; and `first` does not need them.
      if wanted.isOne || pick == .first { return try choose(from: Array(heard.values)) }
      settled = settled ?? LoopClock.now + DeviceLocator.settlingTime
    }
  }

  private func hear(_ info: PeripheralInfo) {
    // A device that changes its private address is one device.
    if info.identity != nil { heard = heard.filter { $0.value.key != info.key } }
    heard[info.peripheral] = info
  }

  /// The next events of the scan; empty at the limit, nil if the task was cancelled.
  private func nextBatch(until limit: ContinuousClock.Instant?) async throws -> [ScanEvent]? {
    let filter = ScanFilter(addresses: wanted.address.map { [$0] } ?? [])
    var iterator = scan ?? central.scan(filter).makeAsyncIterator()
    defer { scan = iterator }
    return try await iterator.nextBatch(until: limit)?.elements
  }

  /// The matching device; before the end of a scan, any of several.
  package func choose(from infos: [PeripheralInfo], isFinal: Bool = true) throws -> PeripheralInfo? {
    let candidates = infos.withoutFormerAddresses().sorted { $0.address < $1.address }
    return try DeviceChoice(wanted, pick: pick, forAll: forAll).select(from: candidates, isFinal: isFinal)
  }
}

extension DeviceArgument {
  /// True if only one device can match.
  package var isOne: Bool {
    switch self {
    case .address, .resolved: true
    case .name: false
    }
  }

  package var address: BluetoothAddress? {
    if case .address(let address) = self { address } else { nil }
  }
}

extension CommandError {
  /// The error for a device that was not heard; `finding` is the result of the scan, and `nearNames` the advice about names
  /// that were heard.
  package static func absence(
    of wanted: some CustomStringConvertible, _ finding: String, nearNames: String = ""
  ) -> CommandError {
    var error = CommandError(
      status: .notFound, message: "cannot find \(wanted): \(finding)\(nearNames)",
      hint: "blectl scan; a device that is connected elsewhere does not advertise", isAbsence: true)
    error.nearNames = nearNames
    return error
  }
}

/// The device of a command, and the choice if several match.
package struct DeviceChoice: Sendable {
  package let device: DeviceArgument
  /// Nil makes several matches an error.
  package let pick: PickRule?
  /// The advice for somebody who wants all of them, as the end of a hint; nil without any.
  let forAll: String?

  /// The advice of a command that takes all with an option.
  package static let allOption = "--all for each of them"

  package init(_ device: DeviceArgument, pick: PickRule? = nil, forAll: String? = nil) {
    (self.device, self.pick, self.forAll) = (device, pick, forAll)
  }

  /// Returns the matching device; before the end of a scan, any of several.
  ///
  /// - Throws: ``CommandError`` if several match.
  package func select<Candidate: DeviceCandidate>(
    from candidates: [Candidate], isFinal: Bool = true
  ) throws(CommandError) -> Candidate? {
    switch device.select(from: candidates, pick: pick) {
    case .none: return nil
    case .one(let candidate): return candidate
    case .many(let matching):
      if !isFinal { return matching.first }
      throw CommandError(
        status: .notFound, message: "cannot choose a device: '\(device)' matches \(matching.count) devices",
        details: matching.map { "\($0.address) \($0.name ?? "")" },
        hint: "use the address, or --pick strongest" + (forAll.map { ", or \($0)" } ?? ""))
    }
  }
}
