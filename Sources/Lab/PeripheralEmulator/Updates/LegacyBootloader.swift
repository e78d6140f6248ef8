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

  /// The restart after a request, which is answered before.
  private static let farewell: [UpdateEffect] = [.pause(.milliseconds(20)), .restart]
  /// The largest firmware that it takes.
  private static let capacity = 1 << 20

  let spec: DFUSpec
  package private(set) var version: String
  package private(set) var isInBootloader: Bool
  package var bootloaderName: String? { nil }
  package private(set) var isChanged = false
  private var hasApplication: Bool
  private var entersBootloader = false
  private var phase = Phase.idle
  private var kind: UInt8 = 4
  private var size = 0
  private var initBytes: [UInt8] = []
  private var firmware: [UInt8] = []
  private var interval = 0
  private var packets = 0
  private var faults: PendingFaults
  private var invalidStates: Int
  private var isStuck = false
  private var installed: [FirmwareState.Slot] = []

  package init(_ spec: DFUSpec) {
    self.spec = spec
    version = spec.version
    isInBootloader = spec.startsInBootloader
    hasApplication = !spec.startsInBootloader
    faults = PendingFaults(spec.faults.transfer)
    invalidStates = spec.faults.invalidStates
  }

  package var state: FirmwareState {
    var slots = installed
    if !firmware.isEmpty {
      slots.append(FirmwareState.Slot("received", flags: ["incomplete"], bytes: firmware))
    }
    return FirmwareState("legacy-dfu", version: version, isInBootloader: isInBootloader, slots: slots)
  }

  /// A transfer does not survive its link.
  package mutating func linkEnded() {
    if phase != .idle { forget() }
  }

  package mutating func restart() -> Duration? {
    isInBootloader = spec.jumps && (entersBootloader || !hasApplication)
    entersBootloader = false
    isStuck = false
    forget()
    return spec.restartTime
  }

  private mutating func forget() {
    (phase, size, initBytes, firmware) = (.idle, 0, [], [])
    (interval, packets) = (0, 0)
  }

  // MARK: Requests

  package mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect] {
    if uuid == FirmwareUUID.legacyPacket { return takePacket(bytes) }
    guard let request = bytes.first else { return [] }
    if spec.jumps, !isInBootloader {
      // Anything else makes no sense here.
      guard bytes == [1, 4] else { return reply(request, Status.notSupported) }
      entersBootloader = true
      var effects = Self.farewell
      if spec.faults.leavesJumpUnanswered { effects.insert(.unanswered, at: 0) }
      return effects
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
      (phase, packets) = (.firmware, 0)
      return []
    case 4: return validate()
    case 5:
      if phase == .validated { install() } else { hasApplication = false }
      return Self.farewell
    case 6:
      (entersBootloader, isStuck) = (isInBootloader, false)
      return spec.jumps ? Self.farewell : [.hangUp]
    case 7:
      return reply(request, Status.success, LittleEndian.bytes(firmware.count, 4))
    case 8:
      guard content.count == 2 else { return reply(request, Status.failed) }
      interval = LittleEndian.number(content)
      return []
    default: return reply(request, Status.notSupported)
    }
  }

  private mutating func begin(_ content: [UInt8]) -> [UpdateEffect] {
    if invalidStates > 0 {
      invalidStates -= 1
      isStuck = true
    }
    guard phase == .idle, !isStuck else {
      phase = isStuck ? .sizes(areThree: !content.isEmpty) : phase
      return isStuck ? [] : reply(1, Status.invalidState)
    }
    guard !content.isEmpty else {
      (kind, phase) = (4, .sizes(areThree: false))
      return []
    }
    if spec.faults.refusesKinds { return reply(1, Status.notSupported) }
    guard (1...4).contains(content[0]) else { return reply(1, Status.notSupported) }
    (kind, phase) = (content[0], .sizes(areThree: true))
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
    if spec.jumps { hasApplication = false }
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
    switch faults.take(offset..<offset + bytes.count, &effects) {
    case .hungUp: return effects
    case .lost: break
    case .stored: firmware += bytes
    }
    packets += 1
    if firmware.count == size {
      phase = .received
      return effects + reply(3, Status.success)
    }
    guard interval > 0, packets % interval == 0 else { return effects }
    let receipt = [0x11] + LittleEndian.bytes(firmware.count, 4)
    effects.append(.send(receipt, from: FirmwareUUID.legacyControl))
    return effects
  }

  private mutating func validate() -> [UpdateEffect] {
    guard phase == .received else { return reply(4, Status.invalidState) }
    let stored = faults.stored(firmware, at: 0)
    if spec.checksInit, initBytes.count >= 2,
      LittleEndian.number(initBytes.suffix(2)) != Int(LegacyChecksum.of(stored))
    {
      return reply(4, Status.wrongChecksum)
    }
    phase = .validated
    return reply(4, Status.success)
  }

  private mutating func install() {
    let stored = faults.stored(firmware, at: 0)
    let names: [UInt8: String] = [1: "softdevice", 2: "bootloader", 3: "softdevice_bootloader"]
    let name = names[kind] ?? "application"
    installed.removeAll { $0.name == name }
    if name == "application" {
      isChanged = true
      let number = isInitRight ? UInt32(LittleEndian.number(initBytes[4..<8])) : .max
      version = spec.newVersion ?? (number == .max ? version : NordicVersion.text(number))
    }
    // A new boot loader leaves the application; a new SoftDevice needs another one.
    hasApplication = kind == 2 || kind == 4
    installed.append(
      FirmwareState.Slot(name, version: name == "application" ? version : nil, bytes: stored))
  }
}
