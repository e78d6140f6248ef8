// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
package import BlectlSession

/// The source of the bytes of a file, in packets.
package enum FileSource: Sendable {
  /// The notifications of a characteristic.
  case notifications(Notifications, of: GATTCharacteristic)
  /// Those that wait since a step of the script has subscribed to it, and what follows them.
  case waiting(ValueWatch, of: GATTCharacteristic)
  /// An L2CAP channel, which the device may close behind the last byte.
  case channel(L2CAPChannel)

  /// The name in messages.
  var name: String {
    switch self {
    case .notifications(_, let characteristic), .waiting(_, let characteristic): characteristic.title
    case .channel(let channel): "the channel \(channel.psm)"
    }
  }

  /// The operation that was cancelled, in errors.
  var action: BLEError.Action {
    switch self {
    case .notifications(_, let characteristic), .waiting(_, let characteristic):
      .receiveReply(from: characteristic.uuid)
    case .channel(let channel): .useChannel(psm: channel.psm, of: channel.peer)
    }
  }
}

/// Takes the packets of a source, one batch after the other.
struct FileSourceReader {
  private let source: FileSource
  private let loop: EventLoop
  private var values: Notifications.Iterator?

  init(_ source: FileSource, on loop: EventLoop) {
    (self.source, self.loop) = (source, loop)
    if case .notifications(let notifications, _) = source { values = notifications.makeAsyncIterator() }
  }

  /// Waits for packets: there are none when the time is over, and nil when the channel is closed.
  mutating func next(within limit: Duration?) async throws -> [ReceivedValue]? {
    let deadline = limit.map { LoopClock.now + $0 }
    switch source {
    case .notifications:
      guard let batch = try await values?.nextBatch(until: deadline) else {
        throw BLEError.cancelled(source.action)
      }
      return batch.elements
    case .waiting(let values, let characteristic):
      // One by one: those behind the end of the file are for the steps that follow.
      let value = try await values.next(until: deadline, on: loop)
      guard values.forgottenCount == 0 else {
        throw CommandError(
          status: .failed,
          message:
            "cannot receive \(characteristic.title): more values came since 'subscribe' than can wait, "
            + "and \(values.forgottenCount) were lost", hint: "receive without subscribing before")
      }
      if let value { return [value] }
      // No more can come: that is silence, too.
      if let deadline { try await loop.sleep(for: deadline - LoopClock.now) }
      return []
    case .channel(let channel):
      do throws(BLEError) {
        return try await channel.receive(timeout: limit).map { [ReceivedValue($0, at: .now)] }
      } catch {
        guard error.code == .timedOut else { throw error }
        return []
      }
    }
  }
}
