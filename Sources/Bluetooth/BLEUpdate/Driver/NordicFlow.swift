// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The update of a device with a bootloader of Nordic, by Secure or Legacy DFU.
///
/// Runs on the thread of the manager's loop.
final class NordicFlow: UpdateFlow {
  private let device: UpdateDevice
  private let firmware: Firmware
  private let method: UpdateMethod
  private var offer: DeviceOffer
  private let parts: [NordicFirmware]
  /// The address of the application; nil if the device was found in its bootloader.
  private var application: BluetoothAddress?
  /// The address of the bootloader, once it was found.
  private var bootloader: BluetoothAddress?
  /// The number of times that a transfer began again, since the device had kept nothing of it.
  private var restarts = 0
  /// The number of times that the bootloader did not take a firmware for complete that it had received.
  private var incompletes = 0
  /// True if the link was lost with the request to start the firmware: the bootloader may not have received it.
  private var isEndUncertain = false
  /// The link over which the bootloader was asked last, and did not need the part.
  private var unusedLink: DFULink?
  /// True once packets were lost: shorter ones, and no more before a report.
  private var isCautious = false

  /// The most transfers by Legacy DFU, which cannot be resumed.
  private static let mostRestarts = 40
  /// The number of transfers whose end may be uncertain.
  private static let mostUncertainEnds = 4
  /// The number of times that the bootloader may be there after the transfer, before it counts as the end.
  private static let mostSightings = 3
  /// The number of links in succession over which a request is not answered: each may take the time to erase flash.
  private static let mostSilentLinks = 2
  /// The number of links in succession over which the first packets are lost.
  private static let mostLinksWithLosses = 3
  private static let pauseAfterSighting = Duration.seconds(3)

  init(
    _ device: UpdateDevice, _ firmware: Firmware, _ method: UpdateMethod, _ offer: DeviceOffer
  ) throws(UpdateError) {
    guard case .nordic(let parts) = firmware.file.content, !parts.isEmpty else {
      throw UpdateError(.unfit, "\(firmware.name) is no package for \(method.title)")
    }
    (self.device, self.firmware, self.method, self.offer) = (device, firmware, method, offer)
    self.parts = parts
    application = device.options.application ?? (offer.isBootloader(method) ? nil : device.address)
  }

  /// The places at which the device is, whatever it runs.
  private var places: Whereabouts {
    typealias Place = Whereabouts.Place
    let home = (application ?? bootloader).map { [Place(address: $0)] } ?? []
    guard let bootloader else { return Whereabouts(home) }
    return Whereabouts(
      home
        + (application == nil
          ? applications(of: bootloader) : [Place(address: bootloader, resident: .bootloader)]))
  }

  /// The places at which an application of unknown address may be.
  private func applications(of bootloader: BluetoothAddress) -> [Whereabouts.Place] {
    typealias Place = Whereabouts.Place
    let former = device.options.formerApplication.map {
      Place(address: $0, resident: .application, isGuess: true)
    }
    return [former].compactMap(\.self) + Place.applications(of: bootloader)
  }

  // MARK: Planning

  func plan() async throws -> UpdatePlan {
    var steps: [UpdateStage] = offer.takes(method) ? [] : [.jumping, .waiting]
    for _ in parts { steps += [.transferring, .waiting] }
    steps.append(.proving)
    var warnings: [String] = []
    if method == .legacyDFU {
      warnings.append(
        "a transfer that stops begins anew; until it is done, the device may have no firmware to start")
    }
    return UpdatePlan(
      address: device.address, method: method, from: offer.revision, to: firmware.version, steps: steps,
      bytes: parts.reduce(0) { $0 + $1.firmware.count }, isInBootloader: offer.isBootloader(method),
      isAlreadyThere: false, warnings: warnings)
  }

  // MARK: Updating

  func run() async throws -> FlowOutcome {
    let from = offer.isBootloader(method) ? nil : offer.revision
    // Firmware that takes its successor itself, and has no services besides, looks like a bootloader.
    let former = offer.isBootloader(method) ? offer.revision : nil
    for (index, part) in parts.enumerated() {
      if try await transfer(part, index + 1), index + 1 < parts.count { try await findBootloader() }
    }
    for _ in 0..<Self.mostUncertainEnds {
      if let outcome = try await prove(from, beside: former) { return outcome }
      guard isEndUncertain, let last = parts.last else { break }
      // The link was lost with the request to start the firmware.
      _ = try await transfer(last, parts.count)
    }
    throw UpdateError(
      .refused, "the bootloader has taken the firmware, but has started itself again, not the firmware",
      hint: "the firmware may need another SoftDevice, or does not fit the device")
  }

  /// Returns false if the bootloader has the part already.
  private func transfer(_ part: NordicFirmware, _ number: Int) async throws -> Bool {
    isEndUncertain = false
    guard try await send(part, number) else { return false }
    try await device.awaitEnd()
    return true
  }

  /// Finds the bootloader again between two parts; a new one may have another address.
  private func findBootloader() async throws {
    device.whereabouts = Whereabouts(places.places + Whereabouts.Place.bootloaders(of: device.address))
    try await device.awaitReturn()
    offer = try await device.persist(.reading) { try await DeviceOffer(of: device.peripheral) }
  }

