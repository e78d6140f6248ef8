// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

/// The devices that `listen` has heard or expects, with their last values, alarms and absences, in bounded memory.
struct ListenBoard: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The state of the reception.
  enum Reception: Sendable, Hashable {
    case listening
    case interrupted(reason: String?, since: Instant)
    /// Nothing is heard any more, or something is done against that.
    case troubled(String)
  }

  /// After such a silence, a device that changes its address has another one, and is in another row.
  private static let privateMemory = Duration.seconds(15 * 60)

  private var rows = RecentMemory<String, Row> { $0.worth }
  /// The rows in order; nil if it must be found again.
  private var order: [String]? = []
  /// The devices that should be there and were not heard yet.
  private var awaited: [DeviceArgument]
  /// The addresses that the user has named.
  private let wanted: Set<BluetoothAddress>
  private(set) var reception = Reception.listening
  /// The values that came too fast.
  private(set) var droppedCount = 0

  init(expecting devices: [DeviceArgument] = []) {
    awaited = devices
    wanted = Set(devices.compactMap { if case .address(let address) = $0 { address } else { nil } })
    for device in devices {
      let subject = Row.Subject(device)
      change(subject) { _ in }
    }
  }

  /// The rows: the named ones in the order of their names, then the others by address; none moves without a new name.
  mutating func ranked() -> [Row] {
    let order = order ?? rows.values.sorted { $0.isBefore($1) }.map(\.id)
    self.order = order
    return order.compactMap { rows[$0] }
  }

  func row(_ id: String) -> Row? { rows[id] }

  var count: Int { rows.keys.count }

  // MARK: Events

  mutating func take(_ event: StreamEvent, at now: Instant) {
    switch event {
    case .values(let batch):
      let decoded = batch.decoded
      for index in batch.values.indices {
        let value = batch.values[index]
        take(decoded[index], value.value, of: batch.origin, at: value.time, now)
      }
    case .average(let average): take(average.decoded, nil, of: average.origin, at: average.time, now)
    case .alarm(let alarm):
      change(Row.Subject(alarm.address, alarm.name)) { row in
        row.alarms.removeAll { $0 == alarm.condition }
        if alarm.event == .alarm { row.alarms.append(alarm.condition) }
      }
    case .absence(let absence):
      change(Row.Subject(absence.address, absence.name)) { $0.isAbsent = absence.event == .absent }
    case .reception(let record): take(record, now)
    case .dropped(let record): droppedCount += record.count
    case .link, .written, .served, .record, .line: break
    }
  }

  private mutating func take(_ record: ReceptionRecord, _ now: Instant) {
    switch record.event {
    case .started, .resumed, .recovered, .heard: reception = .listening
    case .interrupted: reception = .interrupted(reason: record.reason, since: now)
    case .recovering: reception = .troubled(record.text ?? "the adapter hears nothing")
    case .silent: reception = .troubled(record.text ?? "nothing is heard")
    // Of subscriptions, and of logs.
    case .begun, .away: break
    }
  }

  private mutating func take(
    _ decoded: DecodedFields?, _ bytes: [UInt8]?, of origin: ValueOrigin, at time: Timestamp, _ now: Instant
  ) {
    // Unless the source was just heard, which knows more names.
    if rows["\(origin.address)"]?.heard == nil { hear(origin.device, at: now) }
    change(Row.Subject(origin.address, origin.name)) { row in
      row.add(decoded, bytes, of: origin, at: time)
      row.isAbsent = false
    }
  }

  /// Records that a device was heard, even if its values are not new.
  mutating func hear(_ device: HeardDevice, at time: Instant) {
    let subject = Row.Subject(device.lastingAddress, device.name)
    let arrived = awaited.filter { $0.rank(of: device) != nil }
    if !arrived.isEmpty {
      awaited.removeAll { arrived.contains($0) }
      for other in arrived.map(Row.Subject.init) where other.id != subject.id {
        rows[other.id] = nil
        order = nil
      }
    }
    let isKept = device.isNamedByUser || wanted.contains(device.address)
    change(subject) { row in
      row.heard = max(row.heard ?? time, time)
      row.isPrivate = device.isPrivate && !isKept
    }
  }

  /// Forgets old addresses of devices that change them.
  mutating func expire(at now: Instant) {
    let old = rows.values.filter { row in
      guard row.isPrivate, row.worth == 0, let heard = row.heard else { return false }
      return now - heard > Self.privateMemory
    }
    for row in old { rows[row.id] = nil }
    if !old.isEmpty { order = nil }
  }

  private mutating func change(_ subject: Row.Subject, _ body: (inout Row) -> Void) {
    let known = rows.take(subject.id)
    var row = known ?? Row(subject)
    body(&row)
    if let name = subject.name, name != row.name { row.rename(name) }
    if known == nil || known?.name != row.name { order = nil }
    rows[subject.id] = row
  }
}

extension ListenBoard {
  /// A device, with the last that was heard of it.
  struct Row: Sendable {
    /// The identity of a device here: its address, or the name under which it is expected.
    struct Subject: Sendable {
      let id: String
      let address: BluetoothAddress?
      let name: String?

