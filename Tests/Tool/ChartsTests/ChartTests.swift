// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import Charts
@testable import Histories
@testable import ValueStreams

@Suite("Chart")
struct ChartTests {
  static func address(_ number: Int) throws -> BluetoothAddress {
    let digits = String(number + 0x1000, radix: 16).suffix(2)
    return try #require(BluetoothAddress("C0:00:00:00:00:\(digits)"))
  }

  @Test("Each number of each characteristic of each device is a line of its own")
  func series() throws {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60], [0, 70], [0, 65]]))
    chart.add(SampleStream.values([[0, 80]], address: try Self.address(1)))
    chart.add(SampleStream.values([[0x66, 0x08]], uuid: BluetoothUUID(short: 0x2a6e)))
    #expect(chart.series.map(\.key.field) == ["heart_rate_bpm", "heart_rate_bpm", "temperature_celsius"])
    #expect(chart.series.map(\.least) == [60, 80, 21.5])
    #expect(chart.series.map(\.greatest) == [70, 80, 21.5])
    #expect(chart.series.map(\.last) == [65, 80, 21.5])
    #expect(chart.valueCount == 5)
    #expect(chart.newest == 2)
    let panels = ChartPanel.panels(of: chart, over: TimeAxis(newest: 2, window: nil))
    #expect(panels.map(\.title) == ["bpm", "°C"])
    #expect(panels.map(\.members) == [[0, 1], [2]])
  }

  @Test("The numbers of a layout of one's own are lines with their units")
  func ownLayout() throws {
    let view = ValueView(try ValueLayout(compact: "ax=i16*0.01m/s² mode=utf8[1] battery=u8%"))
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1), shownAs: view)
    var chart = Chart(format: view.format)
    chart.add(.values(SampleStream.batch([[100, 0, 0x61, 97]], of: origin)))
    #expect(chart.series.map(\.key.field) == ["ax_m_per_s2", "battery_percent"])
    #expect(chart.series.map(\.unit) == ["m/s²", "%"])
    #expect(chart.series.map(\.last) == [1, 97])
    #expect(chart.numberless.text.hasPrefix("mode of "))
  }

  @Test("Lines have the shortest distinct names")
  func labels() throws {
    var chart = Chart()
    chart.add(SampleStream.values([[0, 60]], name: "Strap"))
    #expect(chart.series.labels == ["heart_rate_bpm"])
    chart.add(SampleStream.values([[0, 60]], address: try Self.address(1), name: "Other"))
    #expect(chart.series.labels == ["Strap heart_rate_bpm", "Other heart_rate_bpm"])
    chart.add(SampleStream.values([[0, 60]], address: try Self.address(2), name: "Other"))
    #expect(Set(chart.series.labels).count == 3)
    #expect(chart.series.labels[2] == "C0:00:00:00:00:02 Heart Rate Measurement @0007 heart_rate_bpm")
    #expect([ChartSeries]().labels.isEmpty)
  }

  @Test("A format applies to every value")
  func format() throws {
    var chart = Chart(format: try ValueFormat(parsing: "u8"))
    chart.add(SampleStream.values([[1, 2], [3, 4]], uuid: BluetoothUUID(short: 0xffe1)))
    #expect(chart.series.labels == ["u8 1", "u8 2"])
    #expect(chart.numberless.isEmpty)
  }

  @Test("The chart names the data that it leaves out: values without a number, excess lines, dropped values")
  func omissions() throws {
    var chart = Chart()
    for number in 0..<40 {
      chart.add(SampleStream.values([[0, 60]], address: try Self.address(number), name: "Strap \(number)"))
    }
    chart.add(SampleStream.values([[1]], uuid: BluetoothUUID(short: 0xffe1)))
    chart.add(.dropped(DroppedRecord(time: .now, count: 7)))
    #expect(chart.series.count == Chart.mostSeries)
    let remarks = ChartLegend(chart: chart).remarks
    #expect(remarks.count == 3)
    #expect(remarks[0] == "no number in: bytes of ffe1")
    #expect(remarks[1].hasPrefix("more than 26 lines, not drawn: heart_rate_bpm of Strap 26, "))
    #expect(remarks[1].hasSuffix("of Strap 37, …"))
    #expect(remarks[2] == "7 values were dropped (--buffer)")
  }

  @Test("A lost link breaks the lines of that device only")
  func gap() throws {
    var chart = Chart()
    let other = try Self.address(1)
    chart.add(SampleStream.values([[0, 60]]))
    chart.add(SampleStream.values([[0, 60]], address: other))
    chart.add(SampleStream.lost("out of range"))
    chart.add(SampleStream.values([[0, 61]]))
    chart.add(SampleStream.values([[0, 61]], address: other))
    #expect(chart.series[0].history.buckets.map(\.followsGap) == [true, true])
    #expect(chart.series[1].history.buckets.count == 1)
  }
}

