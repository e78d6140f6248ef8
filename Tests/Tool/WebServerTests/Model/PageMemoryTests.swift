// SPDX-License-Identifier: MIT
import BlueZClient
import JSON
import Testing

@testable import WebServer

@Suite("What the page remembers")
struct PageMemoryTests: PageModelSuite {
  @Test("A crowd of devices that change their addresses fills neither the list nor the memory of lines")
  func crowd() throws {
    var limits = PageModel.Limits()
    (limits.devices, limits.series) = (10, 15)
    var model = PageModel(limits)
    for number in 0..<200 { model.take(found(number, at: 0)) }
    #expect(try devices(model).count == 10)
    #expect(model.series.count == 15)
    // Those that were first are not dropped for those that came later.
    #expect(try devices(model).compactMap { $0["address"]?.string }.sorted() == (0..<10).map(String.init))
    #expect(model.unlisted == 190)
    // A device that is known for an hour stays, others are gone.
    for minute in stride(from: 0, through: 60, by: 5) { model.take(found(3, at: 60 * minute)) }
    for number in 200..<220 { model.take(found(number, at: 3600 + number)) }
    let kept = try devices(model).compactMap { $0["address"]?.string }
    #expect(kept.contains("3") && kept.contains("200"))
    #expect(kept.count == 10)
    #expect(model.series.keys.contains { $0.device.address == "3" })
  }

  @Test("One number more than there is room for costs none of the others its history")
  func oneTooMany() throws {
    var limits = PageModel.Limits()
    limits.series = 30
    var model = PageModel(limits)
    for round in 0..<50 { for number in 0..<11 { model.take(found(number, at: 10 * round)) } }
    #expect(model.series.count == 30)
    let counts = try series(model).compactMap { $0["points"]?.elements?.count }
    #expect(counts.count == 30 && counts.allSatisfy { $0 == 50 })
  }

  @Test("A clock that was wrong for one record leaves neither the line nor the last time wrong")
  func clock() throws {
    var model = PageModel()
    model.take(found(1, at: 86_400))
    for second in 0..<300 { model.take(found(1, at: second)) }
    let line = try #require(series(model).first { $0["field"]?.string == "a" })
    #expect(line["points"]?.elements?.compactMap { $0.elements?.first?.measured }.last == 1_795_000_299)
    #expect(line["points"]?.elements?.count ?? 0 > 100)
    #expect(model.devices.values.first?.lastSeconds == 1_795_000_299)
  }

  @Test("A time that is behind the present is corrected, and its value leaves the line, whatever comes later")
  func ahead() throws {
    var model = model(found(1, at: 0), found(1, at: 86_400))
    model.settle(now: Timestamp(seconds: 1_795_000_010, nanoseconds: 0))
    let device = try #require(model.devices.values.first)
    #expect((device.firstSeconds, device.lastSeconds) == (1_795_000_000, 1_795_000_010))
    #expect(device.last == Timestamp(seconds: 1_795_000_010, nanoseconds: 0).utc)
    model.take(found(1, at: 20))
    model.settle(now: Timestamp(seconds: 1_795_000_020, nanoseconds: 0))
    #expect(model.devices.values.first?.lastSeconds == 1_795_000_020)
    let line = try #require(series(model).first { $0["field"]?.string == "a" })
    let times = line["points"]?.elements?.compactMap { $0.elements?.first?.measured }
    #expect(times == [1_795_000_000, 1_795_000_020])
  }

  @Test("What is older than the history is forgotten, and a connected device is not")
  func history() throws {
    var limits = PageModel.Limits(history: 60)
    limits.devices = 5
    var model = PageModel(limits)
    model.take(value(1, "20"))
    model.take(
      #"{"event":"connected","time":"2026-11-21T05:11:01Z","address":"AA"}"#)
    let then = try #require(PageTime.seconds("2026-11-21T05:11:01Z"))
    model.expire(now: then + 50)
    #expect(try devices(model).count == 2)
    model.expire(now: then + 100)
    #expect(try devices(model).compactMap { $0["address"]?.string } == ["AA"])
    #expect(model.series.isEmpty)
  }

  @Test("A device that is missed, or has an alarm, stays for as long as that holds")
  func noticesOutlastHistory() throws {
    var model = model(value(1, "20"), limits: PageModel.Limits(history: 60))
    let then = try #require(PageTime.seconds("2026-11-21T05:11:01Z"))
    model.take(
      #"{"event":"absent","time":"2026-11-21T05:11:31Z","address":"\#(address)","last":"2026-11-21T05:11:01Z"}"#
    )
    model.take(
      #"{"event":"alarm","time":"2026-11-21T05:11:01Z","address":"AA","when":"temperature_celsius > 25"}"#)
    model.expire(now: then + 86_400)
    #expect(try devices(model).count == 2)
    #expect(model.series.isEmpty)
    model.take(
      #"{"event":"cleared","time":"2026-11-21T05:11:32Z","address":"AA","when":"temperature_celsius > 25"}"#)
    model.expire(now: then + 86_400)
    #expect(try devices(model).compactMap { $0["address"]?.string } == [address])
  }
}
