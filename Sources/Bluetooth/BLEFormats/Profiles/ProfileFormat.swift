// SPDX-License-Identifier: MIT

/// Advertised data that was decoded by the layout of a profile.
public struct ProfileFormat: AdvertisedFormat, Hashable {
  /// The name of the format for programs.
  public let type: String
  /// The name of the format for people.
  public let label: String
  /// The values, with their units in the keys.
  public let fields: DecodedFields

  /// Creates decoded data; each parameter sets the property of its name.
  public init(type: String, label: String, fields: DecodedFields) {
    (self.type, self.label, self.fields) = (type, label, fields)
  }
}
