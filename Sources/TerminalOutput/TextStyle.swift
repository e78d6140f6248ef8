// SPDX-License-Identifier: MIT

/// A way to draw text on a terminal; the raw value is its SGR parameter.
package enum TextStyle: Int, Sendable, Hashable, CaseIterable {
  case bold = 1
  case dim = 2
  case underlined = 4
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34
  case magenta = 35
  case cyan = 36
}
