// SPDX-License-Identifier: MIT

/// How a scan listens.
public enum ScanMode: String, Sendable, Hashable, CaseIterable {
  /// Asks each advertiser for its scan response: names often stand only there.
  case active
  /// Only listens: nothing is sent, so no advertiser notices, and the radio rests half of the time.
  ///
  /// What stands in scan responses stays unknown, advertisements without AD flags are not heard, and signal strengths
  /// change in steps of 8 dB. It needs a bluetoothd with experimental features on.
  case passive
}
