// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlSession

/// Finds the device of an update among those that are heard, also if an earlier run has left it in its bootloader.
struct UpdateFinder: Sendable {
  /// A device on the air that a command may mean: as itself, or as the bootloader of a noted device.
  struct Candidate: DeviceCandidate {
    let info: PeripheralInfo
    let note: UpdateNotes.Note?

    var address: BluetoothAddress { note?.address ?? info.address }
    var name: String? { note.map(\.name) ?? info.name }
    var reportedName: String? { note == nil ? info.reportedName : nil }
    var identity: PrivateIdentity? { note == nil ? info.identity : nil }
    var rssi: Int? { info.rssi }

    /// The certainty that the device is there: least at an address where a bootloader was, and may be no more.
    var certainty: Int { info.offersBootloader ? 2 : address == info.address ? 1 : 0 }
  }

  let notes: UpdateNotes
  let context: CommandContext
  /// Returns the addresses of other devices, which are never taken for a bootloader.
  let others: @Sendable () -> Set<BluetoothAddress>

  /// The time for which a search goes on after the first match, to hear other devices of that name, and a noted device where it
  /// is more certainly.
  private static let settlingTime = Duration.milliseconds(500)
  /// The time after which a link to an application counts that was told to start its bootloader: before, it may only not have
  /// ended yet.
  private static let timeToEnd = Duration.seconds(6)

  /// Returns the note about a device that was heard, which is one of those that `device` means.
  func note(
    on info: PeripheralInfo, among meant: [UpdateNotes.Note], of device: DeviceArgument
  ) -> UpdateNotes.Note? {
    if meant.isEmpty { return nil }
    let noted = notes.all.map(\.address)
    let isMeant = device.rank(of: info) != nil
    return meant.first { note in
      // A device that is meant by another name has the address of a former bootloader.
      if isMeant, info.address != note.address, !info.offersBootloader || info.name != note.name {
        return false
      }
      return note.places(
        info.address, offersBootloader: info.offersBootloader,
        others: others().union(noted).subtracting([note.address]))
    }
  }

  /// Returns the device that is meant, as it is heard; nil if none is before the deadline.
  ///
  /// - Throws: ``CommandError`` if several match; ``BLEError``, `CancellationError`.
  func find(
    _ choice: DeviceChoice, _ meant: [UpdateNotes.Note], until deadline: ContinuousClock.Instant?
  ) async throws -> Candidate? {
    let central = try await context.bus.central()
    let begin = LoopClock.now
    var heard: [BluetoothAddress: Candidate] = [:]
    var settled: ContinuousClock.Instant?
    func add(_ info: PeripheralInfo) {
      let note = note(on: info, among: meant, of: choice.device)
      guard note != nil || choice.device.rank(of: info) != nil else { return }
      let candidate = Candidate(info: info, note: note)
      if let other = heard[candidate.address], other.certainty > candidate.certainty { return }
      heard[candidate.address] = candidate
    }
    func addLinked() async throws {
      let isPatient = LoopClock.now - begin < Self.timeToEnd
      for info in try await central.knownPeripherals() where info.isConnected {
        if isPatient, meant.contains(where: { $0.address == info.address && $0.bootloader != info.address }) {
          continue
        }
        add(info)
      }
    }
    var scan = central.scan().makeAsyncIterator()
    while true {
      try await addLinked()
      if !heard.isEmpty {
        let isCertain = heard.values.contains { $0.certainty > 0 }
        if isCertain, choice.pick == .first { break }
        let end = (isCertain ? LoopClock.now : begin + Self.timeToEnd) + Self.settlingTime
        settled = settled.map { min($0, end) } ?? end
      }
      let end = [deadline, settled, LoopClock.now + .seconds(1)].compactMap(\.self).min()
      guard let batch = try await scan.nextBatch(until: end) else { throw CancellationError() }
      for event in batch.elements where event.kind != .lost { add(event.info) }
      let now = LoopClock.now
      if settled.map({ $0 <= now }) ?? false { break }
      if let deadline, deadline <= now { break }
    }
    return try choice.select(from: heard.values.sorted { $0.info.address < $1.info.address })
  }
}
