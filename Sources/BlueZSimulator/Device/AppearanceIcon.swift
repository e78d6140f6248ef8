// SPDX-License-Identifier: MIT

/// The icon names that the daemon derives from an appearance.
enum AppearanceIcon {
  static func name(of appearance: UInt16) -> String? {
    switch (appearance >> 6, appearance & 0x3F) {
    case (1, _): "phone"
    case (2, _): "computer"
    case (5, _): "video-display"
    case (10, _): "multimedia-player"
    case (11, _): "scanner"
    case (15, 1): "input-keyboard"
    case (15, 2): "input-mouse"
    case (15, 3), (15, 4): "input-gaming"
    case (15, 5): "input-tablet"
    case (15, 8): "scanner"
    default: nil
    }
  }
}
