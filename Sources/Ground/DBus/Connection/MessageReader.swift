// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// Reads all pending messages from the socket of a bus with one system call, and without copying them.
///
/// libdbus takes two system calls and 28,000 instructions to read one message. Without it, nothing has
/// validated the bytes: see ``MessageHeader`` and ``WireReader``. Confined to the loop's thread.
struct MessageReader {
  enum Outcome {
    /// Nothing was pending; more may follow.
    case empty
    /// All pending bytes were read, or those of a message with descriptors; more may follow.
    case drained
    /// The buffer was filled; more bytes are pending.
    case more
    /// The other side has closed, or the read failed.
    case ended
  }

  /// The number of bytes read at once: as many as a bus socket holds for a slow reader.
  private static let blockSize = 1 << 16

  private let descriptor: Int32
  private var block = ByteBlock(capacity: blockSize)
  /// The bytes that were read but not yet taken are in `start..<end` of the block.
  private var start = 0
  private var end = 0
  /// Descriptors that arrived before the rest of their message.
  private var descriptors: [SharedDescriptor] = []

  /// - Parameter descriptor: a non-blocking stream socket, at the start of a message; not closed here.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  mutating func read() -> Outcome {
    makeRoom()
    var numbers = [Int32](repeating: -1, count: 16)
    var count: Int32 = 0
    let room = block.capacity - end
    let got = casyncio_receive(descriptor, block.base + end, room, &numbers, Int32(numbers.count), &count)
    for number in numbers.prefix(Int(count)) { descriptors.append(SharedDescriptor(adopting: number)) }
    guard got > 0 else {
      switch -got {
      case Int(EAGAIN): return .empty
      case Int(EINTR): return .drained
      default: return .ended
      }
    }
    end += got
    return got == room ? .more : .drained
  }

  /// Makes room after the pending bytes, for the rest of a partial message or for a whole block.
  private mutating func makeRoom() {
    if start == end {
      // Messages in use keep their block.
      if !isKnownUniquelyReferenced(&block) || block.capacity > MessageReader.blockSize {
        block = ByteBlock(capacity: MessageReader.blockSize)
      }
      (start, end) = (0, 0)
      return
    }
    let wanted = max(expected ?? 0, end - start + 1)
    if start + wanted <= block.capacity { return }
    let larger = ByteBlock(capacity: max(wanted, MessageReader.blockSize))
    larger.base.copyMemory(from: block.base + start, byteCount: end - start)
    block = larger
    (start, end) = (0, end - start)
  }

  /// The length of the next message; nil if it is not known yet, or if the header is invalid.
  private var expected: Int? {
    guard end - start >= MessageHeader.fixedSize else { return nil }
    return MessageHeader.length(UnsafeRawBufferPointer(start: block.base + start, count: end - start))
  }

  /// Takes the next complete message, if any; throws `.disconnected` for bytes that are not a message.
  mutating func next() throws(DBusError) -> Message? {
    guard end - start >= MessageHeader.fixedSize else { return nil }
    guard let length = expected else { throw .disconnected }
    guard end - start >= length else { return nil }
    guard let header = MessageHeader(UnsafeRawBufferPointer(start: block.base + start, count: length)),
      header.descriptorCount <= descriptors.count
    else { throw .disconnected }
    let message = Message(
      block, at: start..<start + length, header, Array(descriptors.prefix(header.descriptorCount)))
    if header.descriptorCount > 0 { descriptors.removeFirst(header.descriptorCount) }
    start += length
    return message
  }
}
