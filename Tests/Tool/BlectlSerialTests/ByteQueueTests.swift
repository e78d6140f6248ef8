// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BlectlSerial

@Suite("Queues of bytes")
struct ByteQueueTests {
  @Test("Bytes come out in the order in which they went in, in parts of any size")
  func order() async {
    let queue = ByteQueue(limit: 100)
    queue.add([1, 2, 3])
    queue.add([4, 5])
    #expect(queue.bytes(4) == [1, 2, 3, 4])
    #expect(queue.bytes(behind: 3, 4) == [4, 5])
    #expect(queue.bytes(behind: 5, 4) == [])
    #expect(await queue.next(2) == [1, 2])
    queue.add([6])
    #expect(await queue.next(10) == [3, 4, 5, 6])
    queue.add([7])
    queue.end()
    #expect(queue.bytes(behind: 0, 4) == [7])
    #expect(queue.bytes(behind: 1, 4) == nil)
    #expect(await queue.next(10) == [7])
    #expect(await queue.next(10) == nil)
  }

  @Test("Bytes that are offered are taken whole or not at all; an empty queue takes any number")
  func offers() async {
    let queue = ByteQueue(limit: 4)
    #expect(queue.offer([1, 2, 3]))
    #expect(!queue.offer([4, 5]))
    #expect(queue.offer([4]))
    #expect(queue.room == 0)
    #expect(await queue.next(10) == [1, 2, 3, 4])
    #expect(queue.offer([1, 2, 3, 4, 5]))
  }

  @Test("A producer waits for room, and a consumer for bytes; both may be cancelled")
  func waiting() async {
    let queue = ByteQueue(limit: 2)
    queue.add([1, 2])
    let room = Task { await queue.waitForRoom() }
    #expect(await queue.next(1) == [1])
    #expect(await room.value)
    queue.add([3])
    let cancelled = Task { await queue.waitForRoom() }
    cancelled.cancel()
    #expect(await !cancelled.value)
    #expect(await queue.next(2) == [2, 3])
    let bytes = Task { await queue.next(1) }
    bytes.cancel()
    #expect(await bytes.value == nil)
  }

  @Test("A higher limit wakes a producer")
  func limit() async {
    let queue = ByteQueue(limit: 1)
    queue.add([1])
    let room = Task { await queue.waitForRoom() }
    queue.setLimit(2)
    #expect(await room.value)
    #expect(queue.room == 1)
  }
}
