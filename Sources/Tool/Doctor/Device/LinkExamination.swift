// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TerminalOutput

/// An examination of a link to a device: its services, a few reads, its pairing, and its end.
struct LinkExamination {
  let info: PeripheralInfo
  /// The services that BlueZ had before the link.
  let cached: [GATTService]
  let words: ValueWords
  let stages: StageLog
  /// Opens another link in the place of one that ended.
  let reopen: () async throws -> NextLink

  /// The time for watching whether the link lasts.
  private static let watchingTime = Duration.seconds(2)
  /// The time limit for BlueZ to close the link: 2 s, plus a margin for the radio.
  private static let closingTime = Duration.seconds(5)

  private var peripheral: Peripheral { info.peripheral }

  /// Examines the link, and stops using it.
  ///
  /// - Returns: the observations so far, and what the link showed.
  /// - Throws: an error of a cancelled task.
  func run(after observations: DeviceObservations) async throws -> DeviceObservations {
    var seen = observations
    var start = LoopClock.now
    var requests = ValueRequests(info: info, words: words, stages: stages, reopen: reopen)
    do {
      await look(at: &seen)
      let services = try await peripheral.discoverServices()
      note(services, in: &seen)
      await noteHolders(in: &seen)
      defer { (seen.readings, seen.untried) = (requests.readings, requests.untried) }
      try await requests.run(on: services)
      start = max(start, requests.lastOpening ?? start)
      if requests.isLinkSound { try await watch(from: start) }
    } catch let error as BLEError where error.code != .cancelled {
      if error.isOfHangingService { seen.failure = error } else { seen.link?.loss = error }
      // Not at the end of the search for another link in its place.
      let end = requests.lastLoss.flatMap { $0 < start ? nil : $0 } ?? LoopClock.now
      if seen.link?.loss != nil { seen.link?.lossAfter = end - start }
      // Links that end anyway do not end because of a value.
      for index in seen.readings.indices { seen.readings[index].endedLink = false }
      stages.say(.link, .fail, error.message, ["link_end": error.linkEnd.map { .text($0.rawValue) }])
    }
    judgePairing(seen)
    await end(&seen)
    return seen
  }

  private func look(at seen: inout DeviceObservations) async {
    let mtu = await peripheral.mtu
    seen.link?.mtu = mtu
    seen.isPaired = info.isPaired
    let origin = seen.link?.origin == .joined ? "another program opened it" : "opened"
    stages.say(
      .link, .ok, ([origin] + (mtu.map { ["the MTU is \($0) bytes"] } ?? [])).joined(separator: "; "),
      ["mtu": mtu.map { .count($0) }, "joined": .flag(seen.link?.origin == .joined)])
  }

  // MARK: Services

  private func note(_ services: [GATTService], in seen: inout DeviceObservations) {
    let count = services.reduce(0) { $0 + $1.characteristics.count }
    let isCached = !cached.isEmpty
    let hasChanged = isCached && services.map(\.outline) != cached.map(\.outline)
    seen.services = .init(
      services: services.count, characteristics: count, isCached: isCached, hasChanged: hasChanged)
    let source =
      !isCached
      ? "not shown by BlueZ before"
      : hasChanged ? "changed since the last link" : "known from an earlier link"
    stages.say(
      .services, services.isEmpty ? .fail : .ok,
      services.isEmpty
        ? "resolved, but there are none"
        : "\(counted(services.count, "service")), \(counted(count, "characteristic")); \(source)",
      [
        "services": .count(services.count), "characteristics": .count(count), "cached": .flag(isCached),
        "changed": isCached ? .flag(hasChanged) : nil,
      ])
  }

  private func noteHolders(in seen: inout DeviceObservations) async {
    seen.held = await peripheral.heldCharacteristics
    for uuid in seen.held {
      stages.say(
        .services, .warn, "\(seen.title(uuid)): another program holds its notifications",
        ["characteristic": .text(uuid.longForm)])
    }
  }

  // MARK: The end

  /// Waits until the link has stood for a while; throws if it is lost.
  private func watch(from start: ContinuousClock.Instant) async throws(BLEError) {
    let left = max(.milliseconds(200), Self.watchingTime - (LoopClock.now - start))
    do {
      try await peripheral.waitUntilDisconnected(timeout: left)
    } catch {
      guard error.code == .timedOut, !error.isOfHangingService else { throw error }
      return
    }
    try await peripheral.requireLink()
  }

  private func judgePairing(_ seen: DeviceObservations) {
    let keys = seen.refusals.first { [.notPaired, .pairingTooWeak, .bondLost].contains($0.code) }
    let state =
      info.isPaired ? (info.isBonded ? "paired and bonded" : "paired, without a bond") : "not paired"
    let match =
      keys?.message
      ?? (!seen.refused.isEmpty
        ? "a value seems to require it, and the device to refuse it"
        : info.isPaired
          ? seen.link?.loss == nil && seen.failure == nil ? "the device accepts the keys" : ""
          : seen.valueCount > 0 ? "nothing that was read requires it" : "no value was read")
    stages.say(
      .pairing, keys == nil && seen.refused.isEmpty ? .ok : seen.valueCount > 0 ? .warn : .fail,
      match.isEmpty ? state : "\(state); \(match)",
      ["paired": .flag(info.isPaired), "bonded": .flag(info.isBonded)])
  }

  private func end(_ seen: inout DeviceObservations) async {
    let start = LoopClock.now
    let isClosing = await peripheral.beginRelease()
    if seen.failure?.isOfHangingService == true {
      return stages.say(.disconnect, .warn, "nothing shows whether the link is closed")
    }
    if seen.link?.origin == .joined {
      return stages.say(.disconnect, .ok, "left open: another program opened the link")
    }
    do {
      try await peripheral.waitUntilDisconnected(timeout: Self.closingTime)
    } catch {
      if error.isOfHangingService {
        if seen.link?.loss == nil { seen.failure = error }
        return stages.say(.disconnect, .fail, error.message)
      }
      if error.code == .timedOut {
        return stages.say(
          .disconnect, .warn,
          isClosing
            ? "BlueZ has not closed the link after \(Self.closingTime.inSeconds)"
            : "the link stays open: another program uses it")
      }
    }
    let reason = (try? await peripheral.info)?.linkEnd
    let why = reason?.explanation.map { ": \($0)" } ?? ""
    let isLost = seen.link?.loss != nil || seen.refused.contains(where: \.endsLaterLinks)
    seen.deviceEndedLink = !isLost && seen.refusals.isEmpty && reason == .remote
    let loss = why.isEmpty ? seen.link?.loss.map { ": \($0.message)" } ?? "" : why
    let words =
      isLost
      ? "there is no link to close\(loss)" : "the link ended after \((LoopClock.now - start).inSeconds)\(why)"
    stages.say(
      .disconnect, seen.deviceEndedLink ? .warn : .ok, words,
      ["link_end": reason.map { .text($0.rawValue) }])
  }
}

extension GATTService {
  /// The parts of a service that can be compared over links.
  fileprivate var outline: [String] {
    ["\(uuid) \(handle)"] + characteristics.map { "\($0.uuid) \($0.handle) \($0.properties.rawValue)" }
  }
}
