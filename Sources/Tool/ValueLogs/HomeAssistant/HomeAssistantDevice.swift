// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// A device in Home Assistant: its entities, and the last states of them.
struct HomeAssistantDevice {
  /// The last values of a place.
  private struct Values {
    var known: [String: KnownField] = [:]
    var states: [(key: String, state: HomeAssistantState)] = []
    var time = Timestamp(seconds: 0, nanoseconds: 0)
    /// True if something else than numbers of packets has changed since it was published.
    var isNew = true
    /// True if it was heard again since.
    var isHeard = true
    var published: ContinuousClock.Instant?
  }

  /// Something that happened, and that Home Assistant should hear when it listens.
  private struct Happening {
    let topic: String
    let payload: [UInt8]
  }

  let address: BluetoothAddress
  private(set) var name: String?
  /// False for an address that the device changes.
  let isLasting: Bool
  private var facts = DeviceOrigin()
  private var places: [HomeAssistantPlace: Values] = [:]
  private var entities: [HomeAssistantEntity] = []
  /// The fields of each place that were looked at, also those without an entity.
  private var seen: [HomeAssistantPlace: [String: EntityKind?]] = [:]
  private var happenings: [Happening] = []
  /// The alarms whose fields the device has, by their words in identifiers.
  private var alarms: [(word: String, condition: String, isOn: Bool)] = []
  /// The device as it was when its alarms were chosen.
  private var judged: HeardDevice?
  /// Nil while it has not been heard by this process.
  private var isPresent: Bool?
  private var stateIsNew = true
  /// The time when its announcement is due; nil if it was made.
  private(set) var announcing: ContinuousClock.Instant?
  /// The time when it was announced last.
  private(set) var announced: ContinuousClock.Instant?

  /// The time to gather what is announced together.
  private static let gathering = Duration.milliseconds(300)
  /// Home Assistant loses parts of announcements that follow each other faster.
  private static let pause = Duration.seconds(2)
  /// Within this time, Home Assistant listens to what was announced.
  private static let attention = Duration.seconds(2)
  /// Values that have not changed are published as often as this.
  private static let refresh = Duration.seconds(60)
  private static let mostHappenings = 16
  /// A device may send names without end.
  private static let mostEntities = 200

  init(_ address: BluetoothAddress, name: String?, isLasting: Bool, at now: ContinuousClock.Instant) {
    (self.address, self.name, self.isLasting) = (address, name, isLasting)
    announcing = now + Self.gathering
  }

  // MARK: What comes

  private mutating func change(at now: ContinuousClock.Instant) {
    let earliest = announced.map { max(now + Self.gathering, $0 + Self.pause) } ?? now + Self.gathering
    announcing = announcing ?? earliest
  }

  /// Takes a name that is known now.
  mutating func take(name new: String?, at now: ContinuousClock.Instant) {
    guard let new, new != name else { return }
    name = new
    change(at: now)
  }

  mutating func hear(_ isHeard: Bool) {
    if isPresent != isHeard { stateIsNew = true }
    isPresent = isHeard
  }

  /// Takes a value, or an average.
  mutating func take(
    _ decoded: DecodedFields, of origin: ValueOrigin, at time: Timestamp, _ settings: HomeAssistantSettings,
    _ gateway: HomeAssistantGateway, _ now: ContinuousClock.Instant
  ) {
    let place = HomeAssistantPlace(origin)
    if facts.take(decoded, of: origin) { change(at: now) }
    var values = places.removeValue(forKey: place) ?? Values(known: origin.knownFields)
    defer { places[place] = values }
    // Also an earlier one: the clock may have been set.
    values.time = time
    values.isHeard = true
    // Its name may be known later than its fields.
    let isRenamed = judged != origin.device
    judged = origin.device
    for field in decoded.fields {
      if isRenamed { addAlarms(on: field, of: origin, settings, now) }
      let kind = kind(of: field, at: place, of: origin, values.known, settings, now)
      if case .event(let event) = kind {
        happen(event, field, at: place, time, gateway)
        continue
      }
      guard let state = HomeAssistantState(field.value, kind) else { continue }
      guard let index = values.states.firstIndex(where: { $0.key == field.key }) else {
        guard values.states.count < Self.mostEntities else { continue }
        values.states.append((field.key, state))
        values.isNew = true
        continue
      }
      guard values.states[index].state != state else { continue }
      values.states[index].state = state
      if !ValueAdvertisement.packetKeys.contains(field.key) { values.isNew = true }
    }
  }

