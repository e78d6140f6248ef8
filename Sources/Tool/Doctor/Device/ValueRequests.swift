// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// Requests for a few values of a device, over as many links as they end.
struct ValueRequests {
  let info: PeripheralInfo
  let words: ValueWords
  let stages: StageLog
  /// Opens another link in the place of one that ended.
  let reopen: () async throws -> NextLink
  private(set) var readings: [DeviceObservations.Reading] = []
  /// The characteristics that were not tried, since some before them require pairing.
  private(set) var untried: [BluetoothUUID] = []
  /// The time at which a value made another link necessary; nil if none did.
  private(set) var lastOpening: ContinuousClock.Instant?
  /// The time at which the link was last lost with a request; nil if that has not happened.
  private(set) var lastLoss: ContinuousClock.Instant?
  /// The value that BlueZ reads by itself over each link, if the device has it.
  private var ownRead: BluetoothUUID?
  /// True if all requests wait for one that the device does not answer, until BlueZ closes the link.
  private var isBlocked = false
  /// True if the link carries nothing more, since a request on it requires pairing.
  private var isStalled = false

  /// The maximum number of values to read.
  private static let mostReads = 6
  /// The maximum number of links to open because a value requires pairing, if no value was read yet.
  private static let mostProtected = 3
  /// The maximum number of values that are not answered.
  private static let mostUnanswered = 2
  /// The time limit for the device's answer.
  private static let answerTime = Duration.seconds(8)

  init(
    info: PeripheralInfo, words: ValueWords, stages: StageLog,
    reopen: @escaping () async throws -> NextLink
  ) {
    (self.info, self.words, self.stages, self.reopen) = (info, words, stages, reopen)
  }

  private var peripheral: Peripheral { info.peripheral }

  /// True if there is a link that carries requests, as far as the answers show.
  var isLinkSound: Bool {
    guard !readings.contains(where: \.endsLaterLinks) else { return false }
    return readings.allSatisfy { reading in
      reading.endedLink || ![.notPaired, .timedOut, .bondLost].contains(reading.failure?.code)
    }
  }

