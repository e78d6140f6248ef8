// SPDX-License-Identifier: MIT
package import BLEFormats
package import BLEWorld

/// Something that a device does because of what it has received.
package enum UpdateEffect: Sendable, Equatable {
  /// Does not answer the write.
  case unanswered
  /// Notifies bytes, in as many notifications as the link requires.
  case send([UInt8], from: BluetoothUUID)
  /// Does everything that follows later.
  case pause(Duration)
  /// Loses what is written without a response from now on.
  case loseWrites(for: Duration)
  /// Closes the link.
  case hangUp
  /// Restarts, and so loses the link.
  case restart
}

/// A protocol that takes firmware, as a pure state machine: bytes in, effects out.
package protocol UpdateServer: Sendable {
  /// The version of the firmware that runs, or ran before the boot loader.
  var version: String { get }
  var isInBootloader: Bool { get }
  /// The name that the boot loader advertises, if a central has set it.
  var bootloaderName: String? { get }
  /// True if other firmware than the first one runs.
  var isChanged: Bool { get }
  var state: FirmwareState { get }
  /// Takes a write; `waiting` is the number of answers that wait for their time.
  mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect]
  mutating func linkEnded()
  /// Restarts, and returns the time that this takes; nil if the device never comes back.
  mutating func restart() -> Duration?
}

extension UpdateServer {
  package mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID) -> [UpdateEffect] {
    receive(bytes, at: uuid, waiting: 0)
  }
}

/// The faults of a transfer that are still to come.
struct PendingFaults: Sendable {
  /// The fate of bytes on their way.
  enum Outcome {
    case stored
    case lost
    case hungUp
  }

  private var faults: TransferFaults

  init(_ faults: TransferFaults) { self.faults = faults }

  /// Decides about bytes that arrive at an offset of the firmware; adds the effects that come first.
  mutating func take(_ range: Range<Int>, _ effects: inout [UpdateEffect]) -> Outcome {
    if let index = faults.hangsUpAt.firstIndex(where: range.contains) {
      faults.hangsUpAt.remove(at: index)
      effects.append(.hangUp)
      return .hungUp
    }
    if let index = faults.losesAt.firstIndex(where: range.contains) {
      faults.losesAt.remove(at: index)
      return .lost
    }
    if let byte = faults.silentAt, range.contains(byte) {
      faults.silentAt = nil
      effects.append(.pause(faults.silence))
    }
    return .stored
  }

  /// Returns the bytes as the flash stores them.
  func stored(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    guard let byte = faults.corruptsAt, (offset..<offset + bytes.count).contains(byte) else { return bytes }
    var stored = bytes
    stored[byte - offset] ^= 0xff
    return stored
  }
}

/// Reads integers in the order of Nordic's protocols: the least significant byte first.
enum LittleEndian {
  static func number(_ bytes: some Collection<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  static func bytes(_ number: some FixedWidthInteger, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
