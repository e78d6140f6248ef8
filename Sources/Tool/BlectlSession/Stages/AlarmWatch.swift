// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import ValueStreams

/// Watches a condition on the last values of each device: alarms, and their ends.
///
/// The fields of all characteristics of a device count together. A comparison with a second bound stays what it was between
/// its bounds. Where fields are missing, an alarm stays what it was. After a gap, the time of `for` begins again, and fields
/// count only when they came again.
struct AlarmWatch {
  fileprivate struct Device {
    var name: String?
    /// The last fields, by the names that the condition has for them.
    var fields: [String: DecodedFields.Field] = [:]
    /// The comparisons with a second bound that held when they were last decided.
    var held: Set<FieldComparison> = []
    /// Since when the condition holds.
    var start: Moment?
    /// Since when the alarm lasts.
    var alarm: Moment?
  }

  private let wanted: AlarmArgument
  private var selection: HeardSelection
  private let names: [String]
  private let time: Duration
  private var absent: AbsentFields
  private var devices = RecentMemory<BluetoothAddress, Device> { $0.start == nil && $0.alarm == nil ? 0 : 1 }
  /// The time when the next condition has held long enough, or an earlier one.
  private(set) var deadline: ContinuousClock.Instant?

  init(_ wanted: AlarmArgument) {
    self.wanted = wanted
    selection = HeardSelection(wanted.device)
    names = wanted.condition.names
    absent = AbsentFields(wanted)
    time = wanted.time ?? .zero
  }

  /// Looks at a value; returns the alarm that it begins or ends.
  ///
  /// Unless it `judges`, later values have already been received: whether a condition has held for its time is not known yet.
  mutating func add(_ sample: StreamSample, at now: Moment, judges: Bool = true) -> [AlarmRecord] {
    let address = sample.source.address
    var records: [AlarmRecord] = []
    switch selection.match(sample.origin.device) {
    case .other: return []
    case .one: break
    case .better:
      records = forget(allBut: address, at: sample.time, now)
      absent = AbsentFields(wanted)
    }
    absent.take(sample)
    let fields = names.compactMap { name in sample.field(named: name).map { (name, $0) } }
    guard !fields.isEmpty else { return records }
    var device = devices.take(address) ?? Device()
    defer { devices[address] = device }
    device.name = sample.origin.name ?? device.name
    // What has held for its time until now is an alarm, whatever the value says.
    if judges { records += due(&device, address, now) }
    for (name, field) in fields { device.fields[name] = field }
    switch device.holds(wanted.condition) {
    case nil: break
    case true?:
      if device.start == nil {
        device.start = Moment(time: sample.time, instant: now.instant)
        if time > .zero { deadline = min(deadline ?? (now.instant + time), now.instant + time) }
      }
      if judges || time == .zero { records += due(&device, address, now) }
    case false?:
      device.start = nil
      if let alarm = device.alarm {
        device.alarm = nil
        records.append(record(.cleared, of: device, address, time: sample.time, now.instant - alarm.instant))
      }
    }
    return records
  }

  /// Returns a sentence about the fields that were in none of the values so far, once; nil without values.
  mutating func takeRemark() -> String? { absent.takeRemark() }

  /// Ends the alarms of the devices that are not meant any more.
  private mutating func forget(
    allBut address: BluetoothAddress, at time: Timestamp, _ now: Moment
  ) -> [AlarmRecord] {
    var records: [AlarmRecord] = []
    for other in devices.keys.sorted(by: { "\($0)" < "\($1)" }) where other != address {
      guard let device = devices.take(other), let alarm = device.alarm else { continue }
      records.append(record(.cleared, of: device, other, time: time, now.instant - alarm.instant))
    }
    return records
  }

  /// Returns the alarms of conditions that have held for their time.
  mutating func advance(to now: Moment) -> [AlarmRecord] {
    guard let deadline, deadline <= now.instant else { return [] }
    var records: [AlarmRecord] = []
    for address in devices.keys.sorted(by: { "\($0)" < "\($1)" }) {
      guard var device = devices[address] else { continue }
      records += due(&device, address, now)
      devices[address] = device
    }
    self.deadline = devices.values.compactMap { $0.alarm == nil ? $0.start.map { $0.instant + time } : nil }
      .min()
    return records
  }

  /// The alarm of a condition that has held for its time.
  private func due(_ device: inout Device, _ address: BluetoothAddress, _ now: Moment) -> [AlarmRecord] {
    guard device.alarm == nil, let start = device.start, start.instant + time <= now.instant else {
      return []
    }
    // By the wall clock of now, which may have been set since the condition began to hold.
    let late = now.instant - (start.instant + time)
    let moment =
      time == .zero
      ? start : Moment(time: now.time.before(late), instant: start.instant + time)
    device.alarm = moment
    return [record(.alarm, of: device, address, time: moment.time, time)]
  }

  /// Restarts the times of a device that cannot be heard, or of all.
  mutating func interrupt(_ address: BluetoothAddress?) {
    for key in Array(devices.keys) where address.map({ $0 == key }) ?? true {
      devices[key]?.fields = [:]
      devices[key]?.start = nil
    }
  }

  private func record(
    _ event: AlarmRecord.Event, of device: Device, _ address: BluetoothAddress, time: Timestamp,
    _ duration: Duration
  ) -> AlarmRecord {
    var decoded = DecodedFields()
    // A condition may have two names of a field: with its unit and without.
    for field in names.compactMap({ device.fields[$0] }) where decoded[field.key] == nil {
      decoded.fields.append(field)
    }
    return AlarmRecord(
      event, time: time, address: address, name: device.name, condition: wanted.text,
      seconds: DurationText.seconds(duration), decoded: decoded)
  }
}

extension AlarmWatch.Device {
  /// Returns whether the condition holds; nil if that depends on fields that are missing.
  fileprivate mutating func holds(_ condition: FieldCondition) -> Bool? {
    for comparison in condition.comparisons where comparison.end != nil {
      switch comparison.holds(fields[comparison.name]?.value) {
      case true?: held.insert(comparison)
      case false?: held.remove(comparison)
      case nil: break
      }
    }
    return condition.decided { comparison in
      guard let value = fields[comparison.name]?.value else { return nil }
      return comparison.end == nil ? comparison.holds(value) : held.contains(comparison)
    }
  }
}
