// SPDX-License-Identifier: MIT

extension BindKey {
  /// Returns the cipher; throws if the key does not have 16 bytes.
  func cipher() throws(DecryptionError) -> AES {
    guard bytes.count == 16 else { throw .keyLength(needed: 16) }
    return try Self.cipher(bytes)
  }

  static func cipher(_ bytes: [UInt8]) throws(DecryptionError) -> AES {
    do throws(CipherError) { return try AES(key: bytes) } catch { throw DecryptionError(error) }
  }

  /// Decrypts bytes with a tag of four bytes behind them, in CCM mode.
  func open(
    _ bytes: some Collection<UInt8>, tag: some Collection<UInt8>, nonce: [UInt8], associated: [UInt8] = []
  ) throws(DecryptionError) -> [UInt8] {
    let cipher = try cipher()
    do throws(CipherError) {
      return try cipher.open(AES.Sealed(bytes: bytes, tag: tag), nonce: nonce, associated: associated)
    } catch {
      throw DecryptionError(error)
    }
  }
}

extension BindKey {
  /// Encrypts bytes in CCM mode, with a tag of four bytes.
  func seal(
    _ bytes: some Collection<UInt8>, nonce: [UInt8], associated: [UInt8] = []
  ) throws(DecryptionError) -> AES.Sealed {
    let cipher = try cipher()
    do throws(CipherError) {
      return try cipher.seal(Array(bytes), nonce: nonce, associated: associated, tagCount: 4)
    } catch {
      throw DecryptionError(error)
    }
  }

  /// Decrypts bytes in CCM mode without a check, and returns them with the tag of 16 bytes that they should have.
  static func open(
    _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]
  ) throws(DecryptionError) -> (opened: [UInt8], tag: [UInt8]) {
    let cipher = try cipher(key)
    do throws(CipherError) {
      // Encryption and decryption add the same stream of bits.
      let opened = try cipher.seal(bytes, nonce: nonce, associated: associated, tagCount: 16).bytes
      return (opened, try cipher.seal(opened, nonce: nonce, associated: associated, tagCount: 16).tag)
    } catch {
      throw DecryptionError(error)
    }
  }

  /// Decrypts bytes in counter mode, from a counter block with its least significant byte first.
  func count(_ bytes: [UInt8], from first: UInt16) throws(DecryptionError) -> [UInt8] {
    let cipher = try cipher()
    var opened: [UInt8] = []
    do throws(CipherError) {
      for start in stride(from: 0, to: bytes.count, by: 16) {
        let number = Int(first) + start / 16
        let block = (0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
        opened += try cipher.count(Array(bytes[start...].prefix(16)), from: block)
      }
    } catch {
      throw DecryptionError(error)
    }
    return opened
  }
}
