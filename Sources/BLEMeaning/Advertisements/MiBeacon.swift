// SPDX-License-Identifier: MIT

/// A frame of a Xiaomi device, in service data of FE95: only its header, because the contents are mostly encrypted.
///
/// Source: "MiBeacon protocol" v5, Xiaomi.
public struct MiBeacon: AdvertisedFormat, Hashable {
  /// Whether the contents are encrypted.
  public let isEncrypted: Bool
  /// The version of the format.
  public let version: Int
  /// The product.
  public let product: UInt16
  /// The frame counter.
  public let counter: UInt8

  /// Decodes the bytes after the UUID: two of control bits, two of the product, a counter, and more.
  ///
  /// Returns nil if there are too few.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard let control = reader.unsigned(2), let product = reader.unsigned(2), let counter = reader.unsigned(1)
    else { return nil }
    isEncrypted = control & 0x0008 != 0
    version = control >> 12
    (self.product, self.counter) = (UInt16(product), UInt8(counter))
  }

  /// The name of the format for programs.
  public var type: String { "mibeacon" }
  /// The name of the format for people.
  public var label: String { "MiBeacon" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    let digits = [UInt8(product >> 8), UInt8(truncatingIfNeeded: product)]
    fields.add("product_id", .bytes(digits), label: "product")
    fields.add("version", .integer(version), label: "version")
    fields.add("counter", .integer(Int(counter)), label: "counter")
    fields.add("encrypted", .bool(isEncrypted), label: "encrypted")
    return fields
  }
}
