// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BLEMeaning
@testable import BlectlCommands
@testable import Charts
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

  @Test("A format has every value read with it")
  func format() throws {
    var chart = Chart(format: try ValueFormat(parsing: "u8"))
    chart.add(SampleStream.values([[1, 2], [3, 4]], uuid: BluetoothUUID(short: 0xffe1)))
    #expect(chart.series.labels == ["u8 1", "u8 2"])
    #expect(chart.numberless.isEmpty)
  }

  @Test("What is not drawn is named: values without a number, lines too many, dropped values")
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
