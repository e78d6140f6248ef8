// SPDX-License-Identifier: MIT
internal import BLECentral

/// Where logs go that are put aside: beside the one that is written, under a name with the time.
enum LogShelf {
  private static let mostNames = 1000

  /// Renames a log; nothing that is there is overwritten.
  static func putAside(_ place: LogPlace, at time: Timestamp = .now) throws(LogError) {
    for number in 1...mostNames {
      if try place.rename(to: LogRotation.name(for: place.name, at: time, number: number)) { return }
    }
    throw LogError("no name is free to put it aside")
  }
}
