// SPDX-License-Identifier: MIT

/// One thing that a scan reports.
public struct ScanEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable {
    /// The device was heard for the first time in this scan.
    case found
    /// Facts became known that were absent before, such as the name from a scan response.
    case changed
    /// The device was heard again; only where duplicates are asked for.
    case advertised
    /// BlueZ has forgotten the device: it was not heard for a while (30 s).
    case lost
  }

  /// What happened.
  public let kind: Kind
  /// When it was read from the bus.
  public let time: Timestamp
  /// The device, as it is known now.
  public let info: PeripheralInfo
}
