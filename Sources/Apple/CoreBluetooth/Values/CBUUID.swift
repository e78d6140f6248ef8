// SPDX-License-Identifier: MIT
internal import BLEFormats
public import Foundation

/// The identifier of a service, a characteristic or a descriptor.
///
/// Two identifiers of any width are equal if all 128 bits are equal: `1234` equals
/// `00001234-0000-1000-8000-00805F9B34FB`. ``data`` and ``uuidString`` keep the width.
///
/// It is Sendable because it never changes.
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  let value: BluetoothUUID
  /// The width in bytes: 2, 4 or 16.
  private let width: Int

  private init(_ value: BluetoothUUID, width: Int) {
    self.value = value
    self.width = width
  }

  /// Makes the shortest possible identifier: BlueZ sends 128 bits, but programs compare `uuidString` with
  /// `FED3`.
  convenience init(_ value: BluetoothUUID) {
    self.init(value, width: value.shortForm.map { $0 <= 0xffff ? 2 : 4 } ?? 16)
  }

  /// Makes an identifier from 4, 8 or 32 hexadecimal digits; any other text ends the program.
  ///
  /// Hyphens and a leading `0x` are ignored.
  public convenience init(string theString: String) {
    let digits = theString.replacingOccurrences(of: "-", with: "")
    let hasPrefix = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    let count = digits.utf8.count - (hasPrefix ? 2 : 0)
    guard [4, 8, 32].contains(count), let value = BluetoothUUID(digits) else {
      fatalError("String \(theString) does not represent a valid UUID")
    }
    self.init(value, width: count / 2)
  }

  /// Makes an identifier from 2, 4 or 16 bytes, most significant first; any other number ends the program.
  public convenience init(data theData: Data) {
    let digits = theData.map { String(format: "%02x", $0) }.joined()
    guard [2, 4, 16].contains(theData.count), let value = BluetoothUUID(digits) else {
      fatalError("Data \(theData as NSData) does not represent a valid UUID")
    }
    self.init(value, width: theData.count)
  }

  /// Makes an identifier of 128 bits.
  public convenience init(nsuuid theUUID: UUID) { self.init(string: theUUID.uuidString) }

  /// The 2, 4 or 16 bytes, most significant first.
  open var data: Data { Data(Hex.bytes(digits) ?? []) }

  /// The digits in upper case: `180D`, or 36 characters with hyphens.
  open var uuidString: String { width == 16 ? value.longForm.uppercased() : digits.uppercased() }

  private var digits: String {
    let long = value.longForm.filter { $0 != "-" }
    return switch width {
    case 2: String(long.prefix(8).suffix(4))
    case 4: String(long.prefix(8))
    default: long
    }
  }

  /// The name of a well-known identifier, such as `Heart Rate`; else ``uuidString``.
  open override var description: String { CBUUID.name(of: value) ?? uuidString }

  /// Returns whether all 128 bits are equal.
  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }

  /// Hashes all 128 bits.
  open override var hash: Int { value.hashValue }

  /// Returns the same object, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
