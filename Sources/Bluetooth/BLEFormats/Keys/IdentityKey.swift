// SPDX-License-Identifier: MIT

/// The identity resolving key (IRK) of a device that uses privacy: it shows which private addresses are the device's.
///
/// Source: Core Specification, Vol 3, Part H, 2.2.2. A key never prints its bytes.
///
/// ```swift
/// let key = try IdentityKey(parsing: "ec0234a357c8ad05341010a60a397d9b")
/// if let address = BluetoothAddress("70:81:94:0D:FB:AA") {
///   try key.resolves(address)                          // true
/// }
/// ```
public struct IdentityKey: Sendable, Hashable {
  let bytes: [UInt8]

  /// Creates a key of 16 bytes, the most significant first, as the Core Specification writes it; returns nil for other lengths.
  ///
  /// BlueZ stores keys in the other order: pass `bytes.reversed()`.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Parses 32 hexadecimal digits of any case, the most significant byte first, with or without `:` or blanks between groups.
  ///
  /// - Throws: an error that does not contain the text.
  public init(parsing text: some StringProtocol) throws(SecretKeyError) {
    bytes = try SecretKeyError.bytes(text, counts: [16])
  }

  /// Returns whether the device with this key sends from an address; false for addresses that are not resolvable.
  ///
  /// One of 16 million addresses of other devices fits by chance.
  ///
  /// - Throws: ``DecryptionError/unavailable(_:)`` if libcrypto is not installed.
  public func resolves(_ address: BluetoothAddress) throws(DecryptionError) -> Bool {
    guard address.randomKind == .resolvable else { return false }
    let digits = address.bytes
    let block = [UInt8](repeating: 0, count: 13) + digits.prefix(3)
    do throws(CipherError) {
      return try AES(key: bytes).encrypt(block: block).suffix(3) == digits.suffix(3)
    } catch {
      throw DecryptionError(error)
    }
  }
}

extension IdentityKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `IdentityKey(…)`, without the bytes.
  public var description: String { "IdentityKey(…)" }
  /// `IdentityKey(…)`, without the bytes.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` does not print the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
