// SPDX-License-Identifier: MIT
internal import FlyingSocks
internal import JSON
internal import WebModel

/// The records behind a place as server-sent events, without an end.
struct RecordFeed: AsyncBufferedSequence {
  typealias Element = UInt8

  let hub: RecordHub
  let place: Int
  /// The current time as in records.
  let now: @Sendable () -> String

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  final class Iterator: AsyncBufferedIteratorProtocol {
    private let feed: RecordFeed
    private var place: Int
    private var isFirst = true

    /// The amount of data that is sent at once.
    private static let size = 64 * 1024

    init(_ feed: RecordFeed) {
      self.feed = feed
      place = feed.place
      feed.hub.join()
    }

    deinit { feed.hub.leave() }

    func next() async throws -> UInt8? { nil }

    func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      if isFirst {
        isFirst = false
        return Array("retry: 2000\n\n".utf8)
      }
      guard let part = await feed.hub.part(after: place, limit: Self.size) else { return nil }
      // A comment: a connection that is lost shows when something is sent.
      if part.records.isEmpty { return Array(":\n\n".utf8) }
      var bytes: [UInt8] = []
      if part.missed > 0 {
        var json = JSONWriter()
        json.object { json in
          json.field("event", "dropped")
          json.field("time", feed.now())
          json.field("count", part.missed)
        }
        bytes += Array("data: ".utf8) + json.bytes + Array("\n\n".utf8)
      }
      for (number, line) in part.records {
        bytes += Array("id: \(feed.hub.name(of: number))\ndata: ".utf8)
        bytes += line
        bytes += Array("\n\n".utf8)
        place = number
      }
      return bytes
    }
  }
}