@Suite("Scales of a chart")
struct ChartScaleTests {
  @Test(
    "Values get round numbers that enclose them",
    arguments: [
      (60.0, 91.0, 5, ["60", "70", "80", "90", "100"]), (19.9, 23.1, 3, ["15", "20", "25"]),
      (0.0, 1.0, 3, ["0.0", "0.5", "1.0"]), (-1.0, 1.0, 2, ["-1", "0", "1"]),
      (0.0012, 0.0018, 4, ["0.0012", "0.0014", "0.0016", "0.0018"]),
      (95.0, 95.0, 3, ["80", "100", "120"]), (0.0, 0.0, 3, ["-1", "0", "1"]),
      (0.1, 0.3, 3, ["0.1", "0.2", "0.3"]), (-30.0, -10.0, 3, ["-30", "-20", "-10"]),
    ] as [(Double, Double, Int, [String])])
  func values(least: Double, greatest: Double, most: Int, labels: [String]) {
    let axis = ValueAxis(from: least, to: greatest, mostTicks: most)
    #expect(axis.low <= least + 1e-9 && greatest <= axis.high + 1e-9)
    #expect(axis.ticks.map(\.label) == labels)
    #expect(axis.ticks.count <= max(3, most))
  }

  @Test("Any range has a scale", arguments: 1...12)
  func anything(most: Int) {
    let numbers = [-1e300, -1e15, -273.15, -1, -1e-12, 0, 1e-300, 0.1, 1, 3, 65_535, 1e15 + 1, 1e300]
    for (index, least) in numbers.enumerated() {
      for greatest in numbers[index...] {
        let axis = ValueAxis(from: least, to: greatest, mostTicks: most)
        #expect(axis.low < axis.high && axis.ticks.count <= max(3, most))
        #expect(axis.ticks.map(\.value) == axis.ticks.map(\.value).sorted())
        #expect((0...1).contains(axis.position(of: least)) && (0...1).contains(axis.position(of: greatest)))
      }
    }
  }

  /// One of each kind of double, and its neighbours.
  private static let kinds: [Double] = [
    0, .leastNonzeroMagnitude, .leastNormalMagnitude, .leastNormalMagnitude / 20, 1e-300, 1e-280, 1e-45,
    .ulpOfOne, 0.1, 1, 1e15,
    1e300, .greatestFiniteMagnitude, .infinity, .nan, .signalingNaN,
  ].flatMap { [$0, $0.nextUp, $0.nextDown, -$0] }

  /// The fault in the scale of two numbers; nil when there is none.
  private func fault(_ least: Double, _ greatest: Double, _ most: Int) -> String? {
    let axis = ValueAxis(from: least, to: greatest, mostTicks: most)
    let values = axis.ticks.map(\.value)
    let positions = [least, greatest].map { axis.position(of: $0) }
    let isSound =
      axis.low.isFinite && axis.high.isFinite && axis.low < axis.high
      && (2...max(3, most)).contains(values.count) && values.first == axis.low && values.last == axis.high
      && values == values.sorted() && axis.ticks.allSatisfy { !$0.label.isEmpty }
      && positions.allSatisfy { (0...1).contains($0) }
      && (least < greatest ? positions[0] <= positions[1] : true)
    return isSound ? nil : "\(least) to \(greatest), \(most) ticks: \(axis)"
  }

  @Test("Every kind of double has a scale", arguments: [.min, -1, 0, 2, 3, 7, 40])
  func everyKind(most: Int) {
    for least in Self.kinds {
      for greatest in Self.kinds { #expect(fault(least, greatest, most) == nil) }
    }
  }

  @Test("Doubles of any bits have a scale, far from each other or neighbours", arguments: UInt64(1)...8)
  func anyBits(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let least = Double(bitPattern: generator.next())
      let far = Double(bitPattern: generator.next())
      let near = Double(bitPattern: least.bitPattern &+ generator.next() % 1000)
      let most = Int(generator.next() % 60)
      #expect(fault(least, far, most) == nil)
      #expect(fault(least, near, most) == nil)
    }
  }

  @Test(
    "Time has a round length, and changes it only when that is full",
    arguments: [
      (0.0, 10.0), (10.0, 10), (10.1, 20), (59, 60), (61, 120), (3599, 3600), (90_000, 172_800),
      (2_592_001, 5_184_000),
    ])
  func lengths(newest: Double, end: Double) {
    #expect(TimeAxis(newest: newest, window: nil).end == end)
  }

  @Test("Times are shown in the unit of their steps, a window's back from now")
  func times() {
    func labels(_ newest: Double, _ window: Double? = nil, most: Int = 5) -> [String] {
      TimeAxis(newest: newest, window: window).ticks(most: most).map(\.label)
    }
    #expect(labels(8) == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"])
    #expect(labels(100) == ["0 s", "30 s", "60 s", "90 s", "120 s"])
    #expect(labels(500) == ["0 min", "2 min", "4 min", "6 min", "8 min", "10 min"])
    #expect(labels(80_000) == ["0 h", "6 h", "12 h", "18 h", "24 h"])
    #expect(labels(100, 0.5) == ["-0.5 s", "-0.4 s", "-0.3 s", "-0.2 s", "-0.1 s", "now"])
    #expect(labels(7, 120, most: 2) == ["-2 min", "-1 min", "now"])
  }

  @Test("Numbers have the digits that they need")
  func numbers() {
    #expect(ChartNumber.exact(72) == "72")
    #expect(ChartNumber.exact(-21.5) == "-21.5")
    #expect(ChartNumber.fixed(-0.25, decimals: 1) == "-0.3")
    #expect(ChartNumber.fixed(1.005, decimals: 0) == "1")
    #expect(ChartNumber.fixed(-0.04, decimals: 1) == "0.0")
    #expect(ChartNumber.fixed(0.05, decimals: 2) == "0.05")
    #expect(ChartNumber.fixed(1e12, decimals: 2) == "1000000000000")
  }
}
