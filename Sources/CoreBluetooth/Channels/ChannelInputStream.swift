// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// The bytes that the other device sends over a channel.
final class ChannelInputStream: InputStream {
  private let bytes: ReceivedBytes
  private let events: StreamEvents

  init(_ bytes: ReceivedBytes) {
    self.bytes = bytes
    events = StreamEvents { bytes.nextEvent() }
    super.init(data: Data())
    events.begin(for: self)
    bytes.signal.exchange { [weak events] in events?.signal() }
  }

  deinit { bytes.close() }

  override var delegate: (any StreamDelegate)? {
    didSet { events.signal() }
  }

  override func open() { bytes.open() }
  override func close() {
    bytes.close()
    events.close()
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    bytes.read(into: UnsafeMutableBufferPointer(start: buffer, count: max(len, 0)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { bytes.hasBytes }
  override var streamStatus: Status { bytes.status.status }
  override var streamError: (any Error)? { bytes.status.error.map { CBError($0.cbCode) } }

  override func property(forKey key: PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.remove(from: aRunLoop, forMode: mode)
  }
}