  /// Sends one part, and starts the bootloader for that as often as it has ended; returns false if it has the part already.
  private func send(_ part: NordicFirmware, _ number: Int) async throws -> Bool {
    while true {
      if !offer.takes(method) {
        application = application ?? device.address
        offer = try await BootloaderJump(device, method).run()
      }
      if offer.isBootloader(method) { bootloader = device.address }
      device.whereabouts = places
      device.beginPart(number, of: parts.count, size: part.firmware.count)
      do {
        return try await device.persist(.transferring) {
          offer = try await DeviceOffer(of: device.peripheral)
          try requireBootloader()
          try await listen(before: number)
          if method == .secureDFU { return try await sendSecure(part, number) }
          try await sendLegacy(part)
          return true
        }
      } catch is ApplicationIsBack {
        // A bootloader that nothing arrives at may start the application again.
        restarts += 1
        if restarts > Self.mostRestarts {
          throw UpdateError(
            .deviceError, "the bootloader ends before it has received the firmware, again and again")
        }
      }
    }
  }

  private struct ApplicationIsBack: Error {}

  /// Tells other devices from this one, which may have another address after a part.
  private func listen(before number: Int) async throws(BLEError) {
    var moves = number < parts.count ? Whereabouts.Place.bootloaders(of: device.address) : []
    if application == nil { moves += applications(of: device.address) }
    try await device.listen(at: moves)
  }

  /// Throws if the device has to start its bootloader first.
  private func requireBootloader() throws {
    if offer.takes(method) { return }
    if offer.jump(for: method) != nil { throw ApplicationIsBack() }
    throw Silence("the device does not offer \(method.title) any more")
  }

  // MARK: Secure DFU

  /// Returns false if the bootloader has the part already: it takes each version of itself only once.
  private func sendSecure(_ part: NordicFirmware, _ number: Int) async throws -> Bool {
    guard let control = offer.secureControl, let packet = offer.securePacket else { return true }
    let link = try await secureLink(control, packet)
    device.linkAnswers()
    if try await isBehind(parts[number...], over: link) {
      unusedLink = link
      return false
    }
    var rules = SecureTransfer.Rules(packetSize: packetSize(link.room))
    rules.isCautious = isCautious
    (rules.answerTime, rules.checkTime) = (device.options.answerTime, device.options.eraseTime)
    if let window = device.options.window {
      (rules.window, rules.receipts) = (window, min(rules.receipts, max(1, window / 2)))
    }
    var transfer = SecureTransfer(initPacket: part.initPacket, firmware: part.firmware, rules)
    defer { if transfer.rules.isCautious { isCautious = true } }
    do {
      try await link.run(&transfer, initPacket: part.initPacket, firmware: part.firmware) { done, start in
        device.transferred(done, from: start)
      }
    } catch let failure as SecureTransfer.Failure {
      if number < parts.count, case .refused(let result, .initPacket) = failure, result.isOldVersion {
        device.note("the bootloader has this version of \(part.name), or a newer one")
        unusedLink = link
        return false
      }
      throw error(of: failure, part)
    } catch let error as BLEError where Remedy(for: error) == .reopen && transfer.isExecutingLast {
      // The firmware may have been started before the answer; the proof tells.
      isEndUncertain = true
    }
    return true
  }

  /// Returns the link over which the bootloader did not need a part, or opens one: there is only one subscription at a time.
  private func secureLink(_ control: GATTCharacteristic, _ packet: GATTCharacteristic) async throws -> DFULink
  {
    let unused = unusedLink
    unusedLink = nil
    if let unused, unused.peripheral == device.peripheral { return unused }
    return try await DFULink.open(
      over: device.peripheral, control: control, packet: packet, within: device.options.openingTime)
  }

  /// Returns whether an earlier run has come to one of the later parts: sending one before would drop what has arrived of it.
  private func isBehind(_ later: ArraySlice<NordicFirmware>, over link: DFULink) async throws -> Bool {
    if later.isEmpty { return false }
    try await link.write(HeldInitPacket.request)
    while let value = try await link.receive(within: device.options.answerTime) {
      if let held = HeldInitPacket(value) { return later.contains(where: held.isWhole) }
    }
    return false
  }

  /// The size of packets: a multiple of 4, in which flash is written.
  private func packetSize(_ room: Int) -> Int { max(20, min(room, 244) & ~3) }

  private func error(of failure: SecureTransfer.Failure, _ part: NordicFirmware) -> any Error {
    switch failure {
    case .refused(let result, let step): result.error(of: "\(step.title) of \(part.name)")
    case .corrupt(let offset):
      Standstill(
        "the checksums of \(part.name) from byte \(offset) on are wrong, however often these bytes are sent")
    case .silence(let words): Silence(words, mostLinks: Self.mostSilentLinks)
    case .malformed(let words): UpdateError(.deviceError, words)
    case .initPacketTooLarge(let most):
      UpdateError(
        .refused,
        "the init packet of \(part.name) has \(part.initPacket.count) bytes, the bootloader takes \(most)")
    }
  }

