// SPDX-License-Identifier: MIT

/// Notifications of a characteristic that are sent as fast as the link takes them.
struct Burst {
  enum Content {
    /// Numbered notifications of 20 bytes.
    case numbers(Range<Int>)
    /// The bytes of a serial port.
    case bytes([UInt8])
    /// Bytes that share no notification with others.
    case whole([UInt8])
  }

  /// The number of notifications that one turn of the loop sends.
  private static let slice = 128
  /// The number of packets of bytes that one turn sends: longer ones, for which a client's socket has less room.
  private static let packets = 32
  /// The most bytes that may wait.
  private static let limit = 1 << 20

  let handle: UInt16
  private var content: Content

  init(handle: UInt16, content: Content) { (self.handle, self.content) = (handle, content) }

  var isOver: Bool {
    switch content {
    case .numbers(let numbers): numbers.isEmpty
    case .bytes(let bytes), .whole(let bytes): bytes.isEmpty
    }
  }

  /// True if it consists of bytes, to which others can be added.
  var isStream: Bool {
    if case .bytes = content { true } else { false }
  }

  /// Adds bytes, unless they are too many.
  mutating func append(_ more: [UInt8]) {
    guard case .bytes(let bytes) = content, bytes.count + more.count <= Burst.limit else { return }
    content = .bytes(bytes + more)
  }

  /// Takes the next notifications.
  mutating func next(packetSize: Int) -> [[UInt8]] {
    switch content {
    case .numbers(let numbers):
      let taken = numbers.prefix(Burst.slice)
      content = .numbers(taken.upperBound..<numbers.upperBound)
      return taken.map { Burst.numbered(UInt32(truncatingIfNeeded: $0)) }
    case .bytes(let bytes):
      let taken = Array(bytes.prefix(Burst.packets * packetSize))
      content = .bytes(Array(bytes.dropFirst(taken.count)))
      return Burst.parts(taken, packetSize)
    case .whole(let bytes):
      content = .whole([])
      return Burst.parts(bytes, packetSize)
    }
  }

  private static func parts(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  static func numbered(_ number: UInt32) -> [UInt8] {
    var value = [UInt8](repeating: 0xA5, count: 20)
    for index in 0..<4 { value[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return value
  }
}
