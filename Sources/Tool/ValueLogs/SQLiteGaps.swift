// SPDX-License-Identifier: MIT
internal import ValueStreams

/// The times when nothing could be received, from one device or from all.
struct SQLiteGaps {
  /// The gaps of all devices, by time.
  private var ofAll: [Int] = []
  /// The gaps of single devices, by the row of the device.
  private var ofDevices: [Int: [Int]] = [:]

  /// More are not remembered: the oldest ones no longer break a line.
  private static let most = 100_000

  /// Reads the gaps from a time on.
  init(_ database: SQLiteDatabase, since start: Int) throws(OutputError) {
    var found: [(time: Int, device: Int?)] = []
    // A row without a device is about all of them; a link that begins follows one that was not, such as before a restart.
    let statement = try database.prepare(
      """
      SELECT time, device IS NULL, device FROM link WHERE time >= ?1
        AND event IN ('started', 'away', 'interrupted', 'connected', 'disconnected') ORDER BY time DESC LIMIT ?2
      """)
    try statement.rows(.integer(start), .integer(Self.most)) { row in
      found.append((row.integer(0), row.integer(1) == 0 ? row.integer(2) : nil))
      return true
    }
    for gap in found.reversed() {
      if let device = gap.device {
        ofDevices[device, default: []].append(gap.time)
      } else {
        ofAll.append(gap.time)
      }
    }
  }

  /// Returns whether there is one after a value, and not after the next one.
  func exist(between last: Int, and next: Int, of device: Int) -> Bool {
    Self.hasOne(of: ofAll, between: last, and: next)
      || ofDevices[device].map { Self.hasOne(of: $0, between: last, and: next) } ?? false
  }

  private static func hasOne(of times: [Int], between last: Int, and next: Int) -> Bool {
    guard let newest = times.last, newest > last else { return false }
    // The first one after the last value.
    var (low, high) = (0, times.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] > last { high = middle } else { low = middle + 1 }
    }
    return times[low] <= next
  }
}
