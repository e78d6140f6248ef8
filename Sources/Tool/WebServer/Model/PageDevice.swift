// SPDX-License-Identifier: MIT
internal import Histories
internal import JSON

/// The state of a device, as the page knows it.
struct PageDevice: Sendable {
  /// A device as a gateway hears it.
  struct Key: Sendable, Hashable {
    var host: String?
    var address: String
  }

  /// The last known data from a source.
  struct Reading: Sendable {
    var time: String
    var decoded: JSONNode?
    /// The bytes in hex.
    var value: String?
  }

  /// An alarm that has not been cleared.
  struct Alarm: Sendable {
    var time: String
    var decoded: JSONNode?
  }

  let key: Key
  var name: String?
  var adapter: String?
  var company: String?
  var rssi: Int?
  /// The times when it was first and last heard of, as text and in seconds.
  var first: String
  var firstSeconds: Double
  var last: String
  var lastSeconds: Double
  var isConnected: Bool?
  var isPaired: Bool?
  /// True if BlueZ has removed it.
  var isLost = false
  /// Since when it is missed.
  var absentSince: String?
  /// By the source: a characteristic, or the type of what is advertised.
  var readings: [String: Reading] = [:]
  /// The alarms, by condition.
  var alarms: [String: Alarm] = [:]
  /// The conditions of alarms that are over.
  var cleared: Set<String> = []
  var packets = 0
  var connections = 0
  var disconnections = 0
  var reconnections = 0
  var linkGapSeconds = 0.0
  var absences = 0
  /// The reason for the end of the link.
  var reason: String?

  init(_ key: Key, at time: String, _ seconds: Double) {
    self.key = key
    (first, firstSeconds, last, lastSeconds) = (time, seconds, time, seconds)
  }

  /// True if nobody misses it once it is silent for long.
  var mayGo: Bool { isConnected != true && alarms.isEmpty && absentSince == nil }

  /// More sources are not remembered: a device that gives its data new names each time must not fill the memory.
  static let mostReadings = 64
  static let mostAlarms = 64
  /// The most bytes of a text that is kept when the next packet has another one in its place.
  static let longestKept = 128
}

/// A number over time.
struct PageSeries: Sendable {
  struct Key: Sendable, Hashable {
    var device: PageDevice.Key
    /// Empty for the signal strength.
    var source: String
    var field: String
  }

  var history: ChartHistory
  var last: Double
  /// The times of the first and the last value, in seconds.
  var firstSeconds: Double
  var lastSeconds: Double

  /// Drops what is later than a time: the clock was set back to it.
  mutating func setBack(to seconds: Double) {
    guard lastSeconds > seconds else { return }
    (firstSeconds, lastSeconds) = (min(firstSeconds, seconds), seconds)
    history.setBack(to: seconds)
  }
}
