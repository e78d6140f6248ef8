// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import Histories

@Suite("ChartHistory")
struct ChartHistoryTests {
  @Test(
    "The number of buckets is limited, and no extreme is lost", arguments: [0.0001, 0.5, 86_400])
  func bounded(step: Double) {
    var history = ChartHistory()
    var random = SeededGenerator(seed: 3)
    let values = (0..<50_000).map { _ in Double.random(in: -5...5, using: &random) }
    for (index, value) in values.enumerated() {
      history.add(value, at: Double(index) * step)
      #expect(history.buckets.count <= ChartHistory.capacity)
    }
    #expect(history.buckets.map(\.low).min() == values.min())
    #expect(history.buckets.map(\.high).max() == values.max())
    #expect(history.buckets.first?.first == values.first)
    #expect(history.buckets.last?.last == values.last)
    #expect(history.buckets.map(\.time) == history.buckets.map(\.time).sorted())
    #expect(history.buckets.count > ChartHistory.capacity / 4)
  }

  @Test("Values that come slowly keep their own places")
  func slow() {
    var history = ChartHistory()
    for second in 0..<100 { history.add(Double(second), at: Double(second)) }
    #expect(history.buckets.map(\.time) == (0..<100).map(Double.init))
    #expect(history.buckets.allSatisfy { $0.low == $0.high })
  }

  @Test("Joined values that are added again make the same line, with its gaps")
  func joined() {
    var history = ChartHistory(capacity: 64)
    for second in 0..<1000 {
      if second == 512 { history.breakLine() }
      history.add(Double(second % 7), at: Double(second))
    }
    var again = ChartHistory(capacity: 64)
    for bucket in history.buckets { again.add(bucket) }
    #expect(again.buckets == history.buckets)
    #expect(again.buckets.filter(\.followsGap).map(\.time) == [0, 512])
    // One that is a little late counts as the last one.
    let late = (again.buckets.last?.time ?? 0) - 1
    again.add(ChartHistory.Bucket(time: late, first: 1, low: -5, high: 2, last: 1))
    #expect(again.buckets.map(\.time) == history.buckets.map(\.time))
    #expect(again.buckets.last?.low == -5)
  }

  @Test("A gap breaks the line, once")
  func gap() {
    var history = ChartHistory()
    history.add(1, at: 0)
    history.add(2, at: 1)
    history.breakLine()
    history.breakLine()
    history.add(3, at: 2)
    history.add(4, at: 3)
    #expect(history.buckets.map(\.followsGap) == [true, false, true, false])
  }

  @Test("A great number of gaps does not take more room")
  func gaps() {
    var history = ChartHistory()
    for second in 0..<10_000 {
      history.breakLine()
      history.add(1, at: Double(second))
    }
    #expect(history.buckets.count <= ChartHistory.capacity)
  }

  @Test("A window forgets what is older")
  func window() {
    var history = ChartHistory(window: 10)
    for second in 0..<1000 { history.add(1, at: Double(second)) }
    #expect(history.buckets.count <= 22)
    #expect(history.buckets.contains { $0.time == 989 })
  }

  @Test("Nothing is forgotten for one value whose time was far ahead; two of them are the time")
  func windowAhead() {
    var history = ChartHistory(window: 10)
    for second in 0..<10 { history.add(1, at: Double(second)) }
    history.add(2, at: 86_400)
    for second in 10..<13 { history.add(3, at: Double(second)) }
    // Of three that are earlier, the first does not count.
    #expect(history.buckets.map(\.time) == (0..<10).map(Double.init) + [11, 12])
    for second in 0..<2 { history.add(4, at: Double(86_400 + second)) }
    #expect(history.buckets.map(\.time) == [86_400, 86_401])
  }

  @Test(
    "A clock that is set back drops what lies after its new time; one wrong time among right ones drops itself"
  )
  func clock() {
    var history = ChartHistory()
    for second in 1...3 { history.add(Double(second), at: 100 + Double(second)) }
    // A little earlier: measured before, and come later.
    history.add(3.5, at: 102.5)
    #expect(history.buckets.last?.time == 103)
    // A day too early, once.
    history.add(99, at: 103 - 86_400)
    history.add(4, at: 104)
    #expect(history.buckets.map(\.last).last == 4)
    #expect(!history.buckets.contains { $0.high == 99 })
    // A day too late: the next ones are right again.
    history.add(5, at: 104 + 86_400)
    for second in 105...300 { history.add(6, at: Double(second)) }
    #expect(history.buckets.last.map { $0.time <= 300 && $0.high == 6 } == true)
    #expect(history.buckets.first?.first == 1)
    #expect(history.buckets.count > 100)
    #expect(zip(history.buckets, history.buckets.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("A part of a line has few points, the extremes, and its gaps")
  func thinned() {
    var history = ChartHistory()
    for second in 0..<1000 {
      if second == 500 { history.breakLine() }
      // A gap that is shorter than a point is not visible.
      history.add(second == 700 ? 99 : Double(second % 10), at: Double(second < 500 ? second : second + 200))
    }
    let part = history.thinned(from: 250, to: 50)
    #expect(part.buckets.count < 50)
    #expect(part.buckets.count > 10)
    #expect(part.buckets.first.map { $0.time >= 250 } == true)
    #expect(part.buckets.map(\.high).max() == 99)
    #expect(part.buckets.map(\.low).min() == 0)
    #expect(part.buckets.last?.last == 9)
    #expect(part.buckets.dropFirst().contains { $0.followsGap })
  }
}
