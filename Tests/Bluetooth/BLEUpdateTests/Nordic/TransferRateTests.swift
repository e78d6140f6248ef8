// SPDX-License-Identifier: MIT
import Testing

@testable import BLEUpdate

/// A link that carries seven packets in each direction every connection interval, counted in intervals.
///
/// A request is answered in the interval after the one in which it arrives, as are packets that a report is due for.
private struct IntervalLink<Device> {
  private enum Sent {
    case request([UInt8])
    case packet([UInt8])
  }

  static var packetsAtOnce: Int { 7 }

  var device: Device
  let control: (inout Device, [UInt8]) -> [[UInt8]]
  let packet: (inout Device, [UInt8]) -> [[UInt8]]
  private(set) var now = 0
  private var outgoing: [(arrival: Int, sent: Sent)] = []
  private var incoming: [(arrival: Int, value: [UInt8])] = []
  /// The interval of the last packet, and the number of packets that fit beside it.
  private var last = (interval: 0, room: 0)

  init(
    _ device: Device, control: @escaping (inout Device, [UInt8]) -> [[UInt8]],
    packet: @escaping (inout Device, [UInt8]) -> [[UInt8]]
  ) {
    (self.device, self.control, self.packet) = (device, control, packet)
  }

  private mutating func place() -> Int {
    if last.interval <= now { last = (now, 0) }
    if last.room == 0 { last = (last.interval + 1, Self.packetsAtOnce) }
    last.room -= 1
    return last.interval
  }

  private mutating func advance(to interval: Int) {
    now = max(now, interval)
    while let first = outgoing.first, first.arrival <= now {
      outgoing.removeFirst()
      let answers =
        switch first.sent {
        case .request(let bytes): control(&device, bytes)
        case .packet(let bytes): packet(&device, bytes)
        }
      incoming += answers.map { (first.arrival + 1, $0) }
    }
  }

  mutating func send(_ bytes: [UInt8]) { outgoing.append((place(), .packet(bytes))) }

  /// Sends a request, and waits until it is answered.
  mutating func request(_ bytes: [UInt8]) {
    let arrival = place()
    outgoing.append((arrival, .request(bytes)))
    advance(to: arrival + 1)
  }

  /// Waits for a notification; returns nil if none is on its way.
  mutating func receive() -> [UInt8]? {
    advance(to: now)
    while incoming.first.map({ $0.arrival > now }) ?? !outgoing.isEmpty { advance(to: now + 1) }
    return incoming.isEmpty ? nil : incoming.removeFirst().value
  }

  /// The share of what the link could carry since an interval, in percent.
  func share(of packets: Int, since start: Int) -> Double {
    100 * Double(packets) / Double(Self.packetsAtOnce * (now - start))
  }
}

/// The rates of Nordic's protocols over a link on which answers take two intervals.
@Suite("Rates of transfers")
struct TransferRateTests {
  private static func legacy(packet: Int) -> Double? {
    var rules = LegacyTransfer.Rules()
    rules.packetSize = packet
    let firmware = UploadRun.image(200_000)
    var transfer = LegacyTransfer(
      LegacyTransfer.Content(kind: 4, firmware: firmware, initPacket: LegacyRun.initPacket), rules)
    var link = IntervalLink(
      LegacyDevice(), control: { $0.control($1) }, packet: { $0.packet($1) })
    var start: Int?
    while true {
      switch transfer.next() {
      case .control(let bytes): link.request(bytes)
      case .packet(let bytes):
        if transfer.sent > 0 { start = start ?? link.now }
        link.send(bytes)
      case .receive:
        guard let value = link.receive() else { return nil }
        transfer.received(value)
      case .pause: break
      case .finished: return link.share(of: (firmware.count + packet - 1) / packet, since: start ?? 0)
      case .failed: return nil
      }
    }
  }

  private static func secure(packet: Int) -> Double? {
    let firmware = UploadRun.image(200_000)
    var transfer = SecureTransfer(
      initPacket: SecureRun.initPacket, firmware: firmware, SecureTransfer.Rules(packetSize: packet))
    var device = SecureDevice(largest: 4096)
    device.size = firmware.count
    var link = IntervalLink(device, control: { $0.control($1) }, packet: { $0.packet($1) })
    var (start, count) = (Int?.none, 0)
    while true {
      switch transfer.next() {
      case .control(let bytes): link.request(bytes)
      case .packet(let range, .initPacket): link.send(Array(SecureRun.initPacket[range]))
      case .packet(let range, .firmware):
        start = start ?? link.now
        count += 1
        link.send(Array(firmware[range]))
      case .receive:
        guard let value = link.receive() else { return nil }
        transfer.received(value)
      case .pause: break
      case .finished: return link.share(of: count, since: start ?? 0)
      case .failed: return nil
      }
    }
  }

  @Test("Legacy DFU fills nine tenths of the link, whatever the size of packets", arguments: [20, 244])
  func legacy(packet: Int) throws {
    let share = try #require(Self.legacy(packet: packet))
    #expect(share >= 90)
  }

  @Test("Secure DFU fills four fifths of the link with packets of 20 bytes")
  func secure() throws {
    let share = try #require(Self.secure(packet: 20))
    #expect(share >= 80)
  }

  @Test("With packets of 244 bytes, an object fills three intervals, and its three requests take six")
  func secureLarge() throws {
    let share = try #require(Self.secure(packet: 244))
    #expect(share >= 27)
  }
}
