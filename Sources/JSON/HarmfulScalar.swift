// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether a character must be escaped on a terminal: a control character, an invisible one, or one that Unicode has not
  /// assigned.
  package var isHarmfulToTerminals: Bool {
    if isASCII { return value < 0x20 || value == 0x7f }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }
}
