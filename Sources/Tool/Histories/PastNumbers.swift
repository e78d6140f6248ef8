// SPDX-License-Identifier: MIT

/// A number of a device over time, from before a page began: what a log has of it.
package struct PastNumbers: Sendable, Hashable {
  /// The address of the device.
  package var address: String
  package var name: String?
  /// A characteristic, or the type of what was advertised; empty for the signal strength.
  package var source: String
  /// The key of the number, such as `temperature_celsius`.
  package var field: String
  /// The times of the first and the last value, as in records.
  package var first: String
  package var last: String
  /// In the order of their times, and fewer than ``mostPoints``.
  package var buckets: [ChartHistory.Bucket]

  /// The maximum count of numbers that a page keeps over time.
  package static let mostNumbers = 1000
  /// The limit of the points of each: a third of a large chart's width, and 48 KiB.
  package static let mostPoints = 1024

  package init(
    address: String, name: String?, source: String, field: String, first: String, last: String,
    buckets: [ChartHistory.Bucket]
  ) {
    (self.address, self.name, self.source, self.field) = (address, name, source, field)
    (self.first, self.last, self.buckets) = (first, last, buckets)
  }
}
