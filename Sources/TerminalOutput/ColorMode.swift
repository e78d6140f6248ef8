// SPDX-License-Identifier: MIT

/// When output is coloured: the value of `--color`.
package enum ColorMode: String, Sendable, CaseIterable {
  case auto
  case always
  case never

  /// Whether one stream is coloured.
  ///
  /// `--color` decides; then `NO_COLOR` (any value but the empty one), `CLICOLOR_FORCE` (any value but the
  /// empty one and `0`), `TERM=dumb`, and at last whether the stream is a terminal.
  ///
  /// - Parameters:
  ///   - isTerminal: whether the stream is a terminal.
  ///   - environment: the value of an environment variable, nil when it is not set.
  /// - Returns: whether to draw in colour.
  func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isTerminal && environment("TERM") != "dumb"
  }
}
