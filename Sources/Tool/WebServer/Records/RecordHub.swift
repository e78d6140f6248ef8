// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Histories
internal import JSON

/// The records and what they say, for all clients: each of them has a place in the ring, and nothing else.
///
/// Used by the thread of the page only.
final class RecordHub {
  private var ring: RecordRing
  private(set) var model: PageModel
  /// Makes the numbers of this server different from those of one before it.
  private let epoch: String
  /// Called when there is something new, or a sign of life is due: one for each client that follows the records.
  private var readers: [ObjectIdentifier: (_ isQuiet: Bool) -> Void] = [:]
  /// True once no more records come: clients get the last ones.
  private(set) var isOver = false
  /// The number of records that clients missed.
  private var missed = 0

  /// `capacity` is that of the ring, in bytes; `awaitsPast` says whether numbers from before the start will come.
  init(capacity: Int, limits: PageModel.Limits, epoch: String, awaitsPast: Bool) {
    ring = RecordRing(capacity: capacity)
    model = PageModel(limits)
    model.awaitsPast = awaitsPast
    self.epoch = epoch
  }

  /// Takes records, and wakes the clients once.
  func take(_ records: [PageRecord]) {
    for record in records {
      model.take(record)
      ring.append(Array("id: \(name(of: ring.last + 1))\ndata: ".utf8) + record.line + Array("\n\n".utf8))
    }
    wake()
  }

  /// Takes a number from before the start, which is not a record.
  func take(_ past: PastNumbers) { model.take(past) }

  /// Records that no more numbers from before the start will come.
  func endPast() { model.awaitsPast = false }

  /// Corrects times that are behind the present.
  func settle(now: Timestamp) { model.settle(now: now) }

  /// Forgets what is too old, and lets the clients get a sign of life: a connection that is lost shows when something is sent.
  func tick(now: Timestamp) {
    settle(now: now)
    model.expire(now: PageTime.seconds(now))
    wake(isQuiet: true)
  }

  /// Ends the streams behind the last record.
  func end() {
    isOver = true
    wake()
  }

  // MARK: Clients

  /// The number of clients that follow the records.
  var clients: Int { readers.count }

  /// Calls `wake` when there are new records, or with `true` for a sign of life.
  func join(_ reader: AnyObject, wake: @escaping (_ isQuiet: Bool) -> Void) {
    readers[ObjectIdentifier(reader)] = wake
  }

  /// Lets each client look whether it goes on.
  func wake(isQuiet: Bool = false) { for wake in readers.values { wake(isQuiet) } }

  func leave(_ reader: AnyObject) { readers[ObjectIdentifier(reader)] = nil }

  /// Returns the records behind a place as server-sent events.
  ///
  /// - Returns: about `limit` bytes; `place` is behind the last of them.
  func events(after place: inout Int, limit: Int, now: String) -> [UInt8] {
    let part = ring.part(after: place, limit: limit)
    var bytes: [UInt8] = []
    if part.missed > 0 {
      missed += part.missed
      var json = JSONWriter()
      json.object { json in
        json.field("event", "dropped")
        json.field("time", now)
        json.field("count", part.missed)
      }
      bytes += Array("data: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
    for (number, event) in part.records {
      bytes += event
      place = number
    }
    return bytes
  }

  /// The place behind the last record.
  var last: Int { ring.last }

  /// The name of a place, for `Last-Event-ID`.
  private func name(of place: Int) -> String { "\(epoch)-\(place)" }

  /// The place of a name; 0 for one that this server has not given: all records are new then.
  func place(named name: String) -> Int {
    guard let dash = name.lastIndex(of: "-"), name[..<dash] == epoch,
      let place = Int(name[name.index(after: dash)...]), place <= last
    else { return 0 }
    return place
  }

  // MARK: What the records say

  /// Writes an object with the place that it was read at, and more.
  func object(_ fields: (PageModel, inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 4096)
    json.object { json in
      json.field("id", name(of: last))
      fields(model, &json)
    }
    json.endRecord()
    return json.bytes
  }

  func metrics(version: String, command: String) -> [UInt8] {
    MetricsText(model, version: version, command: command, clients: clients, missed: missed).bytes
  }
}
