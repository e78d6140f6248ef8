// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The packets of a file from an offset on, made when they are sent.
final class ChunkSource: WriteSource {
  /// Makes up to so many packets from an offset on, and returns them with the offset behind them; nil at the end.
  typealias Maker = @Sendable (_ offset: Int, _ most: Int) throws -> (packets: [[UInt8]], end: Int)?

  private let state: Lock<(offset: Int, failure: (any Error)?)>
  private let make: Maker

  init(from start: Int, _ make: @escaping Maker) {
    state = Lock((start, nil))
    self.make = make
  }

  /// The error that ended the packets before the end of the file.
  var failure: (any Error)? { state.withLock { $0.failure } }

  func next(_ most: Int) -> [[UInt8]]? {
    do {
      guard failure == nil, let (packets, end) = try make(state.withLock { $0.offset }, most) else {
        return nil
      }
      state.withLock { $0.offset = end }
      return packets
    } catch {
      state.withLock { $0.failure = error }
      return nil
    }
  }

  func waitForNext() async {}
}