  // MARK: Legacy DFU

  private func sendLegacy(_ part: NordicFirmware) async throws {
    guard let control = offer.legacyControl, let packet = offer.legacyPacket else { return }
    let link = try await DFULink.open(
      over: device.peripheral, control: control, packet: packet, within: device.options.openingTime)
    device.linkAnswers()
    var rules = LegacyTransfer.Rules()
    // An application that takes firmware itself may count on packets of 20 bytes.
    if offer.isBootloader(method), !isCautious { rules.packetSize = packetSize(link.room) }
    if isCautious { (rules.receipts, rules.window) = (8, 8) }
    if let window = device.options.window {
      (rules.window, rules.receipts) = (window, min(rules.receipts, max(1, window / 2)))
    }
    rules.isWithoutInitPacket = offer.legacyVersion.map { $0 < 5 && $0 > 1 } ?? false
    (rules.answerTime, rules.eraseTime) = (device.options.answerTime, device.options.eraseTime)
    let content = LegacyTransfer.Content(
      kind: part.kind.rawValue, firmware: part.firmware, initPacket: part.initPacket,
      softDeviceSize: part.softDeviceSize, bootloaderSize: part.bootloaderSize)
    var transfer = LegacyTransfer(content, rules)
    device.restartPart()
    do {
      try await link.run(&transfer) { device.transferred($0, from: 0) }
    } catch let failure as LegacyTransfer.Failure {
      try await give(up: failure, part, link)
    } catch let error as BLEError where Remedy(for: error) == .reopen {
      if transfer.isActivating {
        isEndUncertain = true
        return
      }
      try noteRestart(UpdateError.reason(of: error))
      throw error
    }
  }

  /// Throws what helps: an error, or a reason to begin again on another link.
  private func give(up failure: LegacyTransfer.Failure, _ part: NordicFirmware, _ link: DFULink) async throws
  {
    switch failure {
    case .refused(let step, let status): throw LegacyStatus.error(status, of: "\(step) of \(part.name)")
    case .malformed(let words): throw UpdateError(.deviceError, words)
    case .silence(let words):
      try noteRestart(words)
      throw Silence(words, mostLinks: Self.mostSilentLinks)
    case .unfinished, .lost, .incomplete:
      var words = "an earlier transfer was not finished"
      if case .lost(let received, let sent) = failure {
        isCautious = true
        words = "the bootloader has \(received) of \(sent) bytes that were sent"
      } else if failure == .incomplete {
        words = "the bootloader has received \(part.name), but does not take it for complete"
        // All of it was sent, so that each time counts as progress.
        incompletes += 1
        if incompletes > 1 { throw UpdateError(.deviceError, words) }
        isCautious = true
      }
      try noteRestart(words)
      do {
        try await link.write(LegacyTransfer.resetRequest)
      } catch let error as BLEError where Remedy(for: error) == .reopen {
        // It may start again before it answers.
      }
      throw Standstill(words, mostLinks: Self.mostLinksWithLosses)
    }
  }

  private func noteRestart(_ words: String) throws(UpdateError) {
    restarts += 1
    if restarts < Self.mostRestarts { return }
    throw UpdateError(
      .linkLost, "the transfer stopped \(restarts) times, and has to begin anew each time: \(words)",
      hint: "move closer to the device, and update again; until then it may stay in its bootloader")
  }

  // MARK: Proving

  /// Finds the device, and what it runs; returns nil if that is its bootloader again, whose version is still `former`.
  private func prove(_ from: String?, beside former: String?) async throws -> FlowOutcome? {
    device.whereabouts = places
    let limit = device.options.returnTime
    for sighting in 1...Self.mostSightings {
      device.enter(.proving)
      do {
        try await device.find(places, within: limit)
      } catch let error as UpdateError where error.code == .linkLost || error.code == .timedOut {
        throw unanswered(within: limit)
      }
      offer = try await device.persist(.proving) { try await DeviceOffer(of: device.peripheral) }
      if !offer.isBootloader(method) {
        let isNew = offer.revision != nil && offer.revision != from
        return outcome(from, to: offer.revision, isNew && from != nil ? .version : .bootloaderGone)
      }
      if let former, let now = offer.revision, now != former { return outcome(former, to: now, .version) }
      if sighting == Self.mostSightings || isEndUncertain { break }
      await device.release()
      try await device.pause(Self.pauseAfterSighting)
    }
    return nil
  }

  /// The bootloader has ended, which a device that is switched off looks like, too.
  private func unanswered(within limit: Duration?) -> UpdateError {
    let time = limit.map { " within \(DurationText.text($0, downTo: "s"))" } ?? ""
    let place = (application ?? bootloader).map { " at \($0)" } ?? ""
    return UpdateError(
      .timedOut,
      "the bootloader has taken the firmware, and has ended, but the new firmware is not there\(place)\(time)",
      hint: "see whether the device is near, has power and advertises; its firmware may have another address")
  }

  private func outcome(_ from: String?, to: String?, _ proof: UpdateProof) -> FlowOutcome {
    FlowOutcome(method: method, from: from, to: to, proof: proof, isConfirmed: true)
  }
}