  private mutating func kind(
    of field: DecodedFields.Field, at place: HomeAssistantPlace, of origin: ValueOrigin,
    _ known: [String: KnownField], _ settings: HomeAssistantSettings, _ now: ContinuousClock.Instant
  ) -> EntityKind? {
    if let kind = seen[place]?[field.key] { return kind }
    let kind = EntityKind(
      of: field, known: known[field.key] ?? known[KeyWords.withoutNumber(field.key)],
      isAdvertised: origin.isAdvertised)
    // The strength is that of the device, whatever it sends.
    let isStrength = origin.isAdvertised && field.key == "rssi_dbm"
    if isStrength, entities.contains(where: { $0.key == field.key }) {
      seen[place, default: [:]][field.key] = .some(nil)
      return nil
    }
    guard seen[place, default: [:]].count < Self.mostEntities, entities.count < Self.mostEntities else {
      return nil
    }
    // A text may be a number the next time.
    if kind != nil || field.value.kind != .text { seen[place, default: [:]][field.key] = .some(kind) }
    if let kind {
      entities.append(HomeAssistantEntity(field, kind, at: place, of: origin))
      change(at: now)
    }
    addAlarms(on: field, of: origin, settings, now)
    return kind
  }

  /// Adds the alarms that are for this device and a field.
  private mutating func addAlarms(
    on field: DecodedFields.Field, of origin: ValueOrigin, _ settings: HomeAssistantSettings,
    _ now: ContinuousClock.Instant
  ) {
    for alarm in settings.alarms where !alarms.contains(where: { $0.condition == alarm.condition }) {
      let isNamed = alarm.names.contains { field.isNamed($0) || origin.meaning?.key(named: $0) == field.key }
      if isNamed, alarm.concerns(origin.device) { add(alarm.condition, isOn: false, at: now) }
    }
  }

  private mutating func add(_ condition: String, isOn: Bool, at now: ContinuousClock.Instant) {
    alarms.append((HomeAssistantSettings.word(ofAlarm: condition), condition, isOn))
    stateIsNew = true
    change(at: now)
  }

  /// Takes the beginning or the end of an alarm.
  mutating func take(_ alarm: AlarmRecord, at now: ContinuousClock.Instant) {
    let isOn = alarm.event == .alarm
    guard let index = alarms.firstIndex(where: { $0.condition == alarm.condition }) else {
      return add(alarm.condition, isOn: isOn, at: now)
    }
    if alarms[index].isOn != isOn { stateIsNew = true }
    alarms[index].isOn = isOn
  }

  private mutating func happen(
    _ event: EventKind, _ field: DecodedFields.Field, at place: HomeAssistantPlace, _ time: Timestamp,
    _ gateway: HomeAssistantGateway
  ) {
    guard let (word, steps) = event.type(of: field.value) else { return }
    var json = JSONWriter()
    json.object { json in
      json.field("event_type", word)
      json.field("steps", steps)
      json.field("time", time.utc)
    }
    if happenings.count >= Self.mostHappenings { happenings.removeFirst() }
    let topic = gateway.eventTopic(of: address, place.word, HomeAssistantGateway.word(field.key))
    happenings.append(Happening(topic: topic, payload: json.bytes))
  }

  // MARK: What is published

  /// Publishes everything again, after `wait`.
  mutating func renew(at now: ContinuousClock.Instant, after wait: Duration = .zero) {
    announcing = now + wait
    stateIsNew = true
    for place in places.keys { places[place]?.isNew = true }
  }

  /// The time when something is to be published next; nil if nothing is.
  var due: ContinuousClock.Instant? {
    guard let announced else { return announcing }
    if stateIsNew || places.values.contains(where: \.isNew) { return announced }
    let refreshes = places.values.map { $0.isHeard ? $0.published.map { $0 + Self.refresh } : nil }
    let attention = happenings.isEmpty ? nil : announced + Self.attention
    return ([announcing, attention] + refreshes).compactMap(\.self).min()
  }

  /// The messages whose time has come; `everything` does not wait for more.
  mutating func messages(
    _ gateway: HomeAssistantGateway, _ settings: HomeAssistantSettings, keeping earlier: EarlierAnnouncement?,
    at now: ContinuousClock.Instant, everything: Bool = false
  ) -> [BrokerMessage] {
    var messages: [BrokerMessage] = []
    if let due = announcing, due <= now || everything {
      messages.append(
        .retained(gateway.configTopic(of: address), config(gateway, settings, keeping: earlier)))
      (announcing, announced) = (nil, now)
    }
    guard let announced else { return messages }
    if stateIsNew {
      messages.append(.retained(gateway.stateTopic(of: address), state(settings)))
      stateIsNew = false
    }
    for (place, values) in places {
      let isOld = values.published.map { now - $0 >= Self.refresh } ?? true
      guard values.isNew || isOld && values.isHeard else { continue }
      messages.append(.retained(gateway.stateTopic(of: address, place.word), payload(of: values)))
      places[place]?.isNew = false
      places[place]?.isHeard = false
      places[place]?.published = now
    }
    if now - announced >= Self.attention || everything {
      messages += happenings.map { BrokerMessage(topic: $0.topic, payload: $0.payload[...]) }
      happenings = []
    }
    return messages
  }

