// SPDX-License-Identifier: MIT
internal import AsyncIO
package import Histories
package import JSON
package import WebModel

/// The records and what they say, for all clients: each of them has a place in the ring, and nothing else.
package final class RecordHub: Sendable {
  private struct State {
    var ring: RecordRing
    var model: PageModel
    /// The number of times clients were woken to notice lost connections.
    var ticks = 0
    var clients = 0
    var missed = 0
    var isOver = false
  }

  private let state: Watched<State>
  /// Makes the numbers of this server different from those of one before it.
  package let epoch: String

  /// `capacity` is that of the ring, in bytes; `awaitsPast` says whether numbers from before the start will come.
  package init(
    capacity: Int = 16 << 20, limits: PageModel.Limits = PageModel.Limits(), epoch: String,
    awaitsPast: Bool = false
  ) {
    var model = PageModel(limits)
    model.awaitsPast = awaitsPast
    state = Watched(State(ring: RecordRing(capacity: capacity), model: model))
    self.epoch = epoch
  }

  /// Takes records, and wakes the clients once.
  package func take(_ lines: [[UInt8]]) {
    state.change { state in
      for line in lines where state.model.take(line) { state.ring.append(line) }
    }
  }

  /// Sends numbers from before the start, which are not records.
  package func take(_ past: PastNumbers) { state.withLock { $0.model.take(past) } }

  /// Records that no more numbers from before the start will come.
  package func endPast() { state.withLock { $0.model.awaitsPast = false } }

  /// Wakes the clients, so that they notice lost connections, and forgets what is too old.
  package func tick(now: Double) {
    state.change { state in
      state.ticks += 1
      state.model.expire(now: now)
    }
  }

  /// Ends all streams.
  package func end() { state.change { $0.isOver = true } }

  // MARK: Clients

  /// The number of clients that follow the records.
  package var clients: Int { state.withLock(\.clients) }

  package func join() { state.withLock { $0.clients += 1 } }

  package func leave() { state.withLock { $0.clients -= 1 } }

  /// Returns the records behind a place, or nothing after a while without any; nil at the end.
  package func part(after place: Int, limit: Int) async -> RecordRing.Part? {
    func look() -> RecordRing.Part? {
      state.withLock { state in
        let part = state.ring.part(after: place, limit: limit)
        state.missed += part.missed
        return part.records.isEmpty ? nil : part
      }
    }
    let ticks = state.withLock(\.ticks)
    if let part = look() { return part }
    await state.wait { $0.isOver || $0.ring.last > place || $0.ticks != ticks }
    if Task.isCancelled || state.withLock(\.isOver) { return look() }
    return look() ?? RecordRing.Part()
  }

  /// The place behind the last record.
  package var last: Int { state.withLock { $0.ring.last } }

  /// The name of a place, for `Last-Event-ID`.
  package func name(of place: Int) -> String { "\(epoch)-\(place)" }

  /// The place of a name; 0 for one that this server has not given: all records are new then.
  package func place(named name: String) -> Int {
    guard let dash = name.lastIndex(of: "-"), name[..<dash] == epoch,
      let place = Int(name[name.index(after: dash)...]), place <= last
    else { return 0 }
    return place
  }

  // MARK: What the records say

  /// Writes an object with the place that it was read at, and more.
  package func object(_ fields: (PageModel, inout JSONWriter) -> Void) -> [UInt8] {
    // The model is copied: writing takes longer than the reader of records may wait.
    let (model, last) = state.withLock { ($0.model, $0.ring.last) }
    var json = JSONWriter(reservingCapacity: 4096)
    json.object { json in
      json.field("id", name(of: last))
      fields(model, &json)
    }
    json.endRecord()
    return json.bytes
  }

  package func metrics(version: String, command: String) -> [UInt8] {
    let (model, clients, missed) = state.withLock { ($0.model, $0.clients, $0.missed) }
    return MetricsText(model, version: version, command: command, clients: clients, missed: missed).bytes
  }

  package var listening: PageModel.Listening { state.withLock(\.model.listening) }
}
