// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An event of a controller about links and commands.
package enum ControllerEvent: Sendable, Hashable {
  /// A command is done; its status comes first.
  case completed(opcode: UInt16, [UInt8])
  /// A command was begun, or refused if the status is not 0.
  case accepted(opcode: UInt16, status: UInt8)
  case opened(handle: UInt16, LinkParameters)
  case updated(handle: UInt16, status: UInt8, LinkParameters)
  case phys(handle: UInt16, status: UInt8, tx: UInt8, rx: UInt8)
  case closed(handle: UInt16)

  /// Parses a packet of a raw socket; nil for one of no interest, or a short one.
  package init?(_ packet: [UInt8]) {
    var bytes = ByteReader(packet)
    guard bytes.byte() == 0x04, let code = bytes.byte(), let count = bytes.byte(), bytes.rest.count >= count
    else { return nil }
    switch code {
    case 0x05:
      guard bytes.byte() == 0, let handle = bytes.word() else { return nil }
      self = .closed(handle: handle)
    case 0x0e:
      guard bytes.byte() != nil, let opcode = bytes.word() else { return nil }
      self = .completed(opcode: opcode, Array(bytes.rest))
    case 0x0f:
      guard let status = bytes.byte(), bytes.byte() != nil, let opcode = bytes.word() else { return nil }
      self = .accepted(opcode: opcode, status: status)
    case 0x3e:
      guard let subevent = bytes.byte(), let event = Self.lowEnergy(subevent, &bytes) else { return nil }
      self = event
    default: return nil
    }
  }

  private static func lowEnergy(_ subevent: UInt8, _ bytes: inout ByteReader) -> ControllerEvent? {
    guard let status = bytes.byte(), let handle = bytes.word() else { return nil }
    switch subevent {
    case 0x01, 0x0a:
      // The role, the address and its type; the second form has two private addresses too.
      guard status == 0, bytes.bytes(subevent == 0x01 ? 8 : 20) != nil, let parameters = bytes.parameters()
      else {
        return nil
      }
      return .opened(handle: handle, parameters)
    case 0x03:
      guard let parameters = bytes.parameters() else { return nil }
      return .updated(handle: handle, status: status, parameters)
    case 0x0c:
      guard let tx = bytes.byte(), let rx = bytes.byte() else { return nil }
      return .phys(handle: handle, status: status, tx: tx, rx: rx)
    default: return nil
    }
  }
}

extension ByteReader {
  mutating func byte() -> UInt8? { unsigned(1).map { UInt8($0) } }

  mutating func word() -> UInt16? { unsigned(2).map { UInt16($0) } }

  fileprivate mutating func parameters() -> LinkParameters? {
    guard let interval = word(), let latency = word(), let timeout = word() else { return nil }
    return LinkParameters(interval: interval, latency: latency, timeout: timeout)
  }
}
