// SPDX-License-Identifier: MIT
import BLEMeaning

extension ValueFormat {
  /// The format that a word on the command line names.
  ///
  /// - Throws: an error that lists the possible words.
  init(typed word: String) throws(ArgumentError) {
    do throws(FormatError) { try self.init(parsing: word) } catch { throw ArgumentError(error) }
  }
}
