// SPDX-License-Identifier: MIT

/// What Xiaomi's devices send, in service data of FE95: the frame's head only, since its contents are mostly encrypted.
///
/// Xiaomi's description is "MiBeacon protocol" v5.
public struct MiBeacon: AdvertisedFormat, Hashable {
  /// Whether the contents are encrypted.
  public let isEncrypted: Bool
  /// The version of the format.
  public let version: Int
  /// Which product it is.
  public let product: UInt16
  /// A number that counts frames.
  public let counter: UInt8

  /// The head of the frame in some data, or nil.
  ///
  /// - Parameter data: the bytes behind the UUID: two of control bits, two of the product, a counter, and more.
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
