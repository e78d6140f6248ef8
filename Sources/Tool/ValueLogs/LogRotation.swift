// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// The condition for putting a log aside and beginning a new one.
package enum LogRotation: Sendable, Hashable {
  /// The size of a file in bytes.
  case size(Int)
  /// At the end of a period since 1970-01-01 00:00 UTC: `24h` is midnight, UTC.
  case period(seconds: Int)

  /// Returns whether a log must be put aside now; `begin` is its start, or the last write before it was
  /// opened.
  func isDue(size: Int, begin: Timestamp, now: Timestamp) -> Bool {
    switch self {
    case .size(let limit): size >= limit
    case .period(let seconds): size > 0 && now.seconds / seconds > begin.seconds / seconds
    }
  }

  /// Inserts the time before the ending, and the number if not 1: `log/strap-20261121T073142Z.csv`.
  static func name(for path: String, at time: Timestamp, number: Int = 1) -> String {
    let stamp = time.utc.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z" + (number > 1 ? "-\(number)" : "")
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(stamp)" }
    return "\(path[..<dot])-\(stamp)\(path[dot...])"
  }

  private static let mostNames = 1000

  /// Renames a log without overwriting a file; the new name, returned, has the time and marks a damaged log.
  @discardableResult
  static func putAside(
    _ destination: LogDestination, at time: Timestamp, isDamaged: Bool = false
  ) throws(OutputError) -> String {
    for number in 1...mostNames {
      let name =
        name(for: destination.name, at: time, number: number) + (isDamaged ? ".damaged" : "")
      if try destination.rename(to: name) { return name }
    }
    throw OutputError("no file name is free to put it aside")
  }
}
