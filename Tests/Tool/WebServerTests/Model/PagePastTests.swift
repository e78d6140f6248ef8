// SPDX-License-Identifier: MIT
import Histories
import JSON
import Testing

@testable import WebServer

@Suite("What the page knows from a log")
struct PagePastTests: PageModelSuite {
  /// A number of before, a value each minute from a time on.
  private func past(
    _ values: [Double], from time: String, name: String? = "Garden", address: String? = nil
  ) throws -> PastNumbers {
    let start = try #require(PageTime.seconds(time))
    var history = ChartHistory()
    for (index, value) in values.enumerated() { history.add(value, at: start + 60 * Double(index)) }
    return PastNumbers(
      address: address ?? self.address, name: name, source: "bthome", field: "temperature_celsius",
      first: time, last: time, buckets: history.buckets)
  }

  @Test("What a log has of the time before stands before what has come since, with a gap between")
  func before() throws {
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    let early = try past([18, 19, 20], from: "2026-11-21T04:11:00Z")
    // Before a first value, and after it.
    for isEarly in [true, false] {
      var model = PageModel()
      if isEarly { model.take(early) }
      model.take(value(1, "21.5"))
      model.take(value(2, "21.6"))
      if !isEarly { model.take(early) }
      let points = try series(model, query).first?["points"]?.elements ?? []
      #expect(points.map { $0.elements?.last?.measured } == [18, 19, 20, nil, 21.5, 21.6])
      let device = try #require(devices(model).first)
      #expect(device["first"]?.string == "2026-11-21T04:11:00Z")
      #expect(device["last"]?.string == "2026-11-21T05:11:02.5Z")
      #expect(device["packets"]?.integer == 2)
    }
  }

  @Test("A device of before has a name and a time, and neither packets nor last values")
  func deviceOfBefore() throws {
    var model = PageModel()
    model.take(try past([18], from: "2026-11-21T04:11:00Z"))
    let device = try #require(devices(model).first)
    #expect(device["name"]?.string == "Garden")
    #expect(device["last"]?.string == "2026-11-21T04:11:00Z")
    #expect(device["packets"]?.integer == 0)
    #expect(device["values"]?.elements?.isEmpty == true)
    #expect(try series(model).first?["points"]?.elements?.count == 1)
    let text = MetricsText(model, version: "1", command: "listen", clients: 0, missed: 0).bytes
    #expect(!String(decoding: text, as: UTF8.self).contains("blectl_temperature_celsius{"))
  }

  @Test("Nothing is forgotten for what was before, and what is too old stays away")
  func roomForBefore() throws {
    var limits = PageModel.Limits(history: 3600)
    (limits.devices, limits.series) = (1, 2)
    var model = PageModel(limits)
    model.take(value(1, "21.5"))
    model.take(try past([18], from: "2026-11-21T05:00:00Z", address: "AA"))
    #expect(try devices(model).compactMap { $0["address"]?.string } == [address])
    #expect(model.series.count == 2)
    model.take(try past([17, 18], from: "2026-11-21T04:11:00Z"))
    let points = try series(model).last?["points"]?.elements ?? []
    #expect(points.map { $0.elements?.last?.measured } == [18, nil, 21.5])
    model.take(try past([], from: "2026-11-21T05:00:00Z"))
    #expect(model.series.count == 2)
  }

  @Test("The page says that numbers of before are still on their way")
  func loading() throws {
    func answer(_ model: PageModel) throws -> JSONNode? {
      var json = JSONWriter()
      json.object { model.writePast(to: &$0) }
      return try JSONReader.read(json.bytes)["history"]
    }
    var model = PageModel()
    #expect(try answer(model) == nil)
    model.awaitsPast = true
    #expect(try answer(model)?.string == "loading")
  }
}