  private func payload(of values: Values) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("time", values.time.utc)
      json.object("decoded") { json in
        for (key, state) in values.states { json.field(key, state) }
      }
    }
    return json.bytes
  }

  private func state(_ settings: HomeAssistantSettings) -> [UInt8] {
    Self.state(
      isPresent: isPresent, settings, alarms.map { ($0.word, HomeAssistantState.truth($0.isOn)) })
  }

  /// The state of a device as a whole: the alarms, and whether it is present.
  static func state(
    isPresent: Bool?, _ settings: HomeAssistantSettings, _ alarms: [(word: String, state: HomeAssistantState)]
  ) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      // Who is expected, and was not heard, has no values.
      let isAway = settings.watchesAbsence && isPresent != true
      json.field("availability", isAway ? "offline" : "online")
      json.field("presence", isPresent.map { HomeAssistantState.truth($0) } ?? .unknown)
      json.object("alarms") { json in for (word, state) in alarms { json.field(word, state) } }
    }
    return json.bytes
  }

  // MARK: The announcement

  private func config(
    _ gateway: HomeAssistantGateway, _ settings: HomeAssistantSettings, keeping earlier: EarlierAnnouncement?
  ) -> [UInt8] {
    // Home Assistant may overlook the last ones while it takes in the first: new ones come first.
    var components = zip(entities, chosenNames).reversed().map { entity, name in
      (entity.word, entity.write(named: name, of: self, gateway))
    }
    components += alarms.map { ($0.word, alarm($0.word, $0.condition, gateway)) }
    if settings.watchesAbsence { components.append(("presence", presence(gateway))) }
    var own = Set(components.map(\.0))
    var json = JSONWriter()
    json.object { json in
      writeCommon(to: &json, gateway, settings)
      json.object("cmps") { json in
        for (word, fields) in components { json.object(word) { $0.fields(fields) } }
        earlier?.write(besides: &own, settings, to: &json)
      }
    }
    return json.bytes
  }

  private func writeCommon(
    to json: inout JSONWriter, _ gateway: HomeAssistantGateway, _ settings: HomeAssistantSettings
  ) {
    Self.write(
      address, name, isLasting: isLasting, manufacturer: facts.manufacturer, model: facts.model,
      version: settings.version, to: &json)
    json.array("avty") { json in
      json.object { $0.field("t", gateway.statusTopic) }
      guard settings.watchesAbsence else { return }
      json.object { json in
        json.field("t", gateway.stateTopic(of: address))
        json.field("val_tpl", "{{ value_json.availability }}")
      }
    }
    json.field("avty_mode", "all")
  }

  /// Writes the device and the origin of an announcement.
  static func write(
    _ address: BluetoothAddress, _ name: String?, isLasting: Bool, manufacturer: String? = nil,
    model: String? = nil, version: String, to json: inout JSONWriter
  ) {
    json.object("dev") { json in
      // The same for all gateways: what they hear of it is one device.
      json.field("ids", ["blectl_" + HomeAssistantGateway.number(of: address)])
      if isLasting { json.field("cns", [["bluetooth", "\(address)"]]) }
      json.field("name", name ?? "\(address)")
      json.field("mf", manufacturer)
      json.field("mdl", model)
    }
    json.object("o") { json in
      json.field("name", "blectl")
      json.field("sw", version)
    }
  }

  /// An alarm, which is a problem while it lasts, also if the device is away.
  private func alarm(_ word: String, _ condition: String, _ gateway: HomeAssistantGateway) -> JSONFields {
    binary(word, named: condition, "problem", gateway, "{{ value_json.alarms.get('\(word.templateText)') }}")
  }

  private func presence(_ gateway: HomeAssistantGateway) -> JSONFields {
    binary("presence", named: "Presence", "connectivity", gateway, "{{ value_json.presence }}")
  }

  private func binary(
    _ word: String, named name: String, _ deviceClass: String, _ gateway: HomeAssistantGateway,
    _ template: String
  ) -> JSONFields {
    JSONFields { json in
      json.field("p", "binary_sensor")
      json.field("name", gateway.title(name))
      json.field("uniq_id", gateway.identifier(of: address, word))
      json.field("dev_cla", deviceClass)
      json.field("pl_on", "True")
      json.field("pl_off", "False")
      json.field("stat_t", gateway.stateTopic(of: address))
      json.field("val_tpl", template)
      json.array("avty") { json in json.object { $0.field("t", gateway.statusTopic) } }
    }
  }

  /// The names of the entities, which differ: one that several would have gets more words.
  private var chosenNames: [String] {
    var names = entities.map(\.name)
    let longer = entities.map(\.names)
    for level in 1..<4 {
      let groups = Dictionary(grouping: names.indices) { names[$0] }.values.filter { $0.count > 1 }
      for group in groups {
        let next = group.map { longer[$0][level] }
        // Units distinguish only fields with different ones.
        if level == 1, Set(next).count < next.count { continue }
        for (index, name) in zip(group, next) { names[index] = name }
      }
    }
    return names
  }
}

extension ValueOrigin {
  /// The known fields that its values can have, by their keys.
  fileprivate var knownFields: [String: KnownField] {
    var fields = meaning?.knownFields ?? []
    if let format {
      let own = Vocabulary.known.profiles.profiles.flatMap(\.advertisements).first { $0.type == format }
      fields = own?.layout.knownFields ?? AdvertisedFormats.fields(of: format)
    }
    return Dictionary(fields.map { ($0.key, $0) }) { first, _ in first }
  }
}
