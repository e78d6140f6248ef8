// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// Where the bytes of a file come from, in packets.
package enum FileSource: Sendable {
  /// The notifications of a characteristic.
  case notifications(Notifications, of: GATTCharacteristic)
  /// An L2CAP channel, which the device may close behind the last byte.
  case channel(L2CAPChannel)

  /// The operation of which errors speak.
  var action: BLEError.Action {
    switch self {
    case .notifications(_, let characteristic): .receiveReply(from: characteristic.uuid)
    case .channel(let channel): .useChannel(psm: channel.psm, of: channel.peer)
    }
  }
}

/// Takes the packets of a source, one batch after the other.
struct FileSourceReader {
  private let source: FileSource
  private var values: Notifications.Iterator?

  init(_ source: FileSource) {
    self.source = source
    if case .notifications(let notifications, _) = source { values = notifications.makeAsyncIterator() }
  }

  /// Waits for packets: there are none when the time is over, and nil when the channel is closed.
  mutating func next(within limit: Duration?) async throws -> [[UInt8]]? {
    switch source {
    case .notifications:
      let start = LoopClock.now
      guard let batch = try await values?.nextBatch(until: limit.map { start + $0 }) else {
        throw BLEError.cancelled(source.action)
      }
      return batch.elements.map(\.value)
    case .channel(let channel):
      do throws(BLEError) {
        return try await channel.receive(timeout: limit).map { [$0] }
      } catch {
        guard error.code == .timedOut else { throw error }
        return []
      }
    }
  }
}
