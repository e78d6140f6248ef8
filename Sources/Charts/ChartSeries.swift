// SPDX-License-Identifier: MIT
internal import BLECentral

/// One line of a chart: a number of one characteristic of one device.
struct ChartSeries: Sendable {
  /// What distinguishes it from the others.
  struct Key: Sendable, Hashable {
    let address: BluetoothAddress
    let handle: UInt16
    let field: String
  }

  let key: Key
  /// What the device calls itself.
  let deviceName: String?
  let characteristic: BluetoothUUID
  /// Empty where there is none, or none is known.
  let unit: String
  var history: ChartHistory
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private(set) var last = 0.0

  init(_ key: Key, deviceName: String?, characteristic: BluetoothUUID, unit: String, window: Double?) {
    self.key = key
    self.deviceName = deviceName
    self.characteristic = characteristic
    self.unit = unit
    history = ChartHistory(window: window)
  }

  mutating func add(_ number: Double, at time: Double) {
    history.add(number, at: time)
    least = min(least, number)
    greatest = max(greatest, number)
    last = number
  }

  /// What it is called, from the shortest to the longest.
  func names() -> [String] {
    let field = key.field
    let place = AssignedNumbers.name(ofCharacteristic: characteristic) ?? characteristic.description
    let device = deviceName ?? key.address.description
    return [
      field, "\(place) \(field)", "\(device) \(field)", "\(device) \(place) \(field)",
      "\(key.address) \(place) @\(key.handle.fourDigits) \(field)",
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
