// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import PeripheralEmulator

/// One direction of a link: packets arrive in order, some at once, after each packet time.
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
    /// The time of sending.
    let start: ContinuousClock.Instant
    let arrive: () -> Void
  }

  private let timers: TimerQueue
  private let packetTime: () -> Duration
  private let packetsAtOnce: () -> Int
  private var waiting: [Entry] = []
  /// The number of arrived packets that `waiting` still holds.
  private var gone = 0
  private var timer: TimerQueue.Token?
  /// The arrival time of the latest packets.
  private var due = LoopClock.now
  /// The number of further packets that can arrive with them.
  private var room = 0
  private var isPumping = false
  /// The number of packets in transit.
  private(set) var count = 0
  /// Called when packets have arrived.
  var onRoom: () -> Void = {}

  /// `packetsAtOnce` packets arrive together, as those of a connection event.
  init(
    timers: TimerQueue, packetTime: @escaping () -> Duration, packetsAtOnce: @escaping () -> Int = { 1 }
  ) {
    self.timers = timers
    self.packetTime = packetTime
    self.packetsAtOnce = packetsAtOnce
  }

  var hasRoom: Bool { count < PacketQueue.capacity }

  static func packets(for byteCount: Int) -> Int { max(1, (byteCount + payload - 1) / payload) }

  /// Calls `arrive` when the packets have arrived, in order; never if the link ends first.
  func send(packets: Int = 1, _ arrive: @escaping () -> Void) {
    if timer == nil, gone == waiting.count, packetTime() == .zero { return arrive() }
    waiting.append(Entry(packets: packets, start: LoopClock.now, arrive: arrive))
    count += packets
    pump()
  }

  func afterAll(_ action: @escaping () -> Void) { send(packets: 0, action) }

  /// Applies a new packet time, also to the current packet.
  func retime() {
    timers.cancel(timer)
    timer = nil
    (due, room) = (LoopClock.now, 0)
    pump()
    onRoom()
  }

  func clear() {
    timers.cancel(timer)
    timer = nil
    waiting = []
    gone = 0
    count = 0
  }

  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while timer == nil, gone < waiting.count {
      place(waiting[gone], every: packetTime())
      guard due > LoopClock.now else {
        arriveNext()
        continue
      }
      timer = timers.schedule(after: due - LoopClock.now) { [weak self] in
        guard let self else { return }
        timer = nil
        arriveNext()
        pump()
        onRoom()
      }
    }
  }

  /// Finds out when an entry arrives: counted from the time before it, so that timer delays do not add up.
  private func place(_ entry: Entry, every time: Duration) {
    guard time > .zero else { return due = min(due, LoopClock.now) }
    var packets = entry.packets
    if due <= entry.start {
      // Nothing was on its way.
      (due, room) = (entry.start, 0)
    }
    while packets > 0 {
      if room == 0 { (due, room) = (due + time, max(1, packetsAtOnce())) }
      let some = min(packets, room)
      packets -= some
      room -= some
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