  /// Reads the first readable values; subscribes to one if none is readable.
  ///
  /// - Throws: the reason why no more can be asked for: the link is lost, Bluetooth is not available, the task is cancelled.
  mutating func run(on services: [GATTService]) async throws {
    let all = services.flatMap(\.characteristics)
    let readable = all.filter { $0.properties.contains(.read) }
    guard !readable.isEmpty else {
      stages.say(.read, .ok, "no value is readable")
      let notifying = all.first { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
      if let notifying { _ = try await request(notifying, .subscribe) }
      return
    }
    ownRead = readable.first(where: \.isReadByBlueZ)?.uuid
    for characteristic in readable.prefix(Self.mostReads) {
      guard try await unblock(), try await request(characteristic, .read) else {
        guard readings.contains(where: { $0.failure?.code == .notPaired }) else { return }
        let tried = Set(readings.map(\.uuid))
        untried = readable.map(\.uuid).filter { !tried.contains($0) }
        return
      }
    }
  }

  /// Replaces a link that carries no requests; returns whether there is one that does.
  ///
  /// The next request would do so itself after one that requires pairing, but then the device would seem to be slow.
  private mutating func unblock() async throws -> Bool {
    guard isBlocked || isStalled else { return true }
    if isBlocked { await peripheral.release() }
    (isBlocked, isStalled) = (false, false)
    switch try await reopen() {
    case .stands: return true
    case .endsAtOnce, .absent: return false
    // The requests for other values would wait for the one that blocks it, and tell nothing about them.
    case .shared:
      stages.say(
        .read, .warn, "no other values: another program keeps the link on which nothing is answered now")
      return false
    }
  }

  /// Sends a request for one value; returns whether others make sense.
  private mutating func request(
    _ characteristic: GATTCharacteristic, _ kind: DeviceStage.Kind
  ) async throws -> Bool {
    let start = LoopClock.now
    do {
      let value = try await send(characteristic, kind)
      note(characteristic, kind, value, after: LoopClock.now - start)
      return true
    } catch {
      guard error.code != .cancelled, !error.isOutage, !error.isOfHangingService else { throw error }
      let time = LoopClock.now - start
      // What follows a value that requires pairing may require a pairing that cannot be: then BlueZ does not answer.
      let mayBeProtected = readings.contains { $0.failure?.code == .notPaired }
      note(characteristic, kind, error, after: error.isAnswer ? time : nil)
      if mayBeProtected, !error.isAnswer, error.code != .notPaired { return false }
      guard await isLost(after: error) else { return canContinue(after: error) }
      lastLoss = start + time
      for isFirst in [true, false] {
        let next = try await reopen()
        if next == .endsAtOnce, blamesOwnRead(for: error) { return false }
        guard next == .stands || next == .shared else { throw error }
        if isFirst, try await !endsLink(characteristic, kind) { throw error }
      }
      lastOpening = LoopClock.now
      readings[readings.count - 1].endedLink = true
      if readings.contains(where: { $0.duration != nil }) { return false }
      // It is not the value if every request ends the link.
      if readings.count(where: \.endedLink) > 1 { throw error }
      return true
    }
  }

  /// Sends a request; returns the value that was read, or nil for a subscription.
  private func send(
    _ characteristic: GATTCharacteristic, _ kind: DeviceStage.Kind
  ) async throws(BLEError) -> [UInt8]? {
    guard kind == .subscribe else {
      return try await peripheral.readValue(for: characteristic, timeout: Self.answerTime)
    }
    _ = try await peripheral.notifications(for: characteristic, timeout: Self.answerTime)
    return nil
  }

  /// Blames the value that BlueZ itself reads for links that end at once, unless it was answered; returns whether it does.
  ///
  /// The request with which the first link was lost may have been another one: BlueZ's own was under way, too.
  private mutating func blamesOwnRead(for error: BLEError) -> Bool {
    guard let ownRead, !readings.contains(where: { $0.uuid == ownRead && $0.duration != nil }) else {
      return false
    }
    if readings.last?.uuid != ownRead { readings.append(.init(ownRead, failure: error)) }
    readings[readings.count - 1].endedLink = true
    readings[readings.count - 1].endsLaterLinks = true
    return true
  }

  /// Repeats a request with which a link was lost; returns whether it is the request that ends the link.
  ///
  /// Since 5.82, BlueZ does not answer a request again whose pairing has failed.
  private func endsLink(
    _ characteristic: GATTCharacteristic, _ kind: DeviceStage.Kind
  ) async throws -> Bool {
    do {
      _ = try await send(characteristic, kind)
      return false
    } catch {
      if error.code == .cancelled || error.isOutage || error.isOfHangingService { throw error }
      let isLost = await isLost(after: error)
      await peripheral.release()
      return isLost || error.code == .timedOut || error.code == .notPaired
    }
  }

  /// Returns whether the link was lost with a request, perhaps together with BlueZ's object for the device.
  private func isLost(after error: BLEError) async -> Bool {
    if error.code == .notFound { return await !peripheral.hasLink }
    return error.code == .disconnected
  }

  /// Returns whether further requests make sense.
  private mutating func canContinue(after error: BLEError) -> Bool {
    func count(_ code: BLEError.Code) -> Int { readings.count { $0.failure?.code == code } }
    switch error.code {
    case .bondLost: return false
    case .notPaired:
      isStalled = true
      return readings.allSatisfy { $0.failure != nil } && count(.notPaired) <= Self.mostProtected
    case .timedOut:
      isBlocked = true
      return count(.timedOut) < Self.mostUnanswered
    default: return true
    }
  }

  // MARK: Reporting

  private mutating func note(
    _ characteristic: GATTCharacteristic, _ kind: DeviceStage.Kind, _ value: [UInt8]?,
    after duration: Duration
  ) {
    readings.append(.init(characteristic.uuid, after: duration))
    let text = value.map { $0.isEmpty ? "nothing" : words.text($0, characteristic, info) }
    stages.say(
      kind, .ok, "\(label(characteristic)): \(text ?? "subscribed")",
      [
        "characteristic": .text(characteristic.uuid.longForm),
        "name": words.name(characteristic, info).map { .text($0) }, "bytes": value.map { .count($0.count) },
      ])
  }

  private mutating func note(
    _ characteristic: GATTCharacteristic, _ kind: DeviceStage.Kind, _ error: BLEError,
    after duration: Duration?
  ) {
    readings.append(.init(characteristic.uuid, failure: error, after: duration))
    stages.say(
      kind, error.isAboutValue ? .warn : .fail, "\(label(characteristic)): \(error.message)",
      [
        "characteristic": .text(characteristic.uuid.longForm),
        "name": words.name(characteristic, info).map { .text($0) }, "error": .text(error.message),
        "dbus_error": error.dbusName.map { .text($0) }, "att_error": error.attError.map { .text($0.name) },
      ])
  }

  private func label(_ characteristic: GATTCharacteristic) -> String {
    [characteristic.uuid.description, words.name(characteristic, info)].compactMap(\.self).joined(
      separator: " ")
  }
}

extension BLEError {
  /// True if the device itself answered, and not BlueZ.
  fileprivate var isAnswer: Bool {
    ![.disconnected, .notFound, .timedOut, .notPaired, .bondLost, .busy, .failed].contains(code)
  }

  /// True if it says more about one value than about the device.
  fileprivate var isAboutValue: Bool {
    ![.bondLost, .timedOut].contains(code) && !isOfMovedAttribute
  }
}
