// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEMeaning
@testable import Charts
@testable import Histories
@testable import ValueStreams

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

@Suite("ValueNumbers")
struct ValueNumbersTests {
  private func numbers(
    _ bytes: [UInt8], as format: ValueFormat? = nil, of uuid: UInt16? = nil
  ) -> ValueNumbers {
    let meaning = uuid.flatMap { ValueMeaning(of: AttributeIdentity(BluetoothUUID(short: $0))) }
    return ValueNumbers(bytes, format: format, decoded: meaning?.decode(bytes))
  }

  @Test("A decoded value gives its numbers with their units, and names the fields without numbers")
  func decoded() {
    let value = numbers([0x16, 72, 0x00, 0x04, 0x10, 0x04], of: 0x2a37)
    #expect(value.fields.map(\.name) == ["heart_rate_bpm", "rr_intervals_ms"])
    #expect(value.fields.map(\.unit).first == "bpm")
    #expect(value.fields.first?.numbers == [72])
    #expect(value.fields.last?.numbers.count == 2)
    #expect(value.numberless == ["sensor_contact"])
    let temperature = numbers([0x66, 0x08], of: 0x2a6e)
    #expect(temperature.fields == [.init(name: "temperature_celsius", unit: "°C", numbers: [21.5])])
  }

  @Test("A value without a known meaning is named, and can be read with a format")
  func formats() throws {
    #expect(numbers([1, 2]).numberless == ["bytes"])
    #expect(numbers([]).numberless == ["an empty value"])
    let u16 = try ValueFormat(parsing: "u16")
    #expect(numbers([1, 2], as: u16).fields == [.init(name: "u16", unit: "", numbers: [513])])
    #expect(numbers([1, 0, 2, 0], as: u16).fields.map(\.name) == ["u16 1", "u16 2"])
    #expect(numbers([1, 2, 3], as: u16).numberless == ["u16"])
    #expect(numbers([0, 0, 0xc0, 0x7f], as: try ValueFormat(parsing: "f32")).numberless == ["f32"])
  }

  @Test("Text that is a number counts as a number")
  func text() {
    #expect(numbers(Array("21.5\r\n".utf8), as: .utf8).fields.first?.numbers == [21.5])
    #expect(numbers(Array("21.5 C".utf8), as: .utf8).numberless == ["utf8"])
    #expect(numbers([0xff], as: .utf8).numberless == ["utf8"])
    #expect(numbers([], as: .utf8).numberless == ["utf8"])
  }

  @Test("An unknown number is left out, and an incomplete value is reported")
  func unknown() {
    #expect(numbers([0x00, 0x80], of: 0x2a6e).numberless.first == "temperature_celsius")
    #expect(numbers([0x16], of: 0x2a37).numberless.contains("incomplete value"))
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
