// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

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
    _ place: LogPlace, at time: Timestamp = .now, isDamaged: Bool = false
  ) throws(OutputError) -> String {
    for number in 1...mostNames {
      let name =
        LogRotation.name(for: place.name, at: time, number: number) + (isDamaged ? ".damaged" : "")
      if try place.rename(to: name) { return name }
    }
    throw OutputError("no file name is free to put it aside")
  }
}
