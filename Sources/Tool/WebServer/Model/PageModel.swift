// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZClient
internal import Histories
internal import JSON

/// The contents of the page: devices, their last values, alarms, links, and numbers over time, in bounded
/// memory.
struct PageModel: Sendable {
  /// The state of the reception.
  enum Listening: Sendable, Equatable {
    /// The command has not begun to listen, or does not say.
    case unknown
    case listening(adapter: String?)
    case interrupted(reason: String, since: String)
  }

  /// Limits of the memory.
  struct Limits: Sendable {
    /// The devices that are remembered; of more, those that are known longest.
    var devices = 2000
    /// The numbers that are remembered over time, each with at most 48 KiB; of more, those that are known longest.
    var series = PastNumbers.mostNumbers
    /// The maximum age of a value, in seconds; nil for no limit.
    var history: Double?

    init(history: Double? = nil) { self.history = history }
  }

  /// By the host; that of the only one is under nil.
  private var receptions: [String?: PageReception] = [:]
  /// True if what a log has of the time before is still on its way.
  var awaitsPast = false
  private(set) var devices: [PageDevice.Key: PageDevice] = [:]
  private(set) var series: [PageSeries.Key: PageSeries] = [:]
  private(set) var records: [String: Int] = [:]
  private(set) var dropped = 0
  private(set) var gaps = 0
  private(set) var gapSeconds = 0.0
  /// The records of devices for which there was no room.
  private(set) var unlisted = 0
  /// The time of the last record, and the latest time of one, in seconds.
  private var newest = 0.0
  private var latest = 0.0
  private var deviceRoom = PageRoom()
  private var lineRoom = PageRoom()
  let limits: Limits

  private static let mostHosts = 64
  /// The most by which the times of records are behind the present, in seconds.
  private static let tolerance = 2.0

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The state of the reception: with several hosts, of one that listens, if there is any.
  var listening: Listening {
    let all = receptions.sorted { ($0.key ?? "") < ($1.key ?? "") }.map(\.value.listening)
    return all.first { if case .listening = $0 { true } else { false } } ?? all.first { $0 != .unknown }
      ?? .unknown
  }

  /// True if devices can be heard, or one is connected.
  var canHear: Bool {
    switch listening {
    case .listening: true
    case .interrupted: false
    case .unknown:
      // With links, one that is open; without, a device that was heard.
      devices.values.contains { $0.connections > 0 }
        ? devices.values.contains { $0.isConnected == true } : devices.values.contains { $0.packets > 0 }
    }
  }

  /// Takes a record.
  mutating func take(_ page: PageRecord) {
    let (record, event) = (page.node, page.event)
    let time = record["time"]?.string ?? ""
    let seconds = PageTime.seconds(time) ?? newest
    newest = seconds
    latest = max(latest, seconds)
    if records.count < 64 || records[event] != nil { records[event, default: 0] += 1 }
    switch event {
    case "dropped", "missed": dropped += record["count"]?.integer ?? 0
    case "adapter_added", "adapter_removed", "adapter_changed": break
    case let event where PageReception.events.contains(event): takeReception(event, record, time)
    default:
      if let address = record["address"]?.string {
        takeDevice(
          PageDevice.Key(host: record["host"]?.string, address: address), event, record, time, seconds)
      }
    }
  }

  private mutating func takeReception(_ event: String, _ record: JSONNode, _ time: String) {
    let host = record["host"]?.string
    guard receptions[host] != nil || receptions.count < Self.mostHosts else { return }
    receptions[host, default: PageReception()].take(event, record, time)
    if event == "resumed" { gapSeconds += record["gap_seconds"]?.measured ?? 0 }
    if event == "interrupted" {
      gaps += 1
      for key in Array(series.keys) where key.device.host == host { series[key]?.history.breakLine() }
    }
  }

  private mutating func takeDevice(
    _ key: PageDevice.Key, _ event: String, _ record: JSONNode, _ time: String, _ seconds: Double
  ) {
    guard devices[key] != nil || hasRoom(at: seconds) else {
      unlisted += 1
      return
    }
    var device = devices[key] ?? PageDevice(key, at: time, seconds)
    if let name = record["name"]?.string { device.name = name }
    // An absence is noted when nothing is heard.
    if event != "absent", event != "lost", event != "alarm", event != "cleared" {
      (device.last, device.lastSeconds) = (time, seconds)
      device.isLost = false
    }
    switch event {
    case "found", "changed", "lost": takeFacts(event, record, &device, time, seconds)
    case "value", "average", "read", "written": takeValues(event, record, &device, time, seconds)
    case "connected", "disconnected", "reconnected": takeLink(event, record, &device)
    case "alarm":
      if let condition = record["when"]?.string, device.alarms.count < PageDevice.mostAlarms {
        device.alarms[condition] = PageDevice.Alarm(time: time, decoded: record["decoded"])
        device.cleared.remove(condition)
      }
    case "cleared":
      if let condition = record["when"]?.string, device.alarms.removeValue(forKey: condition) != nil {
        device.cleared.insert(condition)
      }
    case "absent":
      device.absentSince = record["last"]?.string ?? time
      device.absences += 1
    case "returned": device.absentSince = nil
    default: break
    }
    devices[key] = device
  }

