// SPDX-License-Identifier: MIT

/// Finds faults for which BlueZ would only answer `Failed to register advertisement`.
struct AdvertisementCheck {
  private static let intervals = Duration.milliseconds(20)...Duration.milliseconds(10_240)

  let advertisement: Advertisement
  let operation: Operation

  /// - Throws: ``BLEError`` with code `invalidDefinition` or `invalidLength` and the fault.
  func check() throws(BLEError) {
    if advertisement.isDiscoverable, !advertisement.isConnectable {
      throw fault("an advertisement that cannot be connected to cannot be discoverable")
    }
    if let interval = advertisement.interval {
      guard Self.intervals.contains(interval.lowerBound), Self.intervals.contains(interval.upperBound) else {
        throw fault("the interval must be between 20 ms and 10.24 s")
      }
    }
    if let duration = advertisement.duration {
      guard (Duration.seconds(1)...Duration.seconds(65_535)).contains(duration) else {
        throw fault("the duration must be between 1 s and 65535 s")
      }
    }
    if let excess = advertisement.contents.excess { throw operation.error(.invalidLength, excess) }
  }

  private func fault(_ message: String) -> BLEError { operation.error(.invalidDefinition, message) }
}
