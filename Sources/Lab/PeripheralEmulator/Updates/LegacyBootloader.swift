// SPDX-License-Identifier: MIT
package import BLEFormats
package import BLEWorld

/// Nordic's Legacy DFU: the boot loader, the application that jumps to it, or one that takes firmware itself.
package struct LegacyBootloader: UpdateServer {
  private enum Status {
    static let success: UInt8 = 1
    static let invalidState: UInt8 = 2
    static let notSupported: UInt8 = 3
    static let tooLarge: UInt8 = 4
    static let wrongChecksum: UInt8 = 5
    static let failed: UInt8 = 6
  }

  private enum Phase: Sendable, Equatable {
    case idle
    /// The sizes follow on the other characteristic; true if they are three.
    case sizes(areThree: Bool)
    case started
    case initPacket
    case hasInit
    case firmware
    case received
    case validated
  }

  /// The largest firmware that it takes.
  private static let capacity = 1 << 20

  package var version: String { life.version }
  package var isInBootloader: Bool { life.isInBootloader }
  package var bootloaderName: String? { nil }
  package var isChanged: Bool { life.isChanged }
  private var life: BootloaderLife
  private var phase = Phase.idle
  private var kind = NordicFirmware.Kind.application
  private var size = 0
  private var initBytes: [UInt8] = []
  private var firmware: [UInt8] = []
  private var receipts = PacketReceipts()
  private var isStuck = false

  package init(_ spec: DFUSpec) { life = BootloaderLife(spec, farewellTime: .milliseconds(20)) }

  private var spec: DFUSpec { life.spec }

  package var state: FirmwareState { life.state("legacy-dfu", received: firmware) }

  /// A transfer does not survive its link.
  package mutating func linkEnded() {
    if phase != .idle { forget() }
  }

  package mutating func restart() -> Duration? {
    isStuck = false
    forget()
    return life.restart()
  }

  private mutating func forget() {
    (phase, size, initBytes, firmware) = (.idle, 0, [], [])
    receipts = PacketReceipts()
  }

  // MARK: Requests

  package mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect] {
    if uuid == FirmwareUUID.legacyPacket { return takePacket(bytes) }
    guard let request = bytes.first else { return [] }
    if spec.jumps, !isInBootloader {
      // Anything else makes no sense here.
      guard bytes == [1, 4] else { return reply(request, Status.notSupported) }
      return life.jump()
    }
    return answer(request, Array(bytes.dropFirst()))
  }

  private func reply(_ request: UInt8, _ status: UInt8, _ content: [UInt8] = []) -> [UpdateEffect] {
    [.send([0x10, request, status] + content, from: FirmwareUUID.legacyControl)]
  }

  private mutating func answer(_ request: UInt8, _ content: [UInt8]) -> [UpdateEffect] {
    switch request {
    case 1: return begin(content)
    case 2: return takeInit(content)
    case 3:
      guard phase == .hasInit else { return reply(request, Status.invalidState) }
      phase = .firmware
      receipts.countAnew()
      return []
    case 4: return validate()
    case 5:
      if phase == .validated { install() } else { life.eraseApplication() }
      return life.farewell
    case 6:
      life.stay()
      isStuck = false
      return spec.jumps ? life.farewell : [.hangUp]
    case 7:
      return reply(request, Status.success, LittleEndian.bytes(firmware.count, 4))
    case 8:
      guard content.count == 2 else { return reply(request, Status.failed) }
      receipts.interval = LittleEndian.number(content)
      return []
    default: return reply(request, Status.notSupported)
    }
  }

  private mutating func begin(_ content: [UInt8]) -> [UpdateEffect] {
    if life.isStateInvalid() { isStuck = true }
    guard phase == .idle, !isStuck else {
      phase = isStuck ? .sizes(areThree: !content.isEmpty) : phase
      return isStuck ? [] : reply(1, Status.invalidState)
    }
    guard !content.isEmpty else {
      (kind, phase) = (.application, .sizes(areThree: false))
      return []
    }
    guard !spec.faults.refusesKinds, let kind = NordicFirmware.Kind(rawValue: content[0]) else {
      return reply(1, Status.notSupported)
    }
    (self.kind, phase) = (kind, .sizes(areThree: true))
    return []
  }

  private mutating func takeSizes(_ bytes: [UInt8], areThree: Bool) -> [UpdateEffect] {
    phase = .idle
    if isStuck { return reply(1, Status.invalidState) }
    guard bytes.count == (areThree ? 12 : 4) else { return reply(1, Status.failed) }
    size = stride(from: 0, to: bytes.count, by: 4).reduce(0) { $0 + LittleEndian.number(bytes[$1..<$1 + 4]) }
    guard (1...Self.capacity).contains(size) else { return reply(1, Status.tooLarge) }
    phase = .started
    // The boot loader erases the application; firmware that takes an update itself has room for both.
    if spec.jumps { life.eraseApplication() }
    return [.pause(spec.flashTime)] + reply(1, Status.success)
  }

  private mutating func takeInit(_ content: [UInt8]) -> [UpdateEffect] {
    switch (content.first, phase) {
    case (0, .started), (0, .hasInit):
      (phase, initBytes) = (.initPacket, [])
      return []
    case (1, .initPacket):
      phase = .hasInit
      if let code = spec.faults.refusesInit {
        phase = .started
        return reply(2, UInt8(clamping: code))
      }
      guard isInitRight || !spec.checksInit else {
        phase = .started
        return reply(2, Status.failed)
      }
      return reply(2, Status.success)
    default: return reply(2, Status.invalidState)
    }
  }

  private var isInitRight: Bool {
    guard initBytes.count >= 12 else { return false }
    let count = LittleEndian.number(initBytes[8..<10])
    return initBytes.count == 12 + 2 * count
  }

  // MARK: Firmware

  private mutating func takePacket(_ bytes: [UInt8]) -> [UpdateEffect] {
    switch phase {
    case .sizes(let areThree): return takeSizes(bytes, areThree: areThree)
    case .initPacket:
      initBytes += bytes
      return []
    case .firmware: return takeFirmware(bytes)
    default: return []
    }
  }

  private mutating func takeFirmware(_ bytes: [UInt8]) -> [UpdateEffect] {
    guard firmware.count + bytes.count <= size else { return reply(3, Status.tooLarge) }
    var effects: [UpdateEffect] = []
    let offset = firmware.count
    switch life.faults.take(offset..<offset + bytes.count, &effects) {
    case .hungUp: return effects
    case .lost: break
    case .stored: firmware += bytes
    }
    let isReceiptDue = receipts.count()
    if firmware.count == size {
      phase = .received
      return effects + reply(3, Status.success)
    }
    guard isReceiptDue else { return effects }
    let receipt = [0x11] + LittleEndian.bytes(firmware.count, 4)
    effects.append(.send(receipt, from: FirmwareUUID.legacyControl))
    return effects
  }

  private mutating func validate() -> [UpdateEffect] {
    guard phase == .received else { return reply(4, Status.invalidState) }
    let stored = life.faults.stored(firmware, at: 0)
    if spec.checksInit, initBytes.count >= 2,
      LittleEndian.number(initBytes.suffix(2)) != Int(LegacyChecksum.of(stored))
    {
      return reply(4, Status.wrongChecksum)
    }
    phase = .validated
    return reply(4, Status.success)
  }

  private mutating func install() {
    let number = kind == .application && isInitRight ? UInt32(LittleEndian.number(initBytes[4..<8])) : .max
    let version = number == .max ? nil : NordicVersion.text(number)
    life.install(kind, version: version, life.faults.stored(firmware, at: 0))
  }
}
