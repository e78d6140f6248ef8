// SPDX-License-Identifier: MIT

/// The init packet of Secure DFU, as far as it can be read: the device alone checks the signature.
package struct SecureInitPacket: Sendable, Equatable {
  package private(set) var firmwareVersion: UInt64?
  package private(set) var hardwareVersion: UInt64?
  /// The SoftDevices that the firmware runs with; 0 stands for none.
  package private(set) var softDevices: [UInt64] = []
  /// The number of the kind: 0 application, 1 SoftDevice, 2 bootloader, 3 both, 4 an application for another processor.
  package private(set) var type: UInt64?
  package private(set) var softDeviceSize: Int?
  package private(set) var bootloaderSize: Int?
  package private(set) var applicationSize: Int?
  /// The SHA-256 of the firmware, in the usual order.
  package private(set) var sha256: [UInt8]?
  /// True if the bootloader need not compare versions.
  package private(set) var isDebug = false
  /// The name of the signature's algorithm; nil without a signature.
  package private(set) var signature: String?

  package var isSigned: Bool { signature != nil }

  /// Reads a packet; nil if it is not a message of Nordic's definition with a command to begin.
  package init?(_ bytes: [UInt8]) {
    do throws(MalformedMessage) {
      var parts = ProtobufReader(try begin(bytes))
      while let (field, value) = try parts.next() { try read(field, value) }
    } catch {
      return nil
    }
  }

  /// Reads the signature, if there is one, and returns the message in the command to begin.
  private mutating func begin(_ bytes: [UInt8]) throws(MalformedMessage) -> ArraySlice<UInt8> {
    var packet = ProtobufReader(bytes[...])
    guard let (field, value) = try packet.next(), case .data(var command) = value, try packet.next() == nil
    else { throw MalformedMessage() }
    switch field {
    case 1: break
    case 2:
      let signed = try ProtobufFields(command)
      guard let inner = signed.dataIfPresent(1), !signed.data(3).isEmpty else { throw MalformedMessage() }
      command = inner
      let kind = signed.number(2)
      signature = kind == 0 ? "ECDSA P-256" : kind == 1 ? "Ed25519" : "number \(kind)"
    default: throw MalformedMessage()
    }
    guard let start = try ProtobufFields(command).dataIfPresent(2) else { throw MalformedMessage() }
    return start
  }

  private mutating func read(_ field: UInt64, _ value: ProtobufReader.Value) throws(MalformedMessage) {
    switch (field, value) {
    case (1, .number(let number)): firmwareVersion = number
    case (2, .number(let number)): hardwareVersion = number
    case (3, .number(let number)): softDevices.append(number)
    case (3, .data(let packed)): softDevices += try ProtobufReader.packedNumbers(packed)
    case (4, .number(let number)): type = number
    case (5, .number(let number)): softDeviceSize = Int(exactly: number)
    case (6, .number(let number)): bootloaderSize = Int(exactly: number)
    case (7, .number(let number)): applicationSize = Int(exactly: number)
    case (8, .data(let bytes)):
      let hash = try ProtobufFields(bytes)
      guard let digest = hash.dataIfPresent(2) else { throw MalformedMessage() }
      // Nordic writes the last byte first.
      if hash.number(1) == 3, digest.count == 32 { sha256 = digest.reversed() }
    case (9, .number(let number)): isDebug = number == 1
    case (3, .fixed), (8, _): throw MalformedMessage()
    default: break
    }
  }

  /// Compares a firmware with what the packet says of it.
  func problems(with firmware: [UInt8], _ kind: NordicFirmware.Kind) -> [String] {
    var problems: [String] = []
    let sizes = [softDeviceSize, bootloaderSize, applicationSize].compactMap { $0 }
    // A size may be any number: the sum of large ones would overflow.
    if !sizes.isEmpty, sizes.contains(where: { $0 > firmware.count }) || sizes.reduce(0, +) != firmware.count
    {
      let words = sizes.filter { $0 > 0 }.map(String.init).joined(separator: " and ")
      problems.append("it has \(firmware.count) bytes, the init packet says \(words.isEmpty ? "0" : words)")
    }
    if let type, let expected = Self.kinds[type], expected != kind {
      problems.append("the manifest says \(kind.word), the init packet \(expected.word)")
    }
    if let sha256, let digest = try? SHA256.digest(of: firmware), digest != sha256 {
      problems.append("its SHA-256 is \(Hex.string(digest)), the init packet says \(Hex.string(sha256))")
    }
    return problems
  }

  /// The kinds of firmware by their numbers.
  package static let kinds: [UInt64: NordicFirmware.Kind] = [
    0: .application, 1: .softDevice, 2: .bootloader, 3: .softDeviceAndBootloader,
  ]
}
