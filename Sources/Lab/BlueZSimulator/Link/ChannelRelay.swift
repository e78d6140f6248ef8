// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import Glibc

/// An L2CAP channel of a simulated link: passes packets between the sockets of both ends, at the speed of their readers.
///
/// That of a peripheral has one socket, to which they return.
final class ChannelRelay {
  /// The packets of one direction.
  private struct Direction {
    let from: Int32
    let to: Int32
    /// A packet that waits for room.
    var waiting: [UInt8]?
    var reading: SourceID?
    var writing: SourceID?
  }

  private let loop: EventLoop
  private let length: Int
  private var directions: [Direction]
  /// The number of bytes to pass before the peripheral closes the channel; nil for no limit.
  private var rest: Int?
  private(set) var isOpen = true

  /// Takes over two sockets that do not block; `length` is the size of the largest packet.
  init(_ first: Int32, _ second: Int32, length: Int, on loop: EventLoop) {
    (self.loop, self.length) = (loop, length)
    directions = [Direction(from: first, to: second), Direction(from: second, to: first)]
    read()
  }

  /// Takes over the socket of a channel that a peripheral offers.
  init(_ socket: Int32, to behaviour: ChannelBehaviour, length: Int, on loop: EventLoop) {
    (self.loop, self.length) = (loop, length)
    directions = [Direction(from: socket, to: socket)]
    switch behaviour {
    case .echo: read()
    case .hold: break
    case .close(let count):
      rest = count
      read()
    }
  }

  private func read() {
    for index in directions.indices {
      directions[index].reading = loop.watch(directions[index].from, for: .readable) { [weak self] _ in
        self?.pass(index)
      }
    }
  }

  deinit { close() }

  /// Ends the channel at both ends, which still read what was passed.
  func close() {
    guard isOpen else { return }
    isOpen = false
    for direction in directions {
      for source in [direction.reading, direction.writing] { if let source { loop.unwatch(source) } }
      Glibc.close(direction.from)
    }
  }

  private func pass(_ index: Int) {
    while isOpen {
      let (from, to) = (directions[index].from, directions[index].to)
      if let packet = directions[index].waiting {
        let count = send(to, packet, packet.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        if count < 0, errno == EAGAIN || errno == EINTR { return waitForRoom(index) }
        guard count >= 0 else { return close() }
        directions[index].waiting = nil
        rest = rest.map { $0 - packet.count }
        if let rest, rest <= 0 { return close() }
      }
      var packet = [UInt8](repeating: 0, count: length)
      let count = recv(from, &packet, packet.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        directions[index].waiting = Array(packet[..<count])
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        return
      } else {
        return close()
      }
    }
  }

  private func waitForRoom(_ index: Int) {
    let direction = directions[index]
    guard direction.writing == nil else { return }
    if let reading = direction.reading { loop.setInterest([], of: reading) }
    directions[index].writing = loop.watch(direction.to, for: .writable) { [weak self] _ in
      guard let self else { return }
      if let writing = directions[index].writing { loop.unwatch(writing) }
      directions[index].writing = nil
      if let reading = directions[index].reading { loop.setInterest(.readable, of: reading) }
      pass(index)
    }
  }
}
