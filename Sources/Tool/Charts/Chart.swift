// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEFormats
internal import ValueStreams

/// The values of a stream as lines over time, in bounded memory.
///
/// With ``ChartHistory/capacity`` buckets of 48 bytes for each of ``mostSeries`` lines, it takes at most 3
/// MB, and twice as much if the window may be changed.
package struct Chart: Sendable {
  /// One for each letter.
  static let mostSeries = 26

  private(set) var series: [ChartSeries] = []
  private var indices: [ChartSeries.Key: Int] = [:]
  /// The names of values that are not numbers.
  private(set) var numberless = BoundedNames()
  /// The names of lines beyond the limit.
  private(set) var crowdedOut = BoundedNames()
  /// The time of the first value, from which times count.
  private(set) var start: Timestamp?
  /// The time of the last value, in seconds.
  private(set) var newest = 0.0
  private(set) var valueCount = 0
  private(set) var droppedCount = 0
  /// The number of seconds shown; nil for all.
  private(set) var window: Double?
  /// True if older values than those in the window are kept, because the window may be changed.
  private let keepsAll: Bool
  private let format: ValueFormat?

  /// A nil `format` is the standard meaning; `window` is in seconds, nil for all; `keepsAll` lets it change.
  package init(format: ValueFormat? = nil, window: Double? = nil, keepsAll: Bool = false) {
    self.format = format
    self.window = window
    self.keepsAll = keepsAll
  }

  /// Shows another part of the past; call only on a chart that keeps all.
  mutating func show(window: Double?) {
    self.window = window
    for index in series.indices { series[index].show(window: window) }
  }

  mutating func add(_ event: StreamEvent) {
    switch event {
    case .values(let batch): add(batch)
    case .average(let average): add(average)
    case .link(let record):
      guard record.event == .disconnected else { return }
      for index in series.indices where series[index].key.address == record.address {
        series[index].breakLine()
      }
    case .dropped(let record):
      droppedCount += record.count
      for index in series.indices { series[index].breakLine() }
    case .reception(let record):
      guard record.event == .interrupted else { return }
      for index in series.indices { series[index].breakLine() }
    case .alarm, .absence, .written, .served, .record, .line: break
    }
  }

  /// Adds a mean where its window ends.
  private mutating func add(_ average: AverageRecord) {
    advance(to: average.time)
    add(ValueNumbers([], format: .auto, decoded: average.decoded), of: average.origin)
  }

  private mutating func advance(to time: Timestamp) {
    valueCount += 1
    let start = start ?? time
    self.start = start
    // The clock may have been set back.
    newest = max(newest, time.seconds(since: start))
  }

  private mutating func add(_ batch: ValueBatch) {
    let decoded = ValueNumbers.needMeaning(format) ? batch.decoded : nil
    for index in batch.values.indices {
      let value = batch.values[index]
      advance(to: value.time)
      add(ValueNumbers(value.value, format: format, decoded: decoded?[index]), of: batch.origin)
    }
  }

  private mutating func add(_ numbers: ValueNumbers, of origin: ValueOrigin) {
    for field in numbers.fields {
      guard let index = index(of: field, of: origin) else { continue }
      for number in field.numbers { series[index].add(number, at: newest) }
    }
    for name in numbers.numberless { numberless.add("\(name) of \(origin.ownTitle)") }
  }

  private mutating func index(of field: ValueNumbers.Field, of origin: ValueOrigin) -> Int? {
    let key = ChartSeries.Key(origin, field: field.name)
    if let index = indices[key] { return index }
    let new = ChartSeries(
      key, deviceName: origin.name,
      place: origin.title, unit: field.unit,
      window: window, keepsAll: keepsAll)
    guard series.count < Chart.mostSeries else {
      crowdedOut.add("\(field.name) of \(origin.name ?? origin.address.description)")
      return nil
    }
    indices[key] = series.count
    series.append(new)
    return series.count - 1
  }
}

/// The first few different names of many.
struct BoundedNames: Sendable {
  /// Beyond the limit, only the existence of more names is kept.
  static let limit = 12

  private(set) var names: [String] = []
  private var hasMore = false

  var isEmpty: Bool { names.isEmpty }

  mutating func add(_ name: String) {
    if names.contains(name) { return }
    if names.count < BoundedNames.limit { names.append(name) } else { hasMore = true }
  }

  /// The kept names, and whether there are more: `a, b, …`.
  var text: String { (names + (hasMore ? ["…"] : [])).joined(separator: ", ") }
}
