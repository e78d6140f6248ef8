// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld

@Suite("Advertisements that change")
struct AdvertisementTimelineTests {
  private static let company: UInt16 = 0xFFFF
  private static let address = BluetoothAddress("C0:00:00:00:00:01")

  private func timeline(_ changes: AdvertisedChanges) -> AdvertisementTimeline {
    AdvertisementTimeline(
      AdvertisementSpec(manufacturerData: [.init(company: Self.company, .changing(changes))]),
      from: Self.address)
  }

  private func timeline(_ beacons: BeaconSpec...) -> AdvertisementTimeline {
    AdvertisementTimeline(AdvertisementSpec(beacons: beacons), from: Self.address)
  }

  /// The data at some times, in milliseconds.
  private func bytes(_ timeline: AdvertisementTimeline, at times: Int...) -> [[UInt8]] {
    var timeline = timeline
    return times.map { time in
      timeline.advance(to: .milliseconds(time))
      return timeline.current.manufacturerData.first?.bytes ?? []
    }
  }

  /// The decoded data at some times, in seconds.
  private func texts(_ timeline: AdvertisementTimeline, at times: Int...) -> [String] {
    var timeline = timeline
    return times.map { time in
      timeline.advance(to: .seconds(time))
      let now = timeline.current
      let data = AdvertisedData.list(
        manufacturerData: Dictionary(
          uniqueKeysWithValues: now.manufacturerData.map { ($0.company, $0.bytes) }),
        serviceData: Dictionary(uniqueKeysWithValues: now.serviceData.map { ($0.service, $0.bytes) }))
      return data.compactMap { AdvertisedFormats.decode($0)?.text }.joined(separator: "; ")
    }
  }

