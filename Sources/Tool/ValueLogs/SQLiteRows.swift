// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// Inserts the events of a stream into the tables of a database.
final class SQLiteRows {
  private let database: SQLiteDatabase
  private let findDevice: SQLiteStatement
  private let addDevice: SQLiteStatement
  private let findCharacteristic: SQLiteStatement
  private let addCharacteristic: SQLiteStatement
  private let addValue: SQLiteStatement
  private let addLink: SQLiteStatement
  /// The rows seen so far; forgotten when a transaction fails, which removes them.
  private var devices: [BluetoothAddress: (row: Int, isNamed: Bool)] = [:]
  private var characteristics: [CharacteristicKey: Int] = [:]
  /// Nil until there are advertised values.
  private var advertisements: SQLiteAdvertisements?

  private var writer = JSONWriter()

  /// The properties of an average besides its value.
  struct Average {
    let count: Int
    /// The beginning of its window.
    let from: Timestamp
  }

  private struct CharacteristicKey: Hashable {
    let device: Int
    let service: BluetoothUUID
    let uuid: BluetoothUUID
    let handle: UInt16
  }

  init(_ database: SQLiteDatabase) throws(OutputError) {
    self.database = database
    findDevice = try database.prepare("SELECT id FROM device WHERE address = ?1")
    addDevice = try database.prepare(
      """
      INSERT INTO device (address, name) VALUES (?1, ?2)
      ON CONFLICT (address) DO UPDATE SET name = coalesce(?2, name)
      """)
    findCharacteristic = try database.prepare(
      "SELECT id FROM characteristic WHERE device = ?1 AND service = ?2 AND uuid = ?3 AND handle = ?4")
    addCharacteristic = try database.prepare(
      "INSERT INTO characteristic (device, service, uuid, handle) VALUES (?1, ?2, ?3, ?4)")
    addValue = try database.prepare(
      """
      INSERT INTO value (time, characteristic, value, decoded, via, average_count, average_from)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    addLink = try database.prepare(
      "INSERT INTO link (time, device, event, reason, gap_seconds, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  }

  /// Inserts all of them, or none.
  func insert(_ events: [StreamEvent]) throws(OutputError) {
    try database.execute("BEGIN IMMEDIATE")
    do throws(OutputError) {
      for event in events { try insert(event) }
      try database.execute("COMMIT")
    } catch {
      // After an error such as a full disk, SQLite has already rolled back.
      try? database.execute("ROLLBACK")
      devices = [:]
      characteristics = [:]
      advertisements = nil
      throw error
    }
  }

  private func insert(_ event: StreamEvent) throws(OutputError) {
    switch event {
    case .values(let batch): try insert(batch)
    case .average(let average):
      try insert(
        ReceivedValue([], at: average.time), average.decoded, of: average.origin, via: "average",
        Average(count: average.count, from: average.from))
    case .alarm(let alarm):
      try addLink.run(
        .integer(alarm.time.microseconds), .integer(try row(of: alarm.address, name: alarm.name)),
        .text(alarm.event.rawValue), .text(alarm.condition), .null, .null)
    case .absence(let absence):
      // A device of which only a name is known has no row.
      let device = try absence.address.map { address throws(OutputError) in
        SQLiteStatement.Value.integer(try row(of: address, name: absence.name))
      }
      try addLink.run(
        .integer(absence.time.microseconds), device ?? .null, .text(absence.event.rawValue),
        absence.address == nil ? .text(absence.name) : .null, .real(absence.silence), .null)
    case .written(let written):
      let characteristic = written.characteristic
      let row = try row(of: characteristic, written.address, name: nil)
      try addValue.run(
        .integer(written.time.microseconds), .integer(row), .blob(written.value ?? []), .null, .text("write"),
        .null, .null)
    case .served(let served): try insert(served)
    case .record, .line: break  // commands with such events do not offer this log
    case .link(let link):
      try addLink.run(
        .integer(link.time.microseconds), .integer(try row(of: link.address, name: nil)),
        .text(link.event.rawValue), .text(link.reason), link.gapSeconds.map { .real($0) } ?? .null, .null)
    case .reception(let reception):
      try addLink.run(
        .integer(reception.time.microseconds), .null, .text(reception.event.rawValue),
        .text(reception.reason),
        reception.gapSeconds.map { .real($0) } ?? .null, .null)
    case .dropped(let dropped):
      try addLink.run(
        .integer(dropped.time.microseconds), .null, .text("dropped"), .null, .null, .integer(dropped.count))
    }
  }

  private func insert(_ batch: ValueBatch) throws(OutputError) {
    let decoded = batch.decoded
    for index in batch.values.indices {
      try insert(
        batch.values[index], decoded[index], of: batch.origin, via: batch.origin.transport.rawValue)
    }
  }

  /// Inserts a value, or an average of values.
  private func insert(
    _ value: ReceivedValue, _ decoded: DecodedFields?, of origin: ValueOrigin, via transport: String,
    _ average: Average? = nil
  ) throws(OutputError) {
    switch origin.source {
    case .attribute(let attribute):
      let row = try row(of: attribute.characteristic, origin.address, name: origin.name)
      try addValue.run(
        .integer(value.time.microseconds), .integer(row), .blob(value.value), .text(decoded.map(json)),
        .text(transport), average.map { .integer($0.count) } ?? .null,
        average.map { .integer($0.from.microseconds) } ?? .null)
    case .advertisement(let advertisement):
      let device = try row(of: origin.address, name: origin.name)
      try advertisementTable().insert(
        value, decoded, of: advertisement, device: device, via: transport, average)
    }
  }

  private func advertisementTable() throws(OutputError) -> SQLiteAdvertisements {
    if let advertisements { return advertisements }
    let table = try SQLiteAdvertisements(database)
    advertisements = table
    return table
  }

  /// Inserts the links and the values of a served peripheral; the tables cannot store the rest.
  private func insert(_ served: ServedRecord) throws(OutputError) {
    guard let address = served.address else { return }
    let time = SQLiteStatement.Value.integer(served.time.microseconds)
    if let transport = served.transport, let value = served.value, let attribute = served.attribute,
      attribute.descriptor == nil
    {
      let row = try row(
        of: CharacteristicKey(
          device: row(of: address, name: served.name), service: attribute.service,
          uuid: attribute.characteristic,
          handle: attribute.handle ?? 0))
      try addValue.run(
        time, .integer(row), .blob(value), .text(served.decoded.map(json)), .text(transport), .null, .null)
    } else if served.attribute == nil {
      try addLink.run(
        time, .integer(try row(of: address, name: served.name)), .text(served.event.rawValue), .null, .null,
        .null)
    }
  }

  private func json(_ decoded: DecodedFields) -> String {
    writer.removeAll()
    writer.value(decoded)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func row(
    of characteristic: GATTCharacteristic, _ address: BluetoothAddress, name: String?
  ) throws(OutputError) -> Int {
    try row(
      of: CharacteristicKey(
        device: row(of: address, name: name), service: characteristic.service, uuid: characteristic.uuid,
        handle: characteristic.handle))
  }

  private func row(of key: CharacteristicKey) throws(OutputError) -> Int {
    if let row = characteristics[key] { return row }
    let values: [SQLiteStatement.Value] = [
      .integer(key.device), .text(key.service.longForm), .text(key.uuid.longForm),
      .integer(Int(key.handle)),
    ]
    let row: Int
    if let found = try findCharacteristic.row(values[0], values[1], values[2], values[3]) {
      row = found
    } else {
      try addCharacteristic.run(values[0], values[1], values[2], values[3])
      row = database.lastRow
    }
    characteristics[key] = row
    return row
  }

  private func row(of address: BluetoothAddress, name: String?) throws(OutputError) -> Int {
    if let device = devices[address], name == nil || device.isNamed { return device.row }
    try addDevice.run(.text("\(address)"), .text(name))
    let row = try findDevice.row(.text("\(address)")) ?? 0
    devices[address] = (row, name != nil)
    return row
  }
}

extension Timestamp {
  /// Since 1970-01-01 00:00 UTC.
  var microseconds: Int { seconds * 1_000_000 + nanoseconds / 1000 }

  /// A time in microseconds since then.
  init(microseconds: Int) {
    let rest = microseconds % 1_000_000
    self.init(
      seconds: microseconds / 1_000_000 - (rest < 0 ? 1 : 0),
      nanoseconds: (rest < 0 ? rest + 1_000_000 : rest) * 1000)
  }
}
