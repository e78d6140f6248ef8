// SPDX-License-Identifier: MIT
internal import Foundation

/// The bytes that this machine sends over a channel.
final class ChannelOutputStream: OutputStream, ChannelStream {
  private let bytes: SentBytes

  init(_ bytes: SentBytes) {
    self.bytes = bytes
    super.init(toMemory: ())
    bytes.events.begin(for: self)
  }

  /// A stream that cannot be opened; Foundation requires this initializer.
  required convenience init(toMemory: ()) { self.init(SentBytes(to: nil, nil)) }

  deinit { bytes.release() }

  override var delegate: (any StreamDelegate)? {
    didSet { bytes.events.signal() }
  }

  func nextEvent() -> Event? { bytes.nextEvent() }

  override func open() { bytes.open() }
  override func close() { bytes.close() }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    bytes.write(UnsafeBufferPointer(start: buffer, count: max(len, 0)))
  }

  override var hasSpaceAvailable: Bool { bytes.hasRoom }
  override var streamStatus: Status { bytes.status.status }
  override var streamError: (any Error)? { bytes.status.lastError.map { CBError($0.cbCode) } }

  override func property(forKey key: PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    bytes.events.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    bytes.events.remove(from: aRunLoop, forMode: mode)
  }
}
