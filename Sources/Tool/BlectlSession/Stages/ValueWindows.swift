// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// Windows of time, a multiple of their length since 1970, of each source: the last value of each, or what its values have
/// in common.
///
/// A window opens with its first value. It ends when its time is over, when a value of a later window comes, at a gap, and
/// when the clock is set back. Its time is measured by the monotonic clock, so that no window is longer than it should be
/// when the clock is set back; the next one is aligned to the new time. Zones do not matter, since 1970 began in UTC.
struct ValueWindows {
  fileprivate struct Window {
    let start: Int128
    let end: Int128
    /// The end of the window.
    let deadline: ContinuousClock.Instant
    /// The order in which windows opened.
    let serial: Int
    var last: StreamSample
    var count = 0
    var numbers: [NumberSummary] = []
  }

  /// A window that has ended.
  struct End {
    /// Its last value.
    let last: StreamSample
    /// The event that is passed on for the window.
    let event: StreamEvent
    /// The means, if they are passed on.
    var means: DecodedFields?
  }

  private let length: Int128
  private let averages: Bool
  private var windows: [StreamSample.Source: Window] = [:]
  /// The ends of the last windows, for values that were read before, and come after.
  private var ends = RecentMemory<StreamSample.Source, Int128>()
  private var serial = 0
  /// The end of the next window, or an earlier time.
  private(set) var deadline: ContinuousClock.Instant?

  /// A value that is earlier than its window by no more than this came late; if it is more, the clock was set back.
  private static let lateness: Int128 = 1_000_000_000

  init(length: Duration, averages: Bool) {
    self.length = length.wholeNanoseconds
    self.averages = averages
  }

  /// Adds a value; returns what ended with it.
  mutating func add(_ sample: StreamSample, at now: Moment) -> [End] {
    // It stands for a window only where there is nothing better.
    if sample.hasWrongChecksum, averages || windows[sample.source] != nil { return [] }
    var ended: [End] = []
    var time = sample.time.nanosecondsSince1970
    if let border = windows[sample.source]?.start ?? ends[sample.source], time < border,
      border - time <= Self.lateness
    {
      time = border
    }
    // Taken out while it changes, so that it is not copied.
    var current = windows.removeValue(forKey: sample.source)
    if let window = current, !(window.start..<window.end).contains(time) {
      ended.append(end(of: window, isWhole: time >= window.end))
      current = nil
    }
    var window = current ?? open(at: time, with: sample, now)
    current = nil
    window.last = sample
    window.count += 1
    if averages { window.add(sample.averaged) }
    windows[sample.source] = window
    return ended
  }

  private mutating func open(at time: Int128, with sample: StreamSample, _ now: Moment) -> Window {
    let start = time.rounded(downTo: length)
    let left = min(max(start + length - now.time.nanosecondsSince1970, 0), length)
    serial += 1
    let end = now.instant + .nanoseconds(Int64(clamping: left))
    deadline = deadline.map { min($0, end) } ?? end
    return Window(start: start, end: start + length, deadline: end, serial: serial, last: sample)
  }

  /// Ends the windows whose time is over.
  mutating func advance(to now: Moment) -> [End] {
    guard let deadline, deadline <= now.instant else { return [] }
    return end(isWhole: true) { _, window in window.deadline <= now.instant }
  }

  /// Ends the windows of a device that cannot be heard, or of all.
  mutating func interrupt(_ address: BluetoothAddress?) -> [End] {
    let ended = end(isWhole: false) { source, _ in address.map { $0 == source.address } ?? true }
    // What comes next is a new beginning, whatever the clock says.
    ends.keep { source in address.map { $0 != source.address } ?? false }
    return ended
  }

  private mutating func end(
    isWhole: Bool, where isOver: (StreamSample.Source, Window) -> Bool
  ) -> [End] {
    let over = windows.filter { isOver($0.key, $0.value) }
      .sorted { ($0.value.end, $0.value.serial) < ($1.value.end, $1.value.serial) }
    for (source, window) in over {
      windows[source] = nil
      ends[source] = window.end
    }
    deadline = windows.values.map(\.deadline).min()
    return over.map { end(of: $0.value, isWhole: isWhole) }
  }

  /// `isWhole` is whether it lasted to its end.
  private func end(of window: Window, isWhole: Bool) -> End {
    guard averages, !window.numbers.isEmpty else { return End(last: window.last, event: window.last.event) }
    let origin = window.last.origin
    let keys = (origin.meaning?.keys ?? []) + window.last.fields.map(\.key)
    var decoded = DecodedFields()
    for summary in window.numbers { summary.add(to: &decoded, among: keys) }
    let record = AverageRecord(
      of: origin, from: Timestamp(nanosecondsSince1970: window.start),
      time: isWhole ? Timestamp(nanosecondsSince1970: window.end) : window.last.time, count: window.count,
      decoded: decoded,
      counts: window.numbers.filter { $0.count != window.count }.map { ($0.key, $0.count) })
    decoded.fields.removeAll { field in !window.numbers.contains { $0.key == field.key } }
    return End(last: window.last, event: .average(record), means: decoded)
  }
}

extension ValueWindows.Window {
  fileprivate mutating func add(_ fields: [DecodedFields.Field]) {
    for field in fields {
      if let index = numbers.firstIndex(where: { $0.key == field.key }) {
        numbers[index].add(field)
      } else if let summary = NumberSummary(field) {
        numbers.append(summary)
      }
    }
  }
}

extension Int128 {
  /// The multiple of a positive number at or before it.
  fileprivate func rounded(downTo length: Int128) -> Int128 {
    let rest = self % length
    return self - (rest < 0 ? rest + length : rest)
  }
}
