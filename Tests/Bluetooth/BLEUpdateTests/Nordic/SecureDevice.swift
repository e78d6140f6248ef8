// SPDX-License-Identifier: MIT
import BLEFormats

@testable import BLEUpdate

/// A bootloader of Secure DFU in memory.
struct SecureDevice {
  struct Object {
    var bytes: [UInt8] = []
    /// The number of bytes that were executed.
    var executed = 0
    /// The end of the object that was created last.
    var end = 0
  }

  /// The size of an object in bytes.
  var largest = 1000

  var command = Object()
  var firmware = Object()
  var isCommandCurrent = true
  var isInitValid = false
  var interval = 0
  var packets = 0
  var size = 0
  var isDone = false
  /// The request that is refused, and with what.
  var refuses: [UInt8: [UInt8]] = [:]
  /// The requests that are not answered, from the first one of a kind on: each once.
  var ignores: [UInt8] = []
  /// The numbers of packets of firmware that get lost, from 1 on.
  var loses: Set<Int> = []
  var losesFrom: Range<Int>?
  /// The number of wrong checksums.
  var wrongChecksums = 0
  private(set) var firmwarePackets = 0
  private(set) var requests: [[UInt8]] = []

  private var current: Object { isCommandCurrent ? command : firmware }

  /// Takes a request, and returns the answer.
  mutating func control(_ bytes: [UInt8]) -> [[UInt8]] {
    requests.append(bytes)
    let request = bytes[0]
    if let index = ignores.firstIndex(of: request) {
      ignores.remove(at: index)
      return []
    }
    if let result = refuses[request] { return [[0x60, request] + result] }
    switch request {
    case 1:
      let size = Int(number(bytes[2..<6]))
      if bytes[1] == 1 {
        (isCommandCurrent, command, firmware, isInitValid) = (true, Object(), Object(), false)
        command.end = size
      } else {
        guard isInitValid else { return [[0x60, 1, 8]] }
        isCommandCurrent = false
        firmware.bytes.removeLast(firmware.bytes.count - firmware.executed)
        firmware.end = firmware.executed + size
      }
      return [[0x60, 1, 1]]
    case 2:
      (interval, packets) = (Int(bytes[1]) | Int(bytes[2]) << 8, 0)
      return [[0x60, 2, 1]]
    case 3: return [report()]
    case 4: return [[0x60, 4, execute()]]
    case 6:
      isCommandCurrent = bytes[1] == 1
      return [
        [0x60, 6, 1] + UInt32(largest).littleEndianBytes + UInt32(current.bytes.count).littleEndianBytes
          + CRC32.of(current.bytes).littleEndianBytes
      ]
    default: return [[0x60, request, 2]]
    }
  }

  private mutating func report() -> [UInt8] {
    var crc = CRC32.of(current.bytes)
    if !isCommandCurrent, wrongChecksums > 0 {
      wrongChecksums -= 1
      crc ^= 1
    }
    return [0x60, 3, 1] + UInt32(current.bytes.count).littleEndianBytes + crc.littleEndianBytes
  }

  private mutating func execute() -> UInt8 {
    guard current.bytes.count == current.end, current.bytes.count > current.executed || isCommandCurrent
    else {
      return 8
    }
    if isCommandCurrent {
      isInitValid = true
      command.executed = command.bytes.count
    } else {
      firmware.executed = firmware.bytes.count
      isDone = firmware.executed == size
    }
    return 1
  }

  /// Takes a packet, and returns the report that is due.
  mutating func packet(_ bytes: [UInt8]) -> [[UInt8]] {
    if isCommandCurrent {
      command.bytes += bytes
    } else {
      firmwarePackets += 1
      let isLost = loses.contains(firmwarePackets) || losesFrom?.contains(firmwarePackets) == true
      if !isLost { firmware.bytes += bytes.prefix(max(0, firmware.end - firmware.bytes.count)) }
      // A packet that was lost on its way is not counted.
      if isLost { return [] }
    }
    packets += 1
    return interval > 0 && packets % interval == 0 ? [report()] : []
  }

  mutating func linkEnded() { (interval, packets) = (0, 0) }

  private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A transfer to a device in memory, step by step.
struct SecureRun {
  static let initPacket: [UInt8] = (0..<140).map { UInt8($0) }

  var transfer: SecureTransfer
  var device: SecureDevice
  let firmware: [UInt8]
  private(set) var pauses: [Duration] = []
  private(set) var timeouts = 0
  private var waiting: [[UInt8]] = []

  init(
    _ size: Int, device: SecureDevice = SecureDevice(), packet: Int = 100,
    change: (inout SecureTransfer.Rules) -> Void = { _ in }
  ) {
    firmware = UploadRun.image(size)
    self.device = device
    self.device.size = size
    var rules = SecureTransfer.Rules(packetSize: packet, receipts: 3, window: 6)
    change(&rules)
    transfer = SecureTransfer(initPacket: Self.initPacket, firmware: firmware, rules)
  }

  /// Runs to the end, or until so many steps are done, and returns the last step; nil if there is none.
  mutating func finish(steps: Int = 100_000) -> SecureTransfer.Step? {
    for _ in 0..<steps {
      switch transfer.next() {
      case .control(let bytes): waiting += device.control(bytes)
      case .packet(let range, .initPacket): waiting += device.packet(Array(Self.initPacket[range]))
      case .packet(let range, .firmware): waiting += device.packet(Array(firmware[range]))
      case .receive:
        if waiting.isEmpty {
          timeouts += 1
          transfer.timedOut()
        } else {
          transfer.received(waiting.removeFirst())
        }
      case .pause(let time): pauses.append(time)
      case .finished: return .finished
      case .failed(let failure): return .failed(failure)
      }
    }
    return nil
  }
}
