// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// When a log is put aside and a new one begun.
package enum LogRotation: Sendable, Hashable {
  /// When it has reached a size.
  case size(Int)
  /// When a period of the clock is over, counted from 1970-01-01 00:00 UTC: `24h` is midnight, UTC.
  case period(seconds: Int)

  /// Whether a log is full.
  ///
  /// - Parameters:
  ///   - size: its size in bytes.
  ///   - begin: when it was begun, or last written to before it was opened.
  ///   - now: the time.
  /// - Returns: true when it is to be put aside before more is written.
  func isDue(size: Int, begin: Timestamp, now: Timestamp) -> Bool {
    switch self {
    case .size(let limit): size >= limit
    case .period(let seconds): size > 0 && now.seconds / seconds > begin.seconds / seconds
    }
  }

  /// The name of a log that is put aside: it has the time before its ending.
  ///
  /// - Parameters:
  ///   - path: `log/strap.csv`.
  ///   - time: when it is put aside.
  ///   - number: for when that name is taken.
  /// - Returns: `log/strap-20261121T073142Z.csv`.
  static func name(for path: String, at time: Timestamp, number: Int = 1) -> String {
    let stamp = time.utc.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z" + (number > 1 ? "-\(number)" : "")
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(stamp)" }
    return "\(path[..<dot])-\(stamp)\(path[dot...])"
  }
}

/// Where logs go that are put aside: beside the one that is written, under a name with the time.
enum LogShelf {
  private static let mostNames = 1000

  /// Renames a log; no other file is overwritten.
  ///
  /// - Parameters:
  ///   - place: where it is.
  ///   - time: the time that its new name has.
  ///   - isDamaged: whether it cannot be read, which its new name then says.
  /// - Returns: its new name.
  /// - Throws: what the system refuses.
  @discardableResult
  static func putAside(
    _ place: LogPlace, at time: Timestamp, isDamaged: Bool = false
  ) throws(OutputError) -> String {
    for number in 1...mostNames {
      let name =
        LogRotation.name(for: place.name, at: time, number: number) + (isDamaged ? ".damaged" : "")
      if try place.rename(to: name) { return name }
    }
    throw OutputError("no file name is free to put it aside")
  }
}
