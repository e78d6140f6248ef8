// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BlectlCommands
@testable import Charts

@Suite("ChartHistory")
struct ChartHistoryTests {
  @Test(
    "However much comes, so many buckets are kept, and no extreme is lost", arguments: [0.0001, 0.5, 86_400])
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
    #expect(history.buckets.count <= 21)
    #expect(history.buckets.contains { $0.time == 989 })
  }

  @Test("A clock that is set back does not turn the line back")
  func clock() {
    var history = ChartHistory()
    history.add(1, at: 5)
    history.add(2, at: 3)
    #expect(history.buckets.last?.time == 5)
  }
}