  private mutating func takeFacts(
    _ event: String, _ record: JSONNode, _ device: inout PageDevice, _ time: String, _ seconds: Double
  ) {
    if let adapter = record["adapter"]?.string { device.adapter = adapter }
    if let company = record["company"]?.string { device.company = company }
    if let flag = record["connected"] { device.isConnected = flag.isTrue }
    if let flag = record["paired"] { device.isPaired = flag.isTrue }
    if event == "lost" {
      device.isLost = true
      device.rssi = nil
      return
    }
    device.packets += 1
    takeStrength(record["rssi"], &device, seconds)
    let beacons = [record["beacon"]].compactMap(\.self) + (record["more_beacons"]?.elements ?? [])
    for beacon in beacons {
      guard let type = beacon["type"]?.string, let members = beacon.members else { continue }
      let fields = members.filter { $0.key != "type" }
      let decoded = JSONNode(.object(fields), at: beacon.place, beacon.pointer)
      takeReading(PageDevice.Reading(time: time, decoded: decoded), of: type, &device, seconds)
    }
  }

  private mutating func takeValues(
    _ event: String, _ record: JSONNode, _ device: inout PageDevice, _ time: String, _ seconds: Double
  ) {
    device.packets += event == "average" ? record["count"]?.integer ?? 1 : 1
    device.absentSince = nil
    if let adapter = record["adapter"]?.string { device.adapter = adapter }
    let source =
      record["type"]?.string ?? record["characteristic"]?.string.map { BluetoothUUID($0)?.description ?? $0 }
    let reading = PageDevice.Reading(
      time: time, decoded: record["decoded"]?.trusted, value: record["value"]?.string)
    takeReading(reading, of: source ?? record["company"]?.string ?? "data", &device, seconds)
  }

  private mutating func takeReading(
    _ reading: PageDevice.Reading, of source: String, _ device: inout PageDevice, _ seconds: Double
  ) {
    guard device.readings[source] != nil || device.readings.count < PageDevice.mostReadings else { return }
    var whole = reading
    whole.decoded = reading.decoded?.keeping(device.readings[source]?.decoded)
    device.readings[source] = whole
    for member in reading.decoded?.members ?? [] {
      if member.key == "rssi_dbm" {
        takeStrength(member.value, &device, seconds)
      } else if let number = member.value.measured {
        add(number, PageSeries.Key(device: device.key, source: source, field: member.key), seconds)
      }
    }
  }

  private mutating func takeStrength(_ node: JSONNode?, _ device: inout PageDevice, _ seconds: Double) {
    guard let rssi = node?.measured else { return }
    device.rssi = Int(exactly: rssi.rounded()) ?? device.rssi
    add(rssi, PageSeries.Key(device: device.key, source: "", field: "rssi_dbm"), seconds)
  }

  private mutating func takeLink(_ event: String, _ record: JSONNode, _ device: inout PageDevice) {
    device.isConnected = event != "disconnected"
    device.reason = event == "disconnected" ? record["reason"]?.string ?? record["link_end"]?.string : nil
    switch event {
    case "connected": device.connections += 1
    case "reconnected":
      device.reconnections += 1
      device.linkGapSeconds += record["gap_seconds"]?.measured ?? 0
    default:
      device.disconnections += 1
      for key in Array(series.keys) where key.device == device.key { series[key]?.history.breakLine() }
    }
  }

  // MARK: The time before

  /// Inserts a number from before the start: newer ones stay behind it, and none is dropped for it.
  mutating func take(_ past: PastNumbers) {
    let device = PageDevice.Key(host: nil, address: past.address)
    guard let newest = past.buckets.last, remember(device, past, until: newest.time) else { return }
    let key = PageSeries.Key(device: device, source: past.source, field: past.field)
    var history = ChartHistory(window: limits.history, capacity: PastNumbers.mostPoints)
    for bucket in past.buckets { history.add(bucket) }
    if let known = series[key] {
      series[key]?.history = ChartHistory(
        window: limits.history ?? .infinity, coarse: history, fine: known.history)
    } else if series.count < limits.series {
      // Between the two, nothing was listening.
      history.breakLine()
      series[key] = PageSeries(
        history: history, last: newest.last, firstSeconds: past.buckets[0].time, lastSeconds: newest.time)
    }
  }

