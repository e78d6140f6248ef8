// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The search for a device that may have another address or name than before.
extension UpdateDevice {
  /// The time limit of one attempt to connect to a device that was heard.
  private static let attemptTime = Duration.seconds(20)
  /// The time for which a scan goes on before another one begins: an old one may report nothing more.
  private static let scanTime = Duration.seconds(10)
  /// The time in which another device that is near advertises at least once; bootloaders do so many times a second.
  private static let listeningTime = Duration.seconds(2)

  /// Looks for the device at several places, and connects to it.
  func find(_ places: Whereabouts, within limit: Duration?) async throws {
    let deadline = Deadline(after: limit)
    var failures = 0
    var last = BLEError(.timedOut, during: .reconnect(address), "not heard")
    while true {
      do {
        if let (heard, place) = try await look(for: places, until: deadline) {
          try await connect(to: heard, until: deadline)
          try await settle()
          if try await isOurs(place) { return }
        }
      } catch let error as BLEError {
        if [.cancelled, .busUnavailable].contains(error.code) { throw error }
        last = error
      }
      if deadline.isOver { throw lost(last, within: limit) }
      failures += 1
      try await loop.sleep(for: ReconnectPolicy(longestDelay: .seconds(2)).delay(after: failures))
    }
  }

  /// Returns whether the device that is connected now is the one; gives it up otherwise.
  private func isOurs(_ place: Whereabouts.Place) async throws -> Bool {
    if place.resident == .any { return true }
    do {
      if place.admits(try await DeviceOffer(of: peripheral).kind(for: methods)) {
        strangers.remove(place.address)
        return true
      }
      strangers.insert(place.address)
    } catch {
      await peripheral.releaseAndWait()
      throw error
    }
    await peripheral.releaseAndWait()
    return false
  }

  /// Returns the device, and its place: one that has a link, or that is heard within a while.
  private func look(
    for places: Whereabouts, until deadline: Deadline
  ) async throws(BLEError) -> (PeripheralInfo, Whereabouts.Place)? {
    for place in places.places where !isStranger(place) {
      // It does not advertise then; but a link to a neighbour may be anyone's.
      if let known = try await central.knownPeripheral(withAddress: place.address), known.isConnected,
        !place.isGuess || place.address == address
      {
        return (known, place)
      }
    }
    let end = deadline.within(Self.scanTime)
    let heard = try await central.hear(ScanFilter(), until: end) { wanted(by: places, $0) != nil }
    return heard.flatMap { info in wanted(by: places, info).map { (info, $0) } }
  }

  private func wanted(by places: Whereabouts, _ info: PeripheralInfo) -> Whereabouts.Place? {
    places.place(of: info).flatMap { isStranger($0) ? nil : $0 }
  }

  /// True if the address is certainly that of another device.
  private func isStranger(_ place: Whereabouts.Place) -> Bool {
    if place.resident == .any || place.isNamed { return false }
    return strangers.contains(place.address) || place.isGuess && options.others().contains(place.address)
  }

  private func connect(
    to heard: PeripheralInfo, until deadline: Deadline
  ) async throws(BLEError) {
    do {
      try await options.pairing?.preparing(for: heard)
    } catch {
      throw BLEError(.failed, during: .connect(heard.address), UpdateError.reason(of: error))
    }
    try await heard.peripheral.connect(timeout: deadline.within(Self.attemptTime).remaining)
    use(try await heard.peripheral.info)
  }

  // MARK: Neighbours

  /// Listens for other devices at the places that this one may move to; ``linkAnswers()`` decides about what was heard.
  ///
  /// While the device has a link, it advertises nowhere: an address that is heard then is that of another device.
  func listen(at places: [Whereabouts.Place]) async throws(BLEError) {
    var silent = Set(places.map(\.address)).subtracting(strangers).subtracting(heardBesideLink)
    if silent.isSubset(of: listenedAt) { return }
    for place in places where place.resident == .bootloader {
      if let known = try await central.knownPeripheral(withAddress: place.address), known.rssi != nil,
        !known.offersBootloader
      {
        // An application that was heard before is another device, too.
        strangers.insert(place.address)
        silent.remove(place.address)
      }
    }
    let deadline = Deadline(after: Self.listeningTime)
    while !silent.isEmpty, !deadline.isOver {
      let filter = ScanFilter(addresses: Array(silent))
      guard let heard = try await central.hear(filter, until: deadline) else { break }
      heardBesideLink.insert(heard.address)
      silent.remove(heard.address)
    }
    listenedAt.formUnion(places.map(\.address))
  }

  /// Records that the device has answered over its link, and so was no other one that was heard meanwhile.
  func linkAnswers() {
    strangers.formUnion(heardBesideLink)
    heardBesideLink = []
  }
}

extension PeripheralInfo {
  /// True if a service of Nordic's DFU is among those that it advertises, or that were found before, and none of an
  /// application.
  package var offersBootloader: Bool {
    let services = Set(advertisement.serviceUUIDs)
    return !services.isDisjoint(with: [FirmwareUUID.secureDFUService, FirmwareUUID.legacyService])
      && services.isSubset(of: DeviceOffer.common)
  }
}
