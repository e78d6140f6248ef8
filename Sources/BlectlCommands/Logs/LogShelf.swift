// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc

/// Where logs go that are put aside: beside the one that is written, under a name with the time.
enum LogShelf {
  private static let mostNames = 1000

  /// Renames a log; nothing that is there is overwritten.
  static func putAside(_ path: String, at time: Timestamp = .now) throws(LogError) {
    for number in 1...mostNames {
      let name = LogRotation.name(for: path, at: time, number: number)
      if access(name, F_OK) == 0 { continue }
      guard rename(path, name) == 0 else { throw LogError(errno: errno) }
      return
    }
    throw LogError("no name is free to put it aside")
  }
}
