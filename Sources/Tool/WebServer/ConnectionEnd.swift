// SPDX-License-Identifier: MIT
internal import FlyingSocks

/// A body without bytes that fails: the library then ends the connection, behind the headers of the answer.
struct ConnectionEnd: AsyncBufferedSequence {
  typealias Element = UInt8

  func makeAsyncIterator() -> Iterator { Iterator() }

  struct Iterator: AsyncBufferedIteratorProtocol {
    func next() async throws -> UInt8? { throw CancellationError() }

    func nextBuffer(suggested count: Int) async throws -> [UInt8]? { throw CancellationError() }
  }
}