      init(_ address: BluetoothAddress?, _ name: String?) {
        (self.address, self.name) = (address, name?.isEmpty == true ? nil : name)
        id = address.map { "\($0)" } ?? "name \(name ?? "")"
      }

      init(_ device: DeviceArgument) {
        switch device {
        case .address(let address): self.init(address, nil)
        case .name(let pattern): self.init(nil, pattern.text)
        case .resolved(let identity): self.init(identity.address, identity.name)
        }
      }
    }

    /// The last data from a source: a format, or bytes of an unknown one.
    struct Reading: Sendable {
      let word: String
      /// The name of the format.
      let source: String
      var time: Timestamp
      var fields: [DecodedFields.Field] = []
      var problems: [String] = []
      /// The bytes, if their format is unknown.
      var bytes: [UInt8]?
    }

    let id: String
    let address: BluetoothAddress?
    private(set) var name: String?
    private var sortName: NaturalName?
    /// The time when it was last heard; nil if it never was.
    fileprivate(set) var heard: Instant?
    fileprivate var isPrivate = false
    private(set) var rssi: Int?
    private(set) var readings: [Reading] = []
    /// The conditions of its alarms, the newest last.
    fileprivate(set) var alarms: [String] = []
    fileprivate(set) var isAbsent = false

    /// More are not remembered: a device that gives its data new names each time must not fill the memory.
    static let most = 64

    fileprivate init(_ subject: Subject) {
      (id, address) = (subject.id, subject.address)
      if let name = subject.name { rename(name) }
    }

    /// The name, or else the address.
    var title: String { name ?? address.map { "\($0)" } ?? "" }

    /// Its worth when there are too many; the lowest goes first.
    fileprivate var worth: Int { heard == nil || isAbsent || !alarms.isEmpty ? 1 : 0 }

    fileprivate mutating func rename(_ name: String) {
      (self.name, sortName) = (name, NaturalName(name))
    }

    fileprivate func isBefore(_ other: Row) -> Bool {
      if (sortName == nil) != (other.sortName == nil) { return sortName != nil }
      if let sortName, let next = other.sortName, sortName != next { return sortName < next }
      return id < other.id
    }

    fileprivate mutating func add(
      _ decoded: DecodedFields?, _ bytes: [UInt8]?, of origin: ValueOrigin, at time: Timestamp
    ) {
      let place = readings.firstIndex { $0.word == origin.word } ?? readings.count
      if place == readings.count {
        guard place < Self.most else { return }
        readings.append(Reading(word: origin.word, source: origin.title, time: time))
      }
      readings[place].add(decoded ?? DecodedFields(), at: time)
      readings[place].bytes = origin.isAdvertised && origin.format == nil ? bytes : nil
      if case .integer(let rssi) = decoded?["rssi_dbm"] { self.rssi = rssi }
    }
  }
}

extension ListenBoard.Row.Reading {
  /// Adds the fields of a packet; those of earlier packets stay, since devices send their values by turns.
  fileprivate mutating func add(_ decoded: DecodedFields, at time: Timestamp) {
    self.time = time
    problems = decoded.problems
    if decoded.hasWrongChecksum { return }
    fields.removeAll { Self.packetKeys.contains($0.key) && decoded[$0.key] == nil }
    for field in decoded.fields {
      if let place = fields.firstIndex(where: { $0.key == field.key }) {
        fields[place] = field
      } else if fields.count < ListenBoard.Row.most {
        fields.append(field)
      }
    }
  }

  /// The keys of fields that are about a packet, and not about the next one.
  private static let packetKeys = ValueAdvertisement.packetKeys.union(["decryption", "freshness"])
}

extension ListenBoard.Row {
  /// The values in short texts, the main ones first: what is measured, what is about the device, minima and maxima.
  var values: [String] {
    let parts = readings.flatMap { reading in
      // Some packets repeat the address.
      let fields = reading.fields.filter {
        !ValueAdvertisement.packetKeys.contains($0.key) && $0.isShown && $0.value.text != id
      }
      return (reading.bytes.map { [(0, Hex.string($0))] } ?? [])
        + fields.map { (rank(of: $0), $0.text) } + reading.problems.map { (3, "(\($0))") }
    }
    return parts.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(
      \.element.1)
  }

  /// The formats of its data.
  var types: [String] { readings.map(\.source) }

  /// The lowest comes first; the page of `--web` has the same order (`course.js`).
  private func rank(of field: DecodedFields.Field) -> Int {
    if AverageRecord.Extreme.allCases.contains(where: { field.key.hasPrefix("\($0.rawValue)_") }) { return 4 }
    if Self.first.contains(where: field.key.hasPrefix) { return 0 }
    let isOfDevice =
      field.key.hasPrefix("voltage") || SensorKind(key: field.key, unit: field.unit).isDiagnostic
    return isOfDevice ? 2 : 1
  }

  private static let first = ["temperature", "heart_rate", "power", "weight", "co2", "distance"]
}

extension DecodedFields.Field {
  /// The value with its label and its unit, not escaped.
  var text: String {
    var one = DecodedFields()
    one.fields = [self]
    return one.text
  }
}
