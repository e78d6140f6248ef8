// SPDX-License-Identifier: MIT
package import BLEFormats
package import BLEWorld

/// Nordic's Secure DFU: the boot loader, and the application that jumps to it.
package struct SecureBootloader: UpdateServer {
  /// The codes of answers.
  private enum Result {
    static let success: UInt8 = 1
    static let unknownRequest: UInt8 = 2
    static let invalidParameter: UInt8 = 3
    static let insufficientResources: UInt8 = 4
    static let invalidObject: UInt8 = 5
    static let unsupportedType: UInt8 = 7
    static let notPermitted: UInt8 = 8
    static let extended: UInt8 = 0x0b
    /// The reason that follows if the firmware does not match the init packet.
    static let verificationFailed: UInt8 = 0x0c
    /// The reason that follows if a boot loader is not newer than this one.
    static let oldVersion: UInt8 = 0x05
  }

  private enum ObjectType: UInt8, Sendable {
    case command = 1
    case data
  }

  /// The received part of an init packet or of firmware.
  private struct Transfer: Sendable {
    var bytes: [UInt8] = []
    var checksum = CRC32()
    /// The bytes that were executed.
    var executed: (count: Int, checksum: CRC32) = (0, CRC32())
    /// The end of the object that was created last.
    var end = 0

    mutating func append(_ more: [UInt8]) {
      bytes += more
      checksum.update(more)
    }

    /// Creates an object behind the last one that was executed.
    mutating func create(_ size: Int) {
      bytes.removeLast(bytes.count - executed.count)
      checksum = executed.checksum
      end = executed.count + size
    }

    mutating func execute() { executed = (bytes.count, checksum) }
  }

  /// The largest size of an init packet.
  private static let commandSize = 512

  package var version: String { life.version }
  package var isInBootloader: Bool { life.isInBootloader }
  package private(set) var bootloaderName: String?
  package var isChanged: Bool { life.isChanged }
  private var life: BootloaderLife
  private var selected = ObjectType.command
  private var command = Transfer()
  private var firmware = Transfer()
  private var initPacket: SecureInit?
  private var isInitValid = false
  /// The version of the boot loader; nil before it has received another one.
  private var ownVersion: UInt32?
  private var receipts = PacketReceipts()
  private var wrongChecksums: Int

  package init(_ spec: DFUSpec) {
    life = BootloaderLife(spec, farewellTime: .milliseconds(50))
    wrongChecksums = spec.faults.wrongChecksums
  }

  private var spec: DFUSpec { life.spec }

  package var state: FirmwareState { life.state("secure-dfu", received: firmware.bytes) }

  package mutating func linkEnded() { receipts = PacketReceipts() }

  package mutating func restart() -> Duration? {
    linkEnded()
    selected = .command
    return life.restart()
  }

  // MARK: Requests

  package mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect] {
    switch uuid {
    case FirmwareUUID.dfuPacket: return takePacket(bytes)
    case FirmwareUUID.dfuControl:
      guard let request = bytes.first else { return [] }
      return answer(request, Array(bytes.dropFirst()))
    default: return jump(bytes, from: uuid)
    }
  }

  private mutating func jump(_ bytes: [UInt8], from uuid: BluetoothUUID) -> [UpdateEffect] {
    func answer(_ result: UInt8) -> UpdateEffect { .send([0x20, bytes.first ?? 0, result], from: uuid) }
    switch bytes.first {
    case 1:
      return life.jump(answering: [answer(1)])
    case 2:
      let name = bytes.dropFirst(2)
      guard bytes.count > 2, Int(bytes[1]) == name.count, name.count <= 20 else { return [answer(5)] }
      bootloaderName = String(decoding: name, as: UTF8.self)
      return [answer(1)]
    default: return [answer(2)]
    }
  }

  private mutating func answer(_ request: UInt8, _ content: [UInt8]) -> [UpdateEffect] {
    switch request {
    case 1: return create(content)
    case 2:
      guard content.count == 2 else { return reply(request, Result.invalidParameter) }
      receipts = PacketReceipts(interval: LittleEndian.number(content))
      return reply(request, Result.success)
    case 3: return reply(request, Result.success, checksum())
    case 4: return execute()
    case 6: return select(content)
    case 0x0c: return reply(request, Result.success) + life.farewell
    default: return reply(request, Result.unknownRequest)
    }
  }

  private func reply(_ request: UInt8, _ result: UInt8, _ content: [UInt8] = []) -> [UpdateEffect] {
    [.send([0x60, request, result] + content, from: FirmwareUUID.dfuControl)]
  }

  private var current: Transfer { selected == .command ? command : firmware }

  private mutating func checksum() -> [UInt8] {
    var value = current.checksum.value
    if selected == .data, wrongChecksums > 0 {
      wrongChecksums -= 1
      value ^= 1
    }
    return LittleEndian.bytes(current.bytes.count, 4) + LittleEndian.bytes(value, 4)
  }

  private mutating func select(_ content: [UInt8]) -> [UpdateEffect] {
    guard let type = content.first.flatMap(ObjectType.init(rawValue:)) else {
      return reply(6, Result.unsupportedType)
    }
    selected = type
    let limit = type == .command ? Self.commandSize : spec.objectSize
    return reply(
      6, Result.success,
      LittleEndian.bytes(limit, 4) + LittleEndian.bytes(current.bytes.count, 4)
        + LittleEndian.bytes(current.checksum.value, 4))
  }

  private mutating func create(_ content: [UInt8]) -> [UpdateEffect] {
    guard content.count == 5, let type = ObjectType(rawValue: content[0]) else {
      return reply(1, content.count == 5 ? Result.unsupportedType : Result.invalidParameter)
    }
    let size = LittleEndian.number(content[1...])
    receipts.countAnew()
    switch type {
    case .command:
      guard (1...Self.commandSize).contains(size) else { return reply(1, Result.insufficientResources) }
      selected = .command
      (command, firmware, isInitValid, initPacket) = (Transfer(), Transfer(), false, nil)
      command.create(size)
      return reply(1, Result.success)
    case .data:
      guard isInitValid else { return reply(1, Result.notPermitted) }
      if life.isStateInvalid() { return reply(1, Result.notPermitted) }
      guard (1...spec.objectSize).contains(size) else { return reply(1, Result.insufficientResources) }
      if let initPacket, spec.checksInit, firmware.executed.count + size > initPacket.size {
        return reply(1, Result.invalidParameter)
      }
      selected = .data
      firmware.create(size)
      life.eraseApplication()
      let erasing: [UpdateEffect] = spec.flashTime > .zero ? [.loseWrites(for: spec.flashTime)] : []
      return reply(1, Result.success) + erasing
    }
  }

  // MARK: Objects

  private mutating func takePacket(_ bytes: [UInt8]) -> [UpdateEffect] {
    guard isInBootloader || !spec.jumps, current.bytes.count + bytes.count <= current.end else { return [] }
    var effects: [UpdateEffect] = []
    if selected == .command {
      command.append(bytes)
    } else {
      let offset = firmware.bytes.count
      switch life.faults.take(offset..<offset + bytes.count, &effects) {
      case .hungUp: return effects
      case .lost: break
      case .stored: firmware.append(bytes)
      }
    }
    if receipts.count() { effects += reply(3, Result.success, checksum()) }
    return effects
  }

  private mutating func execute() -> [UpdateEffect] {
    guard current.end > 0, current.bytes.count == current.end else { return reply(4, Result.notPermitted) }
    if selected == .command { return executeInit() }
    firmware.execute()
    guard let expected = initPacket?.size ?? unknownSize, firmware.bytes.count >= expected else {
      return reply(4, Result.success)
    }
    let stored = life.faults.stored(firmware.bytes, at: 0)
    if let digest = initPacket?.digest, spec.checksInit, (try? SHA256.digest(of: stored)) != digest {
      firmware = Transfer()
      return reply(4, Result.extended, [Result.verificationFailed])
    }
    install(stored)
    return reply(4, Result.success) + life.farewell
  }

  /// Without a readable init packet, firmware ends with an object that is smaller than the others.
  private var unknownSize: Int? {
    initPacket == nil && firmware.end % spec.objectSize != 0 ? firmware.end : nil
  }

  private mutating func executeInit() -> [UpdateEffect] {
    command.execute()
    if isInitValid { return reply(4, Result.success) }
    if let code = spec.faults.refusesInit { return reply(4, Result.extended, [UInt8(clamping: code)]) }
    initPacket = SecureInit(command.bytes)
    guard initPacket != nil || !spec.checksInit else { return reply(4, Result.extended, [4]) }
    if let initPacket, initPacket.hasBootloader, let ownVersion, let version = initPacket.version,
      version <= ownVersion
    {
      self.initPacket = nil
      return reply(4, Result.extended, [Result.oldVersion])
    }
    isInitValid = true
    return reply(4, Result.success)
  }

  private mutating func install(_ stored: [UInt8]) {
    let (kind, number) = (initPacket?.kind ?? .application, initPacket?.version)
    if initPacket?.hasBootloader ?? false { ownVersion = number }
    life.install(
      kind, version: number.map { kind == .application ? NordicVersion.text($0) : "\($0)" }, stored)
    (command, firmware, isInitValid, initPacket) = (Transfer(), Transfer(), false, nil)
    selected = .command
    bootloaderName = nil
  }
}
