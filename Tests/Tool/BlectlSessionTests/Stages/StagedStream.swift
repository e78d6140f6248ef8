// SPDX-License-Identifier: MIT
import TestSupport

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

/// A stream of temperatures through stages, in a time that passes only when it is told to.
struct StagedStream {
  /// 2026-11-21 00:00 UTC.
  static let midnight = 1_795_219_200
  static let hall = SampleStream.address
  static let cellar: BluetoothAddress = {
    guard let address = BluetoothAddress("F0:F1:F2:F3:F4:F6") else { preconditionFailure("an address") }
    return address
  }()
  private static let temperature = BluetoothUUID(short: 0x2a6e)
  private static let humidity = BluetoothUUID(short: 0x2a6f)
  private static let beginning = ContinuousClock.now

  /// An event, and the seconds since the beginning when it came out.
  struct Passed {
    let event: StreamEvent
    let second: Double
  }

  private var stages: StreamStages
  /// Milliseconds since the beginning, on the monotonic clock.
  private(set) var now = 0
  /// Milliseconds by which the wall clock was set forward.
  private var offset = 0
  private(set) var passed: [Passed] = []
  private var origins: [String: ValueOrigin] = [:]

  /// `setUp` sets the rules.
  init(_ setUp: (inout StageRules) throws -> Void) rethrows {
    var rules = StageRules()
    try setUp(&rules)
    stages = StreamStages(rules, from: StagedStream.moment(0, 0))
  }

  private static func moment(_ now: Int, _ offset: Int) -> Moment {
    Moment(time: time(now + offset), instant: beginning + .milliseconds(now))
  }

  private static func time(_ milliseconds: Int) -> Timestamp {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : -((999 - milliseconds) / 1000)
    return Timestamp(
      seconds: midnight + seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000)
  }

  // MARK: What happens

  /// Lets time pass until some seconds after the beginning; stages act at their times.
  mutating func pass(to second: Double) {
    let end = Int((second * 1000).rounded())
    while let deadline = stages.deadline, case let due = milliseconds(deadline), due <= end {
      now = max(now, due)
      let events = stages.advance(to: StagedStream.moment(now, offset))
      add(events)
      // A stage that looked and found nothing to do must have moved its time.
      precondition(stages.deadline.map { $0 > deadline } ?? true, "the deadline stays")
    }
    now = end
  }

  /// Lets time pass while the process is stopped: stages do not act, and what is sent waits to be read.
  mutating func stop(to second: Double) { now = Int((second * 1000).rounded()) }

  private func milliseconds(_ instant: ContinuousClock.Instant) -> Int {
    let (seconds, attoseconds) = (instant - StagedStream.beginning).components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Sets the wall clock forward, or back.
  mutating func setClock(by seconds: Int) { offset += seconds * 1000 }

  /// A temperature in hundredths of a degree arrives; it was read some milliseconds ago.
  mutating func temperature(
    _ hundredths: Int, of address: BluetoothAddress = hall, name: String = "Sensor", late: Int = 0
  ) {
    value(Int16(hundredths), StagedStream.temperature, address, name: name, late: late)
  }

  /// A humidity in hundredths of a percent arrives.
  mutating func humidity(_ hundredths: Int, of address: BluetoothAddress = hall) {
    value(Int16(hundredths), StagedStream.humidity, address)
  }

  private mutating func value(
    _ number: Int16, _ uuid: BluetoothUUID, _ address: BluetoothAddress, name: String = "Sensor",
    late: Int = 0
  ) {
    let key = "\(uuid) \(address)"
    let origin = origins[key] ?? SampleStream.origin(uuid, address: address, name: name)
    origins[key] = origin
    let bytes = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    let value = ReceivedValue(bytes, at: StagedStream.time(now + offset - late))
    take(.values(ValueBatch([value], of: origin)))
  }

  mutating func take(_ event: StreamEvent) {
    add(stages.take(event, at: StagedStream.moment(now, offset)))
  }

  /// The link of a device is lost, or is there again.
  mutating func link(_ event: LinkRecord.Event, of address: BluetoothAddress = hall) {
    take(.link(LinkRecord(event: event, time: StagedStream.time(now + offset), address: address)))
  }

  /// Listening is interrupted, or goes on.
  mutating func reception(_ event: ReceptionRecord.Event) {
    take(.reception(ReceptionRecord(event: event, time: StagedStream.time(now + offset))))
  }

  /// A device is heard with values that are no news.
  mutating func repeated(_ address: BluetoothAddress = hall) {
    heard(HeardDevice(address: address, name: "Sensor"))
  }

  /// A device gives a sign of life.
  mutating func heard(_ device: HeardDevice) {
    let time = StagedStream.time(now + offset)
    let heard = stages.heard(device, at: time, StagedStream.moment(now, offset))
    add([heard].compactMap(\.self))
  }

  mutating func finish() { add(stages.finish()) }

  private mutating func add(_ events: [StreamEvent]) {
    passed += events.map { Passed(event: $0, second: Double(now) / 1000) }
  }

  /// The devices that are missing now.
  var missing: [AbsenceRecord] { stages.missing(at: StagedStream.moment(now, offset)) }

  /// Takes the sentences about the devices and the fields of alarms that did not come yet.
  mutating func takeRemarks() -> [String] { stages.takeRemarks() }

  // MARK: What came of it

  var averages: [AverageRecord] {
    passed.compactMap { if case .average(let record) = $0.event { record } else { nil } }
  }
  var alarms: [AlarmRecord] {
    passed.compactMap { if case .alarm(let record) = $0.event { record } else { nil } }
  }
  var absences: [AbsenceRecord] {
    passed.compactMap { if case .absence(let record) = $0.event { record } else { nil } }
  }

  /// The temperatures that were passed on, in hundredths of a degree.
  var temperatures: [Int] {
    passed.flatMap { passed -> [Int] in
      guard case .values(let batch) = passed.event else { return [] }
      return batch.values.map { Int(Int16(truncatingIfNeeded: Int($0.value[0]) | Int($0.value[1]) << 8)) }
    }
  }
}

extension Timestamp {
  /// Seconds since the midnight of the test.
  var second: Double { Double(seconds - StagedStream.midnight) + Double(nanoseconds) / 1e9 }
}

extension DecodedFields {
  /// The values as JSON has them, by their keys.
  var texts: [String: String] { Dictionary(fields.map { ($0.key, $0.value.text) }) { $1 } }
}
