// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Histories
internal import ValueStreams

/// One line of a chart: a number of one characteristic of one device, or of what it advertises.
struct ChartSeries: Sendable {
  struct Key: Sendable, Hashable {
    let address: BluetoothAddress
    /// The handle of the characteristic, or the type of advertised data.
    let place: String
    let field: String

    init(_ origin: ValueOrigin, field: String) {
      address = origin.address
      place = origin.attribute.map { "@" + $0.characteristic.handle.fourDigits } ?? origin.word
      self.field = field
    }
  }

  let key: Key
  let deviceName: String?
  /// The name of the characteristic, or its UUID; or that of the advertised format.
  let place: String
  /// Empty if there is none, or none is known.
  let unit: String
  /// The visible part.
  private(set) var history: ChartHistory
  /// Everything, more coarsely; nil if it is shown itself, or not kept.
  private var whole: ChartHistory?
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private(set) var last = 0.0

  init(
    _ key: Key, deviceName: String?, place: String, unit: String, window: Double?,
    keepsAll: Bool = false
  ) {
    self.key = key
    self.deviceName = deviceName
    self.place = place
    self.unit = unit
    history = ChartHistory(window: window)
    if keepsAll, window != nil { whole = ChartHistory() }
  }

  mutating func add(_ number: Double, at time: Double) {
    history.add(number, at: time)
    whole?.add(number, at: time)
    least = min(least, number)
    greatest = max(greatest, number)
    last = number
  }

  /// Separates the next value from the last one.
  mutating func breakLine() {
    history.breakLine()
    whole?.breakLine()
  }

  /// Shows another part of the past: in detail if known, and before that from the coarse history.
  mutating func show(window: Double?) {
    let all = whole ?? history
    guard let window else {
      (history, whole) = (all, nil)
      return
    }
    history = ChartHistory(window: window, coarse: all, fine: history)
    whole = all
  }

  /// The possible names, from the shortest to the longest.
  func names() -> [String] {
    let field = key.field
    let device = deviceName ?? key.address.description
    return [
      field, "\(place) \(field)", "\(device) \(field)", "\(device) \(place) \(field)",
      "\(key.address) \(place) \(key.place) \(field)",
    ]
  }
}

extension [ChartSeries] {
  /// The shortest names that are all different.
  var labels: [String] {
    let names = map { $0.names() }
    let levels = (names.first?.count ?? 0)
    for level in 0..<levels {
      let labels = names.map { $0[level] }
      if Set(labels).count == labels.count || level == levels - 1 { return labels }
    }
    return []
  }
}
