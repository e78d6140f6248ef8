// SPDX-License-Identifier: MIT

/// The appearance of a device: the value of the Appearance characteristic, and of AD type 19.
///
/// The upper ten bits are a category, the lower six a subcategory of it.
public struct Appearance: RawRepresentable, Sendable, Hashable {
  /// The value as sent.
  public let rawValue: UInt16

  /// Creates the appearance with a value, which may be any.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The number of the category, 0 to 1023.
  public var category: UInt16 { rawValue >> 6 }

  /// The number of the subcategory, 0 to 63; 0 means the category in general.
  public var subcategory: UInt16 { rawValue & 0x3f }

  /// The name of the category, such as `Heart Rate Sensor`; nil if the SIG has assigned none.
  public var categoryName: String? { AssignedNumbers.appearances.name(of: UInt128(rawValue & ~0x3f)) }

  /// The name of the subcategory, such as `Heart Rate Belt`; nil if there is none.
  public var subcategoryName: String? {
    subcategory == 0 ? nil : AssignedNumbers.appearances.name(of: UInt128(rawValue))
  }

  /// The most specific known name: the subcategory's, else the category's, else nil.
  public var name: String? { subcategoryName ?? categoryName }
}
