// SPDX-License-Identifier: MIT
internal import BLECentral

/// What `uuid` looks for: a number or a name, among all kinds or one.
struct UUIDLookup {
  /// Nil is all kinds.
  let kind: AssignedNumber.Kind?

  /// What a text may mean: as a number when it is one, and has a meaning; otherwise as a name or a part of one.
  func find(_ text: String) -> [AssignedNumber] {
    let numbers = numbered(text)
    return numbers.isEmpty ? AssignedNumbers.containing(text, kinds: kinds) : numbers
  }

  private var kinds: [AssignedNumber.Kind] { kind.map { [$0] } ?? AssignedNumber.Kind.allCases }

  private func numbered(_ text: String) -> [AssignedNumber] {
    var found: [AssignedNumber] = []
    if let uuid = BluetoothUUID(text) {
      found = AssignedNumbers.assigned(uuid).filter { kinds.contains($0.kind) }
    }
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }),
      let value = UInt16(digits, radix: 16)
    else { return found }
    if kinds.contains(.company) {
      found += AssignedNumbers.assigned(value, kind: .company).map { [$0] } ?? []
    }
    // Appearances are few and low: unasked, half of all numbers would be one.
    if kind == .appearance { found += AssignedNumbers.assigned(value, kind: .appearance).map { [$0] } ?? [] }
    return found
  }

  /// What kind of UUID it is that has no name, as the rest of a sentence.
  static func form(of uuid: BluetoothUUID) -> String {
    if let short = uuid.shortForm {
      return short > 0xffff ? "a 32-bit UUID of the Bluetooth Base UUID" : "a 16-bit UUID, not in the lists"
    }
    let bytes = uuid.bytes
    guard bytes[8] & 0xc0 == 0x80 else { return "a 128-bit UUID of somebody's own" }
    switch bytes[6] >> 4 {
    case 1, 6: return "a 128-bit UUID of somebody's own, made from a time"
    case 3, 5, 8: return "a 128-bit UUID of somebody's own, made from a name"
    case 4: return "a 128-bit UUID of somebody's own, made at random"
    case 7: return "a 128-bit UUID of somebody's own, made from a time and at random"
    default: return "a 128-bit UUID of somebody's own"
    }
  }
}
