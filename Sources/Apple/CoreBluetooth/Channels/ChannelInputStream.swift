// SPDX-License-Identifier: MIT
internal import Foundation

/// The bytes that the other device sends over a channel.
final class ChannelInputStream: InputStream, ChannelStream {
  private let bytes: ReceivedBytes

  init(_ bytes: ReceivedBytes) {
    self.bytes = bytes
    super.init(data: Data())
    bytes.events.begin(for: self)
  }

  deinit { bytes.close() }

  override var delegate: (any StreamDelegate)? {
    didSet { bytes.events.signal() }
  }

  func nextEvent() -> Event? { bytes.nextEvent() }

  override func open() { bytes.open() }
  override func close() { bytes.close() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    bytes.read(into: UnsafeMutableBufferPointer(start: buffer, count: max(len, 0)))
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { bytes.hasBytes }
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
