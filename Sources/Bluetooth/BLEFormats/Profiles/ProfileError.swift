// SPDX-License-Identifier: MIT
internal import JSON

/// The reason that the text of a profile is invalid.
public struct ProfileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, line and column, the JSON pointer, and what was expected; or the number of mistakes.
  ///
  /// For example `lamp.json:3:14: /characteristics/0/uuid: expected a UUID such as …, found "lamp"`.
  public let description: String
  /// At most 20 mistakes, each described like a single one; empty if there is only one.
  public let mistakes: [String]

  init(_ source: String, _ error: JSONError) {
    let report = JSONReport(error, in: source)
    (description, mistakes) = (report.summary, report.mistakes)
  }

  /// Creates the error of a file that cannot be read.
  package init(_ source: String, cause: String) {
    (description, mistakes) = ("\(source): \(cause)", [])
  }
}
