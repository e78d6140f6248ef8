// SPDX-License-Identifier: MIT
internal import BLECentral
package import ValueStreams

/// Announces devices to Home Assistant by MQTT discovery, and keeps their states at the broker: those that the user knows, and
/// those that have been heard for a while.
///
/// It has no clock: each call says what time it is.
package struct HomeAssistant {
  private let settings: HomeAssistantSettings
  private let gateway: HomeAssistantGateway
  private let report: @Sendable (String) -> Void
  /// The devices that are announced.
  private var devices: [BluetoothAddress: HomeAssistantDevice] = [:]
  /// Those that may be announced later: strangers may invent addresses.
  private var candidates = RecentMemory<BluetoothAddress, HomeAssistantDevice>(limit: 512)
  /// The announcements that the broker has from earlier processes, by the address of their device.
  private var earlier: [BluetoothAddress: EarlierAnnouncement] = [:]
  private var former: [FormerAnnouncement] = []
  private var waiting: [BrokerMessage] = []
  /// Nothing is to be published before this time; nil if nothing will be.
  private(set) var due: ContinuousClock.Instant?
  private var isFull = false
  /// The time when other announcements are removed; nil before the first connection.
  private var cleaning: ContinuousClock.Instant?
  private var hasCleaned = false
  private var hasWarned = false

  /// A device is announced when it has been heard for this long.
  static let probation = Duration.seconds(60)
  /// The time after which it is looked whether candidates are known: they may be heard without values.
  static let admissionPause = Duration.seconds(1)
  /// The time to hear devices again before they are removed.
  static let cleaningTime = Duration.seconds(120)
  /// The time in which a broker has told what it has over a new connection.
  static let tellingTime = Duration.seconds(10)
  /// After this time, Home Assistant has begun to listen.
  private static let birth = Duration.seconds(1)
  /// More than any house has.
  private static let mostEarlier = 10_000

  package init(
    _ settings: HomeAssistantSettings, topic: String, report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.settings, self.report) = (settings, report)
    gateway = HomeAssistantGateway(topic: topic)
  }

  /// The topics to subscribe to: the birth of Home Assistant, and announcements.
  static let topics = [
    "\(HomeAssistantGateway.discovery)/status", "\(HomeAssistantGateway.discovery)/+/+/config",
  ]

  // MARK: Events

  package mutating func take(_ event: StreamEvent, at now: ContinuousClock.Instant) {
    switch event {
    case .values(let batch):
      if !batch.origin.isAdvertised {
        settings.sightings.note(batch.origin.device, at: now, isLinked: true)
        warn(of: batch.origin)
      }
      let decoded = batch.decoded
      for index in batch.values.indices {
        take(decoded[index], of: batch.origin, at: batch.values[index].time, now)
      }
    case .record(let record):
      guard case .value(let origin, let bytes) = record.subject else { return }
      settings.sightings.note(origin.device, at: now)
      take(origin.meaning?.decode(bytes), of: origin, at: .now, now)
    case .average(let average): take(average.decoded, of: average.origin, at: average.time, now)
    case .alarm(let alarm):
      change(alarm.address, name: alarm.name, at: now) { $0.take(alarm, at: now) }
    case .absence(let absence):
      guard let address = absence.address else { return }
      // Who is expected may never have been heard.
      if settings.sightings[address] == nil, absence.last == nil { settings.sightings.expect(address) }
      change(address, name: absence.name, at: now) { $0.hear(absence.event == .returned) }
    case .link(let link):
      guard link.event != .disconnected else { return }
      settings.sightings.note(link.device, at: now, isLinked: true)
    case .dropped, .reception, .written, .served, .line: break
    }
  }

  /// Says once that a device with links is not announced.
  private mutating func warn(of origin: ValueOrigin) {
    guard !hasWarned, origin.device.isPrivate, settings.sightings[origin.address] == nil else { return }
    hasWarned = true
    report(
      "\(origin.name ?? "\(origin.address)") changes its address, so it is not announced to Home Assistant; "
        + "add its key: blectl help keys")
  }

  private mutating func take(
    _ decoded: DecodedFields?, of origin: ValueOrigin, at time: Timestamp, _ now: ContinuousClock.Instant
  ) {
    guard let decoded, origin.attribute?.descriptor == nil, origin.attribute?.offset ?? 0 == 0 else { return }
    let (settings, gateway) = (settings, gateway)
    change(origin.address, name: origin.name, at: now) { device in
      device.hear(true)
      if decoded.hasWrongChecksum { return }
      device.take(decoded, of: origin, at: time, settings, gateway, now)
    }
  }

  /// Changes a device, a new one unless it may never be announced.
  private mutating func change(
    _ address: BluetoothAddress, name: String?, at now: ContinuousClock.Instant,
    _ body: (inout HomeAssistantDevice) -> Void
  ) {
    // Taken out while it changes, so that it is not copied.
    let isAnnounced = devices[address] != nil
    var device: HomeAssistantDevice
    if let known = devices.removeValue(forKey: address) ?? candidates.take(address) {
      device = known
    } else {
      guard let sighting = settings.sightings[address] else { return }
      device = HomeAssistantDevice(address, name: name, isLasting: !sighting.isPrivate, at: now)
    }
    device.take(name: name, at: now)
    body(&device)
    let isKnown = isAnnounced || admits(address)
    if isKnown { devices[address] = device } else { candidates[address] = device }
    due = Self.earliest([due, isKnown ? device.due : admission(after: now)])
  }

  /// Returns whether a candidate is to be announced: it is known by now, and there is room.
  private mutating func admits(_ address: BluetoothAddress) -> Bool {
    guard let sighting = settings.sightings[address],
      sighting.isChosen || !sighting.isPrivate && sighting.duration >= Self.probation
    else { return false }
    if devices.count < settings.limit { return true }
    if !isFull {
      report(
        "\(settings.limit) devices are announced to Home Assistant (--home-assistant-limit), others are not")
    }
    isFull = true
    return false
  }

  // MARK: Messages of others

  mutating func receive(_ message: ReceivedMessage, at now: ContinuousClock.Instant) {
    guard let payload = message.payload else { return }
    due = now
    if message.topic == Self.topics[0] {
      // One that is kept does not tell when Home Assistant was started.
      if payload == BrokerNotices.online, !message.isRetained {
        for address in devices.keys { devices[address]?.renew(at: now, after: Self.birth) }
      }
      return
    }
    guard message.isRetained, !payload.isEmpty, earlier.count + former.count < Self.mostEarlier else {
      return
    }
    if let found = EarlierAnnouncement(topic: message.topic, payload, of: gateway) {
      guard devices[found.address] == nil, earlier[found.address] == nil else { return }
      earlier[found.address] = found
      waiting += found.messages(gateway, settings)
    } else if let found = FormerAnnouncement(topic: message.topic, payload, of: gateway) {
      if found.isControl { waiting.append(found.removal) } else { former.append(found) }
    }
  }

  /// Publishes everything again: another process may have overwritten it.
  mutating func renew(at now: ContinuousClock.Instant) {
    due = now
    for address in devices.keys { devices[address]?.renew(at: now) }
  }

  // MARK: What is published

  /// Publishes everything again over a new connection: the broker may have been restarted without its memory.
  mutating func greet(at now: ContinuousClock.Instant) {
    (waiting, due) = ([], now)
    // The broker tells again what it has.
    former = []
    earlier = earlier.filter { devices[$0.key] != nil }
    for address in devices.keys { devices[address]?.renew(at: now) }
    if settings.cleans { cleaning = max(cleaning ?? now + Self.cleaningTime, now + Self.tellingTime) }
  }

  /// The messages whose time has come; `everything` does not wait for more.
  package mutating func messages(at now: ContinuousClock.Instant, everything: Bool = false) -> [BrokerMessage]
  {
    guard everything || due.isPast(now) else { return [] }
    admitCandidates()
    var messages = waiting
    waiting = []
    for address in devices.filter({ everything || $0.value.due.isPast(now) }).keys.sorted() {
      guard var device = devices.removeValue(forKey: address) else { continue }
      let isNew = device.announced == nil
      let own = device.messages(
        gateway, settings, keeping: earlier[address], at: now, everything: everything)
      devices[address] = device
      guard isNew, device.announced != nil else {
        messages += own
        continue
      }
      // Home Assistant gives up the single entities before it takes those of the device.
      let single = former.filter { $0.address == address }
      former.removeAll { $0.address == address }
      messages += single.map(\.migration) + own + single.map(\.removal)
    }
    if cleaning.isPast(now), !hasCleaned { messages += clean() }
    let others = [candidates.keys.isEmpty ? nil : admission(after: now), hasCleaned ? nil : cleaning]
    due = Self.earliest(devices.values.map(\.due) + others)
    return messages
  }

  /// The time when candidates are looked at; nil if no more of them are announced.
  private func admission(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    isFull ? nil : now + Self.admissionPause
  }

  private static func earliest(_ times: [ContinuousClock.Instant?]) -> ContinuousClock.Instant? {
    times.compactMap(\.self).min()
  }

  private mutating func admitCandidates() {
    for address in candidates.keys.sorted() where !isFull && admits(address) {
      devices[address] = candidates.take(address)
    }
  }

  /// True if other announcements are to be removed, and have not been.
  var isCleaningDue: Bool { settings.cleans && !hasCleaned }

  /// Removes what is left of earlier processes, if that is wanted and was not done, at the end of one that was too short.
  ///
  /// The broker must have told everything that it has.
  mutating func cleanAtEnd() -> [BrokerMessage] { isCleaningDue ? clean() : [] }

  /// Removes what was announced before, and is not announced any more.
  private mutating func clean() -> [BrokerMessage] {
    hasCleaned = true
    let gone = earlier.filter { devices[$0.key] == nil }
    let messages =
      gone.values.sorted { $0.address < $1.address }.flatMap { $0.removal(gateway) } + former.map(\.removal)
    for address in gone.keys { earlier[address] = nil }
    former = []
    return messages
  }
}

extension ContinuousClock.Instant? {
  /// Returns whether it is a time that has come.
  fileprivate func isPast(_ now: ContinuousClock.Instant) -> Bool { map { $0 <= now } ?? false }
}
