// SPDX-License-Identifier: MIT

/// The mode of a scan.
public enum ScanMode: String, Sendable, Hashable, CaseIterable {
  /// Requests a scan response from each advertiser; many names appear only there.
  case active
  /// Only listens: advertisers do not notice, and the radio rests half of the time.
  ///
  /// Scan responses stay unknown, advertisements without AD flags are not reported, and signal strengths
  /// change in steps of 8 dB. It needs a bluetoothd with experimental features on.
  case passive
}
