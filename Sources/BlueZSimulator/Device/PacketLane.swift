// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// One direction of a link: one packet at a time, in order, each for as long as a packet takes.
///
/// Where a packet takes no time, it arrives before ``send(packets:_:)`` returns.
final class PacketLane {
  /// How many packets the kernel and the controller take before who sends them has to wait.
  ///
  /// Linux 6.1 in the rig: 139 packets of 20 bytes, or 84 of 193, in the socket's buffer, and 64 in the controller's.
  static let capacity = 200
  /// What fits into one packet with data length extension, less the header of L2CAP.
  private static let payload = 247

  private struct Entry {
    let packets: Int
    let arrive: () -> Void
  }

  private let agenda: Agenda
  private let packetTime: () -> Duration
  private var waiting: [Entry] = []
  /// How many of `waiting` have left it already.
  private var gone = 0
  private var timer: Agenda.Token?
  /// When the packet that is under way arrives.
  private var due = LoopClock.now
  private var isPumping = false
  /// How many packets have not arrived.
  private(set) var count = 0
  /// Called when packets have arrived.
  var onRoom: () -> Void = {}

  init(agenda: Agenda, packetTime: @escaping () -> Duration) {
    self.agenda = agenda
    self.packetTime = packetTime
  }

  /// Whether another packet is taken without a wait.
  var hasRoom: Bool { count < PacketLane.capacity }

  /// How many packets a PDU of so many bytes takes.
  static func packets(for byteCount: Int) -> Int { max(1, (byteCount + payload - 1) / payload) }

  /// Calls `arrive` when so many packets have gone, behind what was sent before; never when the link ends first.
  func send(packets: Int = 1, _ arrive: @escaping () -> Void) {
    if timer == nil, gone == waiting.count, packetTime() == .zero { return arrive() }
    waiting.append(Entry(packets: packets, arrive: arrive))
    count += packets
    pump(from: LoopClock.now)
  }

  /// Calls `action` when what was sent before has arrived; it takes no time itself.
  func afterAll(_ action: @escaping () -> Void) { send(packets: 0, action) }

  /// Takes up another packet time, for the packet that is under way, too.
  func retime() {
    agenda.cancel(timer)
    timer = nil
    pump(from: LoopClock.now)
    onRoom()
  }

  /// Throws away all that has not arrived.
  func clear() {
    agenda.cancel(timer)
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
      timer = agenda.schedule(after: max(.zero, due - LoopClock.now)) { [weak self] in
        guard let self else { return }
        timer = nil
        arriveNext()
        // From when it was due: what the timers lose does not add up.
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
