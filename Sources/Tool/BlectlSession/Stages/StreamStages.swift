// SPDX-License-Identifier: MIT
package import BLECentral
internal import BlectlArguments
package import ValueStreams

/// The way of a stream from its source to the outputs: windows, then the dead band; and beside them alarms and absences,
/// which look at every value.
///
/// It has no clock: each call says what time it is. If a call comes long after its time, the process was stopped, or had no
/// time: what was received meanwhile still waits to be read. Until it is read, silence and the last values mean nothing.
package struct StreamStages: Sendable {
  private let rules: StageRules
  private var windows: ValueWindows?
  private var band: DeadBand?
  private var alarms: [AlarmWatch]
  private var absence: AbsenceWatch?
  private var awaited: AwaitedDevices
  /// Until when alarms and absences that are due wait for what was received before; nil if nothing waits to be read.
  private var catchUp: ContinuousClock.Instant?

  /// A call that comes later than this after its time comes after a stop.
  private static let tolerance = Duration.seconds(1)
  /// The time limit for reading the data that was received during a stop.
  private static let catchUpTime = Duration.seconds(2)

  package init(_ rules: StageRules, from now: Moment) {
    self.rules = rules
    windows = rules.window.map { ValueWindows(length: $0, averages: rules.averages) }
    band = rules.changes.isEmpty ? nil : DeadBand(rules.changes)
    alarms = rules.alarms.map { AlarmWatch($0) }
    awaited = AwaitedDevices(rules.awaited)
    absence = rules.silence.map {
      AbsenceWatch(limit: $0, expecting: rules.expected, isPaused: rules.awaitsReception, from: now)
    }
  }

  /// The time of the next call of ``advance(to:)``; nil if nothing happens without an event.
  package var deadline: ContinuousClock.Instant? {
    [windows?.deadline, catchUp ?? noticeDeadline].compactMap(\.self).min()
  }

  /// The time of the next alarm or absence, or an earlier time.
  private var noticeDeadline: ContinuousClock.Instant? {
    var deadline = absence?.deadline
    for alarm in alarms {
      guard let due = alarm.deadline else { continue }
      deadline = min(deadline ?? due, due)
    }
    return deadline
  }

  /// Notices that the process was stopped.
  private mutating func observe(_ now: Moment) {
    if catchUp == nil, let due = noticeDeadline, due + Self.tolerance < now.instant {
      catchUp = now.instant + Self.catchUpTime
    }
  }

  /// Takes an event; returns what is passed on because of it, in order.
  package mutating func take(_ event: StreamEvent, at now: Moment) -> [StreamEvent] {
    observe(now)
    switch event {
    case .values(let batch):
      guard windows != nil || band != nil || !alarms.isEmpty else {
        guard let first = batch.values.first, let returned = heard(batch.origin, at: first.time, now) else {
          return [event]
        }
        return [returned, event]
      }
      return take(StreamSample.samples(of: batch), of: batch, now)
    case .link(let link):
      if link.event == .disconnected { return interrupt(link.address) + [event] }
      awaited.heard(link.device)
      let returned = absence?.heard(link.device, at: link.time, now)
      return [returned.map { .absence($0) }, .link(link.with(columns: rules.columns(of: link.columns)))]
        .compactMap(\.self)
    case .reception(let reception):
      switch reception.event {
      case .interrupted:
        absence?.pause()
        return interrupt(nil) + [event]
      // Who is not heard by a silent adapter need not be away.
      case .recovering:
        absence?.pause()
        return [event]
      case .started, .resumed, .recovered:
        absence?.resume(at: now)
        return [event]
      // Perhaps all devices are away, which is what an absence is.
      case .silent, .heard, .begun, .away: return [event]
      }
    case .average, .alarm, .absence, .dropped, .written, .served, .record, .line: return [event]
    }
  }

  private mutating func take(
    _ samples: [StreamSample], of batch: ValueBatch, _ now: Moment
  ) -> [StreamEvent] {
    var events: [StreamEvent] = []
    let thinsOut = windows != nil || band != nil
    if let first = samples.first, let returned = heard(batch.origin, at: first.time, now) {
      events.append(returned)
    }
    if !thinsOut { return events + takeAll(samples, of: batch, now) }
    for sample in samples {
      if windows != nil {
        let ended = windows?.add(sample, at: now) ?? []
        events += passed(ended)
      } else if band?.passes(sample) == true {
        events.append(sample.event)
      }
      for index in alarms.indices { events += add(sample, to: index, now).map { .alarm($0) } }
    }
    return events
  }

  /// Passes on all values: together, or each alone if there are alarms between them.
  private mutating func takeAll(
    _ samples: [StreamSample], of batch: ValueBatch, _ now: Moment
  ) -> [StreamEvent] {
    var events: [StreamEvent] = []
    for sample in samples {
      events.append(sample.event)
      for index in alarms.indices { events += add(sample, to: index, now).map { .alarm($0) } }
    }
    return events.count == samples.count ? [.values(batch)] : events
  }

  private mutating func add(_ sample: StreamSample, to alarm: Int, _ now: Moment) -> [AlarmRecord] {
    alarms[alarm].add(sample, at: now, judges: catchUp == nil)
  }

  private mutating func heard(_ origin: ValueOrigin, at time: Timestamp, _ now: Moment) -> StreamEvent? {
    heard(origin.device, at: time, now)
  }

  /// The ends of windows that the dead band passes on.
  private mutating func passed(_ ended: [ValueWindows.End]) -> [StreamEvent] {
    ended.compactMap { end in
      if band == nil { return end.event }
      return band?.passes(end.last, end.means) == true ? end.event : nil
    }
  }

  /// Ends what a gap ends, of a device or of all; returns what is passed on before the gap.
  private mutating func interrupt(_ address: BluetoothAddress?) -> [StreamEvent] {
    let events = passed(windows?.interrupt(address) ?? [])
    band?.interrupt(address)
    for index in alarms.indices { alarms[index].interrupt(address) }
    return events
  }

  /// Records that a device was heard, even if its values are not new.
  ///
  /// Returns the end of its absence, if it was absent.
  package mutating func heard(
    _ device: HeardDevice, at time: Timestamp, _ now: Moment
  ) -> StreamEvent? {
    observe(now)
    awaited.heard(device)
    return absence?.heard(device, at: time, now).map { .absence($0) }
  }

  /// Returns what happens without an event, because its time has come.
  package mutating func advance(to now: Moment) -> [StreamEvent] {
    var events = passed(windows?.advance(to: now) ?? [])
    if let end = catchUp, end <= now.instant { catchUp = nil } else { observe(now) }
    if catchUp != nil { return events }
    for index in alarms.indices { events += alarms[index].advance(to: now).map { .alarm($0) } }
    events += (absence?.advance(to: now) ?? []).map { .absence($0) }
    return events
  }

  /// Returns what is passed on at the end of the stream.
  package mutating func finish() -> [StreamEvent] { passed(windows?.interrupt(nil) ?? []) }

  /// Returns sentences about the devices and the fields of alarms that did not come yet, each once.
  package mutating func takeRemarks() -> [String] {
    awaited.takeRemarks() + alarms.indices.compactMap { alarms[$0].takeRemark() }
  }

  /// The devices that are absent, or were never heard.
  package func missing(at now: Moment) -> [AbsenceRecord] { absence?.missing(at: now) ?? [] }
}
