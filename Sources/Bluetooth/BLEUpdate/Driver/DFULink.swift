// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The control point of Nordic's DFU over one link, and the characteristic for packets.
///
/// Runs on the thread of the manager's loop.
final class DFULink {
  let peripheral: Peripheral
  private let control: GATTCharacteristic
  private let packet: GATTCharacteristic?
  private var values: Notifications.Iterator
  private var waiting: [[UInt8]] = []

  private static let smallestMTU = 23

  private init(
    _ peripheral: Peripheral, _ control: GATTCharacteristic, _ packet: GATTCharacteristic?,
    _ values: Notifications
  ) {
    (self.peripheral, self.control, self.packet) = (peripheral, control, packet)
    self.values = values.makeAsyncIterator()
  }

  /// Subscribes to the control point.
  static func open(
    over peripheral: Peripheral, control: GATTCharacteristic, packet: GATTCharacteristic? = nil,
    within limit: Duration
  ) async throws -> DFULink {
    let values = try await peripheral.soleNotifications(for: control, timeout: limit)
    return DFULink(peripheral, control, packet, values)
  }

  /// The largest packet that the link carries, in bytes.
  var room: Int { (packet?.mtu ?? Self.smallestMTU) - 3 }

  private var loop: EventLoop { peripheral.central.loop }

  /// Writes to the control point, and waits until the device has taken it.
  func write(_ bytes: [UInt8]) async throws {
    try await peripheral.writeValue(bytes, for: control, type: control.surestWriteType)
  }

  /// Sends a packet.
  func send(_ bytes: [UInt8]) async throws {
    guard let packet else { return }
    try await peripheral.writeValue(bytes, for: packet, type: .withoutResponse)
  }

  /// Returns the next notification; nil if none comes in time.
  func receive(within limit: Duration) async throws -> [UInt8]? {
    let deadline = LoopClock.now + limit
    while waiting.isEmpty {
      guard let batch = try await values.nextBatch(until: deadline) else {
        throw BLEError(.cancelled, during: .receiveNotifications, "cancelled")
      }
      waiting += batch.elements.map(\.value)
      if batch.elements.isEmpty, deadline <= LoopClock.now { return nil }
    }
    return waiting.removeFirst()
  }

  // MARK: Transfers

  /// Sends a firmware by Secure DFU; `progress` gets the number of bytes that the bootloader has, and had before.
  func run(
    _ transfer: inout SecureTransfer, initPacket: [UInt8], firmware: [UInt8],
    progress: (_ done: Int, _ start: Int) -> Void
  ) async throws {
    while true {
      switch transfer.next() {
      case .control(let bytes): try await write(bytes)
      case .packet(let range, .initPacket): try await send(Array(initPacket[range]))
      case .packet(let range, .firmware): try await send(Array(firmware[range]))
      case .receive(let limit):
        if let value = try await receive(within: limit) {
          transfer.received(value)
        } else {
          transfer.timedOut()
        }
        if let start = transfer.start { progress(transfer.confirmed, start) }
      case .pause(let time): try await loop.sleep(for: time)
      case .finished: return
      case .failed(let failure): throw failure
      }
    }
  }

  /// Sends a firmware by Legacy DFU; `progress` gets the number of bytes that the bootloader has.
  func run(_ transfer: inout LegacyTransfer, progress: (Int) -> Void) async throws {
    while true {
      switch transfer.next() {
      case .control(let bytes): try await write(bytes)
      case .packet(let bytes): try await send(bytes)
      case .receive(let limit):
        if let value = try await receive(within: limit) {
          transfer.received(value)
        } else {
          transfer.timedOut()
        }
        progress(transfer.confirmed)
      case .pause(let time): try await loop.sleep(for: time)
      case .finished: return
      case .failed(let failure): throw failure
      }
    }
  }
}
