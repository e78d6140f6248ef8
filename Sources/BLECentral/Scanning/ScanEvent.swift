// SPDX-License-Identifier: MIT

/// An event of a scan.
public struct ScanEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable {
    /// The device was heard for the first time in this scan.
    case found
    /// New facts became known, such as the name from a scan response.
    case changed
    /// The device was heard again; only with `reportsDuplicates`.
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