  /// Remembers a device from before the start; returns false if there is no room for it.
  private mutating func remember(
    _ key: PageDevice.Key, _ past: PastNumbers, until seconds: Double
  ) -> Bool {
    guard devices[key] != nil || devices.count < limits.devices else { return false }
    var device = devices[key] ?? PageDevice(key, at: past.last, seconds)
    if device.name == nil { device.name = past.name }
    if past.first < device.first {
      (device.first, device.firstSeconds) = (past.first, past.buckets[0].time)
    }
    if device.lastSeconds < seconds { (device.last, device.lastSeconds) = (past.last, seconds) }
    devices[key] = device
    return true
  }

  // MARK: Memory

  private mutating func add(_ number: Double, _ key: PageSeries.Key, _ seconds: Double) {
    if series[key] == nil {
      guard hasRoomForLine(at: seconds) else { return }
      series[key] = PageSeries(
        history: ChartHistory(window: limits.history, capacity: PastNumbers.mostPoints), last: number,
        firstSeconds: seconds, lastSeconds: seconds)
    }
    series[key]?.history.add(number, at: seconds)
    series[key]?.last = number
    series[key]?.lastSeconds = seconds
  }

  /// Returns whether there is room for one more device; forgets some that are gone, if there is none.
  private mutating func hasRoom(at seconds: Double) -> Bool {
    if devices.count < limits.devices { return true }
    let gone = deviceRoom.gone(
      of: limits.devices, at: seconds,
      devices.lazy.filter(\.value.mayGo).map { ($0.key, $0.value.firstSeconds, $0.value.lastSeconds) })
    for key in gone { devices[key] = nil }
    if !gone.isEmpty { series = series.filter { !gone.contains($0.key.device) } }
    return !gone.isEmpty
  }

  /// The same for numbers over time.
  private mutating func hasRoomForLine(at seconds: Double) -> Bool {
    if series.count < limits.series { return true }
    let gone = lineRoom.gone(
      of: limits.series, at: seconds,
      series.lazy.map { ($0.key, $0.value.firstSeconds, $0.value.lastSeconds) })
    for key in gone { series[key] = nil }
    return !gone.isEmpty
  }

  /// Corrects times behind `now`: the clock was set back since, or was wrong for a record.
  mutating func settle(now: Timestamp) {
    let seconds = PageTime.seconds(now)
    guard latest > seconds + Self.tolerance else { return }
    (latest, newest) = (seconds, min(newest, seconds))
    for (key, var device) in devices where device.lastSeconds > seconds {
      (device.last, device.lastSeconds) = (now.utc, seconds)
      if device.firstSeconds > seconds { (device.first, device.firstSeconds) = (now.utc, seconds) }
      devices[key] = device
    }
    for key in Array(series.keys) { series[key]?.setBack(to: seconds) }
  }

  /// Forgets what is older than the history that is wanted.
  mutating func expire(now: Double) {
    guard let history = limits.history else { return }
    for (key, device) in devices where device.lastSeconds < now - history && device.mayGo {
      devices[key] = nil
    }
    for (key, one) in series where one.lastSeconds < now - history { series[key] = nil }
  }
}

/// Times of records and of queries, in seconds since 1970.
enum PageTime {
  static func seconds(_ time: Timestamp) -> Double { Double(time.seconds) + Double(time.nanoseconds) / 1e9 }

  /// Reads `2017-04-25T04:34:41.876974Z`, with an offset such as `+01:00` in place of `Z`, or a number of seconds; nil for other
  /// text.
  static func seconds(_ text: some StringProtocol) -> Double? {
    if let number = Double(text) { return number.isFinite ? number : nil }
    var (time, offset) = (String(text), 0)
    // In a query, a plus sign that is not encoded is a blank.
    if !time.hasSuffix("Z"), let match = time.firstMatch(of: #/([+ -])(\d\d):(\d\d)$/#),
      let hours = Int(match.2),
      let minutes = Int(match.3), hours < 24, minutes < 60
    {
      offset = (match.1 == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
      time = time[..<match.range.lowerBound] + "Z"
    }
    return UTCTime(time).map { Double($0.seconds - offset) + Double($0.nanoseconds) / 1e9 }
  }
}
