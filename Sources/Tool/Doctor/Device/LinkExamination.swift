// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// An examination of a link to a device: its services, a few reads, its pairing, and its end.
struct LinkExamination {
  typealias Say = (
    DeviceStage.Kind, Finding.Status, String, KeyValuePairs<String, DeviceStage.Fact?>
  ) -> Void

  let info: PeripheralInfo
  /// The services that BlueZ had before the link.
  let cached: [GATTService]
  let say: Say

  /// The maximum number of values to read.
  private static let mostReads = 6
  /// The time limit for the device's answer.
  private static let answerTime = Duration.seconds(8)
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
    let start = LoopClock.now
    do {
      await look(at: &seen)
      let services = try await peripheral.discoverServices()
      note(services, in: &seen)
      try await read(services, in: &seen)
      if seen.refusals.isEmpty { try await watch(from: start) }
    } catch let error as BLEError where error.code != .cancelled {
      seen.link?.loss = error
      seen.link?.lossAfter = LoopClock.now - start
      say(.link, .fail, error.message, ["link_end": error.linkEnd.map { .text($0.rawValue) }])
    }
    judgePairing(seen)
    await end(seen)
    return seen
  }

  private func look(at seen: inout DeviceObservations) async {
    let mtu = await peripheral.mtu
    seen.link?.mtu = mtu
    seen.isPaired = info.isPaired
    let origin = seen.link?.origin == .joined ? "another program opened it" : "opened"
    say(
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
    say(
      .services, services.isEmpty ? .fail : .ok,
      services.isEmpty
        ? "resolved, but there are none" : "\(services.count), with \(count) characteristics; \(source)",
      [
        "services": .count(services.count), "characteristics": .count(count), "cached": .flag(isCached),
        "changed": isCached ? .flag(hasChanged) : nil,
      ])
  }

  // MARK: Reading

  private func read(_ services: [GATTService], in seen: inout DeviceObservations) async throws {
    let readable = services.flatMap(\.characteristics).filter { $0.properties.contains(.read) }
    if readable.isEmpty { say(.read, .ok, "no value is readable", [:]) }
    for characteristic in readable.prefix(Self.mostReads) {
      let uuid = characteristic.uuid
      do {
        let bytes = try await peripheral.readValue(for: characteristic, timeout: Self.answerTime)
        seen.readings.append(.init(uuid))
        let shown = bytes.prefix(16)
        let value = bytes.isEmpty ? "nothing" : Hex.string(Array(shown)) + (bytes.count > 16 ? "…" : "")
        say(
          .read, .ok, "\(uuid): \(value)",
          ["characteristic": .text(uuid.longForm), "bytes": .count(bytes.count)])
      } catch {
        guard error.code != .cancelled, error.code != .disconnected, !error.isOutage else { throw error }
        seen.readings.append(.init(uuid, failure: error))
        say(
          .read, error.isAboutValue ? .warn : .fail, "\(uuid): \(error.message)",
          [
            "characteristic": .text(uuid.longForm), "error": .text(error.message),
            "dbus_error": error.dbusName.map { .text($0) },
            "att_error": error.attError.map { .text($0.name) },
          ])
        // The link carries nothing more, or only after a while.
        if [.notPaired, .timedOut, .bondLost].contains(error.code) { return }
      }
    }
  }

  // MARK: The end

  /// Waits until the link has stood for a while; throws if it is lost.
  private func watch(from start: ContinuousClock.Instant) async throws(BLEError) {
    let left = max(.milliseconds(200), Self.watchingTime - (LoopClock.now - start))
    do {
      try await peripheral.waitUntilDisconnected(timeout: left)
    } catch  where error.code == .timedOut {
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
      ?? (info.isPaired
        ? seen.link?.loss == nil ? "the device accepts the keys" : "" : "nothing that was read requires it")
    say(
      .pairing, keys == nil ? .ok : .fail, match.isEmpty ? state : "\(state); \(match)",
      ["paired": .flag(info.isPaired), "bonded": .flag(info.isBonded)])
  }

  private func end(_ seen: DeviceObservations) async {
    let start = LoopClock.now
    await peripheral.release()
    if seen.link?.origin == .joined {
      return say(.disconnect, .ok, "left open: another program opened the link", [:])
    }
    let isOver: Bool
    do {
      try await peripheral.waitUntilDisconnected(timeout: Self.closingTime)
      isOver = true
    } catch {
      isOver = error.code != .timedOut
    }
    guard isOver else { return say(.disconnect, .warn, "the link stays open: another program uses it", [:]) }
    let reason = (try? await peripheral.info)?.linkEnd
    let why = reason?.explanation.map { ": \($0)" } ?? ""
    let words =
      seen.link?.loss == nil
      ? "the link ended after \((LoopClock.now - start).inSeconds)\(why)" : "there is no link to close"
    say(.disconnect, .ok, words, ["link_end": reason.map { .text($0.rawValue) }])
  }
}

extension BLEError {
  /// True if it says more about one value than about the device.
  fileprivate var isAboutValue: Bool {
    ![.notPaired, .pairingTooWeak, .bondLost, .timedOut].contains(code) && !isOfMovedAttribute
  }
}

extension GATTService {
  /// The parts of a service that can be compared over links.
  fileprivate var outline: [String] {
    ["\(uuid) \(handle)"] + characteristics.map { "\($0.uuid) \($0.handle) \($0.properties.rawValue)" }
  }
}
