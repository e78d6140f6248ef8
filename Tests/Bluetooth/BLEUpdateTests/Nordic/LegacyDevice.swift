// SPDX-License-Identifier: MIT
import BLEFormats

@testable import BLEUpdate

/// A bootloader of Legacy DFU in memory.
struct LegacyDevice {
  enum Phase {
    case idle
    case sizes
    case started
    case initPacket
    case ready
    case firmware
    case received
    case validated
    case activated
  }

  var phase = Phase.idle
  var knowsKinds = true
  var wantsInit = true
  var sizes: [UInt8] = []
  var initPacket: [UInt8] = []
  var firmware: [UInt8] = []
  var size = 0
  var interval = 0
  var packets = 0
  /// The status of the answers to requests, where it is not 1.
  var statuses: [UInt8: UInt8] = [:]
  var ignores: Set<UInt8> = []
  /// The numbers of packets of firmware that get lost, from 1 on.
  var loses: Set<Int> = []
  private(set) var requests: [[UInt8]] = []

  mutating func control(_ bytes: [UInt8]) -> [[UInt8]] {
    requests.append(bytes)
    switch bytes[0] {
    case 1:
      if !knowsKinds, bytes.count > 1 { return [[0x10, 1, 3]] }
      phase = .sizes
      return []
    case 2 where bytes[1] == 0:
      phase = .initPacket
      return []
    case 2:
      phase = .ready
      return answer(2)
    case 8:
      interval = Int(bytes[1]) | Int(bytes[2]) << 8
      return []
    case 3:
      phase = .firmware
      return []
    case 4:
      if firmware.count < size { return [[0x10, 4, 2]] }
      phase = .validated
      return answer(4)
    case 5:
      phase = .activated
      return []
    default: return []
    }
  }

  private func answer(_ request: UInt8) -> [[UInt8]] {
    ignores.contains(request) ? [] : [[0x10, request, statuses[request] ?? 1]]
  }

  mutating func packet(_ bytes: [UInt8]) -> [[UInt8]] {
    switch phase {
    case .sizes:
      sizes = bytes
      size = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      if bytes.count == 12 { size = (0..<3).reduce(0) { $0 + number(bytes[(4 * $1)..<(4 * $1 + 4)]) } }
      phase = wantsInit ? .started : .ready
      return answer(1)
    case .initPacket:
      initPacket += bytes
      return []
    case .firmware:
      packets += 1
      if !loses.contains(packets) { firmware += bytes }
      if firmware.count == size {
        phase = .received
        return answer(3)
      }
      return interval > 0 && packets % interval == 0
        ? [[0x11] + UInt32(firmware.count).littleEndianBytes] : []
    default: return []
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}

/// A transfer to a device in memory, step by step.
struct LegacyRun {
  static let initPacket: [UInt8] = (0..<32).map { UInt8($0) }

  var transfer: LegacyTransfer
  var device = LegacyDevice()
  let firmware: [UInt8]
  private(set) var timeouts = 0
  private(set) var mostUnreported = 0
  private var waiting: [[UInt8]] = []

  init(
    _ size: Int, kind: UInt8 = 4, softDevice: Int = 0, bootloader: Int = 0,
    change: (inout LegacyTransfer.Rules) -> Void = { _ in }
  ) {
    firmware = UploadRun.image(size)
    var rules = LegacyTransfer.Rules(packetSize: 20, receipts: 5, window: 10)
    change(&rules)
    transfer = LegacyTransfer(
      LegacyTransfer.Content(
        kind: kind, firmware: firmware, initPacket: Self.initPacket, softDeviceSize: softDevice,
        bootloaderSize: bootloader), rules)
  }

  mutating func finish() -> LegacyTransfer.Step? {
    for _ in 0..<100_000 {
      switch transfer.next() {
      case .control(let bytes): waiting += device.control(bytes)
      case .packet(let bytes):
        waiting += device.packet(bytes)
        mostUnreported = max(mostUnreported, transfer.sent - transfer.confirmed)
      case .receive:
        if waiting.isEmpty {
          timeouts += 1
          transfer.timedOut()
        } else {
          transfer.received(waiting.removeFirst())
        }
      case .pause: break
      case .finished: return .finished
      case .failed(let failure): return .failed(failure)
      }
    }
    return nil
  }
}
