// SPDX-License-Identifier: MIT
internal import CAsyncIO
internal import Glibc

/// Reads messages from the socket of a bus: all that has come with one system call, and where they lie.
///
/// libdbus takes one message at a time, with two system calls and 28,000 instructions for each. Confined to the loop's
/// thread.
struct MessageReader {
  /// What a read gave.
  enum Outcome {
    /// All that had come; more may follow.
    case drained
    /// Much has come, and there is more.
    case more
    /// The other side has closed, or sends what is no D-Bus.
    case ended
  }

  /// How much is read at once: what a socket of the bus holds when the reader was away for long.
  private static let blockSize = 1 << 16

  private let descriptor: Int32
  private var block = ByteBlock(capacity: blockSize)
  /// What has been read and not taken lies in `start..<end` of the block.
  private var start = 0
  private var end = 0
  /// Descriptors that have come and whose message has not.
  private var descriptors: [SharedDescriptor] = []

  /// - Parameter descriptor: a non-blocking stream socket, at the beginning of a message; it stays its owner's.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// One system call.
  mutating func read() -> Outcome {
    makeRoom()
    var numbers = [Int32](repeating: -1, count: 16)
    var count: Int32 = 0
    let room = block.capacity - end
    let got = casyncio_receive(descriptor, block.base + end, room, &numbers, Int32(numbers.count), &count)
    for number in numbers.prefix(Int(count)) { descriptors.append(SharedDescriptor(adopting: number)) }
    guard got > 0 else {
      return got == -Int(EAGAIN) || got == -Int(EINTR) ? .drained : .ended
    }
    end += got
    return got == room ? .more : .drained
  }

  /// Room behind what lies there: for the rest of a message that has come in part, else for a whole block.
  private mutating func makeRoom() {
    if start == end {
      // Messages that somebody holds keep their block.
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

  /// How long the message is that begins the rest; nil when that is not known yet, or none.
  private var expected: Int? {
    guard end - start >= MessageHeader.fixedSize else { return nil }
    return MessageHeader.length(UnsafeRawBufferPointer(start: block.base + start, count: end - start))
  }

  /// Takes the next message that has come whole; nil when there is none.
  ///
  /// - Throws: ``DBusError`` `.disconnected` when what has come is no message: nothing behind it can be found.
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