  @Test("Each value of a generator is advertised for its time, from the start on")
  func eachValueGenerator() {
    let format = NumberFormat(.integer(IntegerFormat.all[0]), prefix: [9])
    let counting = timeline(.generate(.numbers(.counter(Counter()), format), every: .seconds(2)))
    #expect(
      bytes(counting, at: 0, 1999, 2000, 5000, 512_000) == [[9, 0], [9, 0], [9, 1], [9, 2], [9, 0]])
  }

  @Test("A sequence has its own times, and begins again")
  func sequenceOwnTimes() {
    let sequence = timeline(
      .sequence([TimedData([1], for: .milliseconds(100)), TimedData([2], for: .milliseconds(50))]))
    #expect(bytes(sequence, at: 0, 99, 100, 149, 150, 250, 300) == [[1], [1], [2], [2], [1], [2], [1]])
  }

  @Test("A recording keeps its last value, or begins again after a second")
  func recordingKeepsLast() {
    var recording = AdvertisedRecording(
      path: "",
      samples: [.init(time: .zero, value: [1]), .init(time: .milliseconds(300), value: [2])])
    #expect(bytes(timeline(.replay(recording)), at: 0, 300, 99_000) == [[1], [2], [2]])
    recording.repeats = true
    #expect(bytes(timeline(.replay(recording)), at: 0, 300, 1299, 1300, 1600) == [[1], [2], [2], [1], [2]])
    recording.interval = .milliseconds(10)
    #expect(bytes(timeline(.replay(recording)), at: 0, 10, 20) == [[1], [2], [1]])
  }

  @Test("What does not change has no next change, and what changes says when")
  func constantsNoChange() {
    let constant = timeline(BeaconSpec(.bthome, [FieldSpec("battery", .constant(.number(80)))]))
    #expect(constant.nextChange == nil)
    #expect(texts(constant, at: 0, 60) == ["BTHome battery 80 %", "BTHome battery 80 %"])
    var changing = timeline(
      BeaconSpec(.bthome, [FieldSpec("battery", .list([.number(80), .number(81)]))], every: .seconds(5)))
    #expect(changing.nextChange == .seconds(5))
    let changes = [4, 5].map { changing.advance(to: .seconds($0)) }
    #expect(changes == [false, true])
    #expect(changing.nextChange == .seconds(10))
    var same = timeline(.generate(.list([[1], [1]]), every: .seconds(1)))
    let hasChanged = same.advance(to: .seconds(1))
    #expect(!hasChanged)
  }

  @Test(
    "The values of a beacon count, swing, walk and take turns; a counter begins again where it does not fit")
  func valuesBeaconCount() {
    let sensor = timeline(
      BeaconSpec(
        .bthome,
        [
          FieldSpec("packet_id", .numbers(.counter(Counter(from: 253, step: 2)))),
          FieldSpec("temperature", .numbers(.sine(Sine(middle: 20, amplitude: 5, period: 4)))),
          FieldSpec("button", .list([.text("press"), .text("none")])),
          FieldSpec("humidity", .numbers(.walk(RandomWalk(from: 50, step: 0, within: 0...100)))),
          FieldSpec("motion", .constant(.flag(true))),
        ]))
    let rest = "50.00 %, motion yes, button"
    #expect(
      texts(sensor, at: 0, 1, 2, 3) == [
        "BTHome packet 253, 20.00 °C, humidity \(rest) press",
        "BTHome packet 255, 25.00 °C, humidity \(rest) none",
        "BTHome packet 253, 20.00 °C, humidity \(rest) press",
        "BTHome packet 255, 15.00 °C, humidity \(rest) none",
      ])
  }

  @Test("Beacons of several formats are advertised together, and their services are announced")
  func beaconsSeveralFormats() {
    let both = timeline(
      BeaconSpec(.ruuvi, [FieldSpec("sequence", .numbers(.counter(Counter())))], every: .seconds(2)),
      BeaconSpec(.eddystoneTelemetry, [FieldSpec("uptime", .numbers(.counter(Counter(step: 0.5))))]))
    #expect(
      texts(both, at: 0, 3) == [
        "Ruuvi sequence 0, C0:00:00:00:00:01; Eddystone-TLM advertisements 0, up 0.0 s",
        "Ruuvi sequence 1, C0:00:00:00:00:01; Eddystone-TLM advertisements 0, up 1.5 s",
      ])
    #expect(both.current.services == [Eddystone.service])
  }

  @Test("Each encrypted packet has the next counter, even if its values are the same")
  func encryptedPacketCounter() throws {
    let (key, address) = (
      try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932"), try #require(Self.address)
    )
    var sensor = timeline(
      BeaconSpec(
        .bthome, [FieldSpec("battery", .constant(.number(80)))], key: key, firstCounter: 0xFFFF_FFFE))
    for (time, counter) in [(0, 0xFFFF_FFFE), (1, 0xFFFF_FFFF), (2, 0), (10, 8)] as [(Int, UInt32)] {
      sensor.advance(to: .seconds(time))
      let data = AdvertisedData.service(BTHome.service, sensor.current.serviceData[0].bytes)
      let opened = try #require(try AdvertisedFormats.decode(data, from: address, key: key))
      #expect(opened.format.text == "BTHome battery 80 %")
      #expect(opened.counter?.value == counter)
    }
  }

  @Test("A log is replayed with what one device advertised of one company or service")
  func logReplayedOne() throws {
    let log = """
      {"event":"found","time":"2026-04-12T12:34:41.000000Z","address":"C0:00:00:00:00:01","manufacturer_data":{"0499":"05","ffff":"01"}}
      {"event":"changed","time":"2026-04-12T12:34:41.500000Z","address":"C0:00:00:00:00:02","manufacturer_data":{"ffff":"aa"}}
      {"event":"changed","time":"2026-04-12T12:34:42.000000Z","address":"C0:00:00:00:00:01","manufacturer_data":{"ffff":"01"}}
      {"event":"connected","time":"2026-04-12T12:34:42.100000Z","address":"C0:00:00:00:00:01"}

      {"event":"changed","time":"2026-04-12T12:34:43.250000Z","address":"C0:00:00:00:00:01","manufacturer_data":{"ffff":"02"},"service_data":{"0000feaa-0000-1000-8000-00805f9b34fb":"20"}}
      """
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "advertisement": {
        "manufacturer_data": {"0001": "00", "ffff": {"replay": "w.ndjson"}},
        "service_data": {"FEAA": {"replay": "w.ndjson"}}}},
       {"address": "C0:00:00:00:00:03", "advertisement": {
        "manufacturer_data": {"FFFF": {"replay": "w.ndjson", "address": "c0-00-00-00-00-02"}}}}]}
      """
    let peripherals = try World(json: Array(world.utf8), name: "w") { _ throws(WorldFileError) in
      Array(log.utf8)
    }.peripherals
    var first = peripherals[0].timeline()
    #expect(first.current.manufacturerData.map(\.bytes) == [[0], [1]])
    #expect(first.current.serviceData.map(\.bytes) == [[0x20]])
    #expect(first.nextChange == .milliseconds(2250))
    first.advance(to: .milliseconds(2250))
    #expect(first.current.manufacturerData.map(\.bytes) == [[0], [2]])
    #expect(first.nextChange == nil)
    #expect(peripherals[1].timeline().current.manufacturerData.map(\.bytes) == [[0xAA]])
  }
}
