// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlSession

/// What is counted and summed up when a link is measured.
@Suite("Bench")
struct BenchTests {
  @Test("Percentiles are durations that occurred, the smallest that enough others do not exceed")
  func percentiles() throws {
    #expect(LatencySummary([]) == nil)
    let one = try #require(LatencySummary([.milliseconds(7)]))
    #expect(one.all.allSatisfy { $0.duration == .milliseconds(7) })
    let many = try #require(LatencySummary((1...200).shuffled().map { .milliseconds($0) }))
    #expect(many.all.map(\.duration) == [1, 100, 180, 198, 200].map { .milliseconds($0) })
  }

  /// The missing values of a series that counts in some bytes, the least significant one first.
  private func missing(_ numbers: some Sequence<UInt32>, width: Int) -> Int? {
    var gaps = CounterGaps()
    for number in numbers {
      gaps.note((0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [0xa5, 0xa5])
    }
    return gaps.missing
  }

  @Test(
    "Values that count show how many are missing, also where the counter begins again", arguments: [1, 2, 4])
  func counter(_ width: Int) {
    #expect(missing(0..<100, width: width) == 0)
    #expect(missing((0..<100).filter { $0 != 50 && $0 != 51 && $0 != 77 }, width: width) == 3)
    let end = width == 4 ? UInt32.max : (1 << (8 * UInt32(width))) - 1
    #expect(missing((0..<40).map { (end - 20) &+ $0 }, width: width) == 0)
  }

  @Test("Values that do not count say nothing of what is missing")
  func noCounter() {
    #expect(missing([], width: 2) == nil)
    #expect(missing(Array(repeating: 7, count: 100), width: 2) == nil)
    #expect(missing((0..<100).map { $0 * 2654 % 251 }, width: 1) == nil)
    var empty = CounterGaps()
    for _ in 0..<20 { empty.note([]) }
    #expect(empty.missing == nil)
  }
}
