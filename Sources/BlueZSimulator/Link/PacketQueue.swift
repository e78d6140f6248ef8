// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import PeripheralEmulator

/// One direction of a link: packets arrive in order, each after the packet time.
///
/// With a packet time of zero, packets arrive before ``send(packets:_:)`` returns.
final class PacketQueue {
  /// The number of packets that kernel and controller accept before the sender must wait.
  ///
  /// On Linux 6.1, the socket's buffer held 139 packets of 20 bytes, or 84 of 193, and the controller's 64.
  static let capacity = 200
  /// The payload of a packet with data length extension, without the L2CAP header.
  private static let payload = 247

  private struct Entry {
    let packets: Int
    let arrive: () -> Void
  }

  private let timers: TimerQueue
  private let packetTime: () -> Duration
  private var waiting: [Entry] = []
  /// The number of arrived packets that `waiting` still holds.
  private var gone = 0
  private var timer: TimerQueue.Token?
  /// The time at which the current packet arrives.
  private var due = LoopClock.now
  private var isPumping = false
  /// The number of packets in transit.
  private(set) var count = 0
  /// Called when packets have arrived.
  var onRoom: () -> Void = {}

  init(timers: TimerQueue, packetTime: @escaping () -> Duration) {
    self.timers = timers
    self.packetTime = packetTime
  }

  var hasRoom: Bool { count < PacketQueue.capacity }

  static func packets(for byteCount: Int) -> Int { max(1, (byteCount + payload - 1) / payload) }

  /// Calls `arrive` when the packets have arrived, in order; never if the link ends first.
  func send(packets: Int = 1, _ arrive: @escaping () -> Void) {
    if timer == nil, gone == waiting.count, packetTime() == .zero { return arrive() }
    waiting.append(Entry(packets: packets, arrive: arrive))
    count += packets
    pump(from: LoopClock.now)
  }

  func afterAll(_ action: @escaping () -> Void) { send(packets: 0, action) }

  /// Applies a new packet time, also to the current packet.
  func retime() {
    timers.cancel(timer)
    timer = nil
    pump(from: LoopClock.now)
    onRoom()
  }

  func clear() {
    timers.cancel(timer)
    timer = nil
    waiting = []
    gone = 0
    count = 0
  }

  private func pump(from start: ContinuousClock.Instant) {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while timer == nil, gone < waiting.count {
      let time = packetTime() * waiting[gone].packets
      guard time > .zero else {
        arriveNext()
        continue
      }
      due = start + time
      timer = timers.schedule(after: max(.zero, due - LoopClock.now)) { [weak self] in
        guard let self else { return }
        timer = nil
        arriveNext()
        // Counted from the due time, so that timer delays do not add up.
        pump(from: due)
        onRoom()
      }
    }
  }

  private func arriveNext() {
    let entry = waiting[gone]
    gone += 1
    count -= entry.packets
    if gone == waiting.count {
      waiting = []
      gone = 0
    } else if gone > 1024 {
      waiting.removeFirst(gone)
      gone = 0
    }
    entry.arrive()
  }
}
