// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import TerminalOutput

/// One attempt with a device, observed stage by stage, by what any program could do.
///
/// Reads values, or subscribes for a moment where none is readable, over links that it closes again; changes nothing else.
package final class DeviceExamination {
  /// Chooses the wanted device among those that were heard; nil if it is not among them, and before the end of a scan
  /// (`isFinal`) any of several.
  package typealias Choice = (_ heard: [PeripheralInfo], _ isFinal: Bool) throws -> PeripheralInfo?

  let central: CentralManager
  let timeout: Duration?
  private let choose: Choice
  private let words: ValueWords
  private let stages: StageLog
  private var seen: DeviceObservations
  /// The services that BlueZ had of an earlier link.
  private var cached: [GATTService] = []
  /// Continues until there is a link: without a scan, BlueZ forgets the device.
  private var scan: ScanResults.Iterator?

  /// The time limit for the first advertisement.
  private static let searchTime = Duration.seconds(10)
  /// The time for listening to further advertisements.
  private static let listeningTime = Duration.seconds(3)
  /// The time between two looks for a link that another program opens.
  private static let lookingTime = Duration.seconds(1)
  /// The number of times BlueZ must forget the device before it counts as one that accepts no connections.
  private static let lossesOfBeacon = 3
  /// The time limit for connecting to a paired device that is not heard: it may advertise to this machine
  /// alone.
  private static let directedTime = Duration.seconds(6)

  /// - Parameters:
  ///   - device: what the user calls it, and its address if it was given.
  ///   - central: the manager.
  ///   - timeout: the limit of each stage.
  ///   - choose: chooses the device among those that were heard.
  ///   - words: what is known of the values.
  ///   - report: called with each stage, on the manager's thread.
  package init(
    _ device: DeviceObservations, by central: CentralManager, within timeout: Duration?,
    choose: @escaping Choice, words: ValueWords, report: @escaping @Sendable (DeviceStage) -> Void
  ) {
    (seen, self.central, self.timeout, self.choose, self.words) = (device, central, timeout, choose, words)
    stages = StageLog(report: report)
  }

  /// Makes the attempt; `known` is the device as BlueZ knows it, if it does.
  ///
  /// - Returns: what it showed.
  /// - Throws: an error of the choice, or of a cancelled task.
  package func run(known: PeripheralInfo?) async throws -> DeviceObservations {
    do {
      try await look()
      try await recall(known)
      guard let info = try await listen(for: known) else { return seen }
      if let info = try await connect(info) {
        scan = nil
        let link = LinkExamination(
          info: info, cached: cached, words: words, stages: stages,
          reopen: { [self] in try await reopen(info) })
        seen = try await link.run(after: seen)
      }
    } catch let error as BLEError where error.code != .cancelled {
      seen.failure = error
    }
    scan = nil
    return seen
  }

  // MARK: BlueZ

  private func look() async throws {
    let adapter: Adapter
    do {
      adapter = try await central.currentAdapter()
    } catch {
      stages.say(.bluetoothd, .fail, error.message)
      throw error
    }
    seen.version = adapter.modalias.flatMap { BlueZVersion(modalias: $0) }
    seen.linkCount = try await central.knownPeripherals().count(where: \.isConnected)
    let state = adapter.isPowered ? "is on, with \(counted(seen.linkCount, "link"))" : "is off"
    stages.say(
      .bluetoothd, adapter.isPowered ? .ok : .fail,
      (seen.version.map { "BlueZ \($0); " } ?? "") + "\(adapter.id) \(state)",
      [
        "version": seen.version.map { .text($0.description) }, "adapter": .text(adapter.id),
        "links": .count(seen.linkCount),
      ])
    guard adapter.isPowered else {
      let code: BLEError.Code = adapter.isBlocked ? .blocked : .poweredOff
      let state = adapter.isBlocked ? "blocked (rfkill)" : "off"
      throw BLEError(code, during: .useAdapter, "the adapter \(adapter.id) is \(state)")
    }
  }

  private func recall(_ known: PeripheralInfo?) async throws {
    guard let known else {
      return stages.say(.known, .ok, "BlueZ does not know the device", ["known": .flag(false)])
    }
    note(known)
    var memory = DeviceObservations.Memory(address: known.address)
    (memory.isConnected, memory.isPaired, memory.isBlocked) = (
      known.isConnected, known.isPaired, known.isBlocked
    )
    cached = await known.peripheral.shownServices
    memory.serviceCount = cached.count
    seen.memory = memory
    seen.otherAdapters = await central.adapters(linkedTo: known.address).filter { $0 != known.adapter }
    var state = [known.description, known.isPaired ? "paired" : "not paired"]
    if known.isConnected { state.append("connected, by another program or by the device") }
    if known.isBlocked { state.append("blocked") }
    if memory.serviceCount > 0, !known.isConnected {
      state.append("\(counted(memory.serviceCount, "service")) of an earlier link")
    }
    if !seen.otherAdapters.isEmpty {
      state.append("connected through \(seen.otherAdapters.joined(separator: ", "))")
    }
    let isBad = known.isBlocked || !seen.otherAdapters.isEmpty
    stages.say(
      .known, isBad ? .fail : .ok, state.joined(separator: "; "),
      [
        "known": .flag(true), "address": .text("\(known.address)"),
        "address_type": known.addressType.map { .text($0.rawValue) }, "name": known.name.map { .text($0) },
        "connected": .flag(known.isConnected), "paired": .flag(known.isPaired),
        "blocked": .flag(known.isBlocked), "services": .count(memory.serviceCount),
        "other_adapters": seen.otherAdapters.isEmpty ? nil : .texts(seen.otherAdapters),
      ])
    if known.isBlocked {
      throw BLEError(.deviceBlocked, during: .connect(known.address), "the device is blocked")
    }
  }

  private func note(_ info: PeripheralInfo) {
    (seen.address, seen.addressType, seen.isPaired) = (info.address, info.addressType, info.isPaired)
  }

  // MARK: Listening

  /// Listens for the device, unless it has a link; returns it if an attempt to connect makes sense.
  private func listen(for known: PeripheralInfo?) async throws -> PeripheralInfo? {
    if let known, known.isConnected {
      stages.say(.heard, .ok, "not listened for: a device with a link does not advertise")
      return known
    }
    if let found = try await listenAround(for: known) { return found }
    try await requireAnswers()
    return seen.otherAdapters.isEmpty && known?.isPaired == true ? known : nil
  }

  /// Listens for the device, and notes what is heard.
  private func listenAround(for known: PeripheralInfo?) async throws -> PeripheralInfo? {
    var hearing = Hearing()
    let began = LoopClock.now
    let found: PeripheralInfo?
    do {
      found = try await hear(known, for: Self.listeningTime, &hearing)
    } catch let error as BLEError where error.code != .cancelled {
      stages.say(
        .heard, .fail, "cannot scan: \(error.message)", ["dbus_error": error.dbusName.map { .text($0) }])
      throw error
    }
    hearing.duration = LoopClock.now - began
    seen.hearing = hearing
    if let found { note(found) }
    let isLost = !hearing.isHeard
    seen.isOpenedMeanwhile = isLost && found != nil
    stages.say(
      .heard, seen.isOpenedMeanwhile || hearing.isWeak ? .warn : isLost ? .fail : .ok,
      seen.isOpenedMeanwhile
        ? "another program opened the link meanwhile" : found.map { hearing.text(of: $0) } ?? hearing.text,
      [
        "count": .count(hearing.count), "listened_seconds": .seconds(hearing.duration),
        "rssi": hearing.strength.map { .count($0) }, "rssi_min": hearing.weakest.map { .count($0) },
        "rssi_max": hearing.strongest.map { .count($0) },
        "addresses": isLost ? nil : .texts(hearing.addresses.map(\.description)),
        "address_type": found?.addressType.map { .text($0.rawValue) },
        "address_kind": found?.randomKind.map { .text($0.rawValue) },
        "other_devices": .count(hearing.others.count),
      ])
    return found
  }

  /// Throws if nothing was heard because bluetoothd hangs.
  private func requireAnswers() async throws {
    do {
      try await central.requireAnswers(during: .scan)
    } catch {
      stages.say(.bluetoothd, .fail, error.message)
      throw error
    }
  }

  /// Returns the device if it has a link by now.
  private func linkedMeanwhile(_ known: PeripheralInfo?) async throws -> PeripheralInfo? {
    let linked = try await central.knownPeripherals().filter(\.isConnected)
    if let known { return linked.first { $0.isSame(as: known) } }
    return try choose(linked, false)
  }

  /// Waits for the device, then listens for some time more; ends if another program of this machine opens its link.
  private func hear(
    _ known: PeripheralInfo?, for time: Duration, _ hearing: inout Hearing
  ) async throws -> PeripheralInfo? {
    var target = known
    var all: [Peripheral: PeripheralInfo] = [:]
    var found: PeripheralInfo?
    let search = min(timeout.map { $0 / 2 } ?? Self.searchTime, Self.searchTime)
    var end = LoopClock.now + search
    var iterator = scan ?? central.scan(reportsDuplicates: true).makeAsyncIterator()
    defer { scan = iterator }
    while LoopClock.now < end {
      let next = min(end, LoopClock.now + Self.lookingTime)
      guard let batch = try await iterator.nextBatch(until: next) else { throw CancellationError() }
      for event in batch.elements where event.kind != .lost {
        let info = event.info
        if known == nil { all[info.peripheral] = info }
        if target == nil { target = try choose(Array(all.values), false) }
        guard let device = target, info.isSame(as: device) else {
          let isNamesake = info.name != nil && info.name == target?.name
          hearing.heardOther(info.address, hasSameName: isNamesake)
          continue
        }
        if found == nil { end = min(end, LoopClock.now + time) }
        (found, target) = (info, info)
        hearing.heard(from: info.address, rssi: info.rssi)
      }
      if found == nil, let linked = try await linkedMeanwhile(known) { return linked }
    }
    if known == nil, found != nil { _ = try choose(Array(all.values), true) }
    hearing.names = Set(all.values.compactMap(\.name))
    return found
  }

  // MARK: Connecting

  /// Connects, or notes why that fails.
  private func connect(_ info: PeripheralInfo) async throws -> PeripheralInfo? {
    let log = AttemptLog(reportingTo: stages)
    let isHeard = seen.hearing?.isHeard ?? true
    let limit = isHeard ? timeout : min(timeout ?? Self.directedTime, Self.directedTime)
    defer { seen.attempts = log.attempts }
    var info = info
    while true {
      do {
        let origin = try await info.peripheral.connect(timeout: limit) { log.note($0) }
        log.succeeded()
        seen.link = DeviceObservations.Link(origin: origin)
        let word = origin == .opened ? "attempt \(log.attempts.count): " : ""
        let how = log.attempts.last?.text ?? "joined the link that another program has opened"
        let isSlow = log.attempts.last?.servicesTime.map { $0 > DeviceObservations.slowServices } ?? false
        stages.say(.connect, isSlow ? .warn : .ok, word + how, ["attempt": .count(log.attempts.count)])
        return try await info.peripheral.info
      } catch  where error.code == .notFound && isHeard {
        // BlueZ forgets a device that accepts no connections whenever a scan ends or pauses, and now and then another.
        seen.lossesFromMemory += 1
        var hearing = Hearing()
        guard seen.lossesFromMemory < Self.lossesOfBeacon,
          let again = try await hear(info, for: .zero, &hearing)
        else {
          stages.say(.connect, .fail, "it accepts no connections: BlueZ forgets it instead of connecting")
          return nil
        }
        info = again
      } catch {
        log.failed()
        if error.code != .cancelled {
          stages.say(.connect, .fail, error.message, ["dbus_error": error.dbusName.map { .text($0) }])
        }
        if seen.hearing == nil, error.isOfLink { try await listenAfterLink(to: info) }
        throw error
      }
    }
  }

  /// Listens for a device whose link seemed to stand, and was not there: it may have left, or have another address.
  private func listenAfterLink(to info: PeripheralInfo) async throws {
    do {
      _ = try await listenAround(for: info)
    } catch let error as BLEError where error.code != .cancelled {}  // why there is no link says more
  }

  /// Opens another link in the place of one that ended, to a device that BlueZ may have forgotten meanwhile.
  private func reopen(_ info: PeripheralInfo) async throws -> NextLink {
    var info = info
    defer { scan = nil }
    for _ in 0..<2 {
      let log = AttemptLog(reportingTo: stages)
      do {
        let origin = try await info.peripheral.connect(timeout: timeout) { log.note($0) }
        stages.say(
          .connect, .ok,
          origin == .opened
            ? "another link, in the place of the last one" : "joined the link that another program holds")
        return origin == .opened ? .stands : .shared
      } catch {
        if error.code == .cancelled || error.isOutage || error.isOfHangingService { throw error }
        guard error.code == .notFound else {
          log.failed()
          stages.say(
            .connect, .warn, "no other link: \(error.message)",
            ["dbus_error": error.dbusName.map { .text($0) }])
          return log.attempts.count(where: \.isLoss) > 1 ? .endsAtOnce : .absent
        }
      }
      var hearing = Hearing()
      guard let again = try await hear(info, for: .zero, &hearing) else { return .absent }
      info = again
    }
    return .absent
  }
}

extension BLEError {
  /// True if it is about the link, and not about this machine.
  fileprivate var isOfLink: Bool { code != .cancelled && !isOutage && !isOfHangingService }
}

extension PeripheralInfo {
  /// Returns whether it is the same device, even behind another private address.
  fileprivate func isSame(as other: PeripheralInfo) -> Bool {
    peripheral == other.peripheral || key == other.key
  }

  /// `Heart Strap, F0:F1:F2:F3:F4:F5 (random, static)`.
  fileprivate var description: String {
    [name, "\(address) (\(addressText))"].compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var addressText: String {
    switch (addressType, randomKind) {
    case (.public, _): "public"
    case (.random, .resolvable?): "private, which changes"
    case (.random, .nonResolvable?): "private, not resolvable, which changes"
    case (.random, _): "random, static"
    case (nil, _): "of an unknown kind"
    }
  }
}

extension Hearing {
  fileprivate func text(of info: PeripheralInfo) -> String {
    "\(text), from \(info.address) (\(info.addressText))"
  }
}
