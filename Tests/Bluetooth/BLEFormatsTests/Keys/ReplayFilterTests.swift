// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Replayed packets")
struct ReplayFilterTests {
  private func verdicts(_ counters: [UInt32], bits: Int = 32) -> [ReplayFilter.Verdict] {
    var filter = ReplayFilter()
    return counters.map { filter.judge(PacketCounter($0, bits: bits)) }
  }

  @Test("Ascending counters are fresh, with or without gaps, and the latest one may be repeated")
  func fresh() {
    #expect(
      verdicts([5, 6, 6, 9, 9, 1000, 1000]) == [
        .fresh, .fresh, .repeated, .fresh, .repeated, .fresh, .repeated,
      ])
    #expect(verdicts([0]) == [.fresh])
  }

  @Test("An older packet is stale the first time, and replayed if it was received before")
  func older() {
    #expect(
      verdicts([5, 6, 8, 7, 7, 5, 6]) == [.fresh, .fresh, .fresh, .stale, .replayed, .replayed, .replayed])
    // The filter remembers 64 packets; before them, a packet is stale each time.
    #expect(verdicts([1000, 1063, 1000, 1064, 1000]) == [.fresh, .fresh, .replayed, .fresh, .stale])
    #expect(verdicts([1000, 2000, 1000, 1000]) == [.fresh, .fresh, .stale, .stale])
  }

  @Test("A restart at a small counter is reported as such, and recorded packets are still noticed")
  func restarted() {
    #expect(verdicts([5000, 0, 1, 5000]) == [.fresh, .restarted, .fresh, .fresh])
    #expect(verdicts([5000, 99, 100]) == [.fresh, .restarted, .fresh])
    #expect(verdicts([5000, 100]) == [.fresh, .stale])
    // Within the last 64 packets there is no restart.
    #expect(verdicts([10, 3, 3]) == [.fresh, .stale, .replayed])
  }

  @Test("Narrow counters go on with 0 after their largest value")
  func turn() {
    #expect(verdicts([254, 255, 0, 255, 1], bits: 8) == [.fresh, .fresh, .fresh, .replayed, .fresh])
    #expect(verdicts([10, 200, 60], bits: 8) == [.fresh, .stale, .fresh])
    #expect(verdicts([65_535, 3], bits: 16) == [.fresh, .fresh])
    #expect(verdicts([40_000, 10], bits: 16) == [.fresh, .fresh])
    #expect(verdicts([30_000, 10], bits: 16) == [.fresh, .stale])
    #expect(verdicts([.max, 0], bits: 32) == [.fresh, .fresh])
    #expect(PacketCounter(0x1_23, bits: 8) == PacketCounter(0x23, bits: 8))
    #expect(PacketCounter(7, bits: 99).bits == 32)
  }

  @Test("A counter of another width is fresh, as that of a device with other firmware")
  func width() {
    var filter = ReplayFilter()
    #expect(filter.judge(PacketCounter(200, bits: 8)) == .fresh)
    #expect(filter.judge(PacketCounter(5, bits: 32)) == .fresh)
    #expect(filter.judge(PacketCounter(5, bits: 32)) == .repeated)
  }
}
