// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The service of SMP over one link: sends packets, and puts those together that the device sends.
///
/// Runs on the thread of the manager's loop.
final class SMPLink {
  /// A message of the device.
  struct Received {
    let message: SMPMessage
    /// The reason for which its payload cannot be read; nil if it can.
    let fault: String?
  }

  let peripheral: Peripheral
  private let characteristic: GATTCharacteristic
  private var values: Notifications.Iterator
  private var reassembly = SMPReassembly()
  private var messages: [Received] = []
  /// The fault of bytes that the device sent instead of a packet; nil if it sent packets only.
  private(set) var garbage: String?
  /// The number of bytes of a packet that is not whole.
  var unfinishedCount: Int { reassembly.count }
  /// The largest value of one write, in bytes.
  let fragmentSize: Int

  /// The MTU of a link whose MTU BlueZ does not tell.
  private static let smallestMTU = 23

  private init(
    _ peripheral: Peripheral, _ characteristic: GATTCharacteristic, _ values: Notifications, longest: Int
  ) {
    (self.peripheral, self.characteristic) = (peripheral, characteristic)
    self.values = values.makeAsyncIterator()
    fragmentSize = min((characteristic.mtu ?? Self.smallestMTU) - 3, longest)
  }

  /// Subscribes to the device, before anything is written: a device refuses a subscription that requires pairing, but drops a
  /// write without response silently.
  ///
  /// - Throws: ``UpdateError`` with code `notSupported` if the device has no such service; `BLEError`.
  static func open(over peripheral: Peripheral, timeout: Duration?) async throws -> SMPLink {
    guard let characteristic = try await peripheral.characteristics(FirmwareUUID.smp).first else {
      throw UpdateError(
        .notSupported, "the device \(peripheral.address) has no service of SMP (MCUmgr)",
        hint: await peripheral.hadServices
          ? "if the firmware of the device was changed, unpair it: BlueZ uses the services that it had before"
          : nil)
    }
    let values = try await peripheral.soleNotifications(for: characteristic, timeout: timeout)
    return SMPLink(peripheral, characteristic, values, longest: try await peripheral.info.longestWrite)
  }

  /// Sends a packet, in as many writes as it takes.
  func send(_ message: SMPMessage) async throws {
    let packet = message.encoded
    let type: WriteType =
      characteristic.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
    var start = 0
    while start < packet.count {
      let end = min(packet.count, start + fragmentSize)
      try await peripheral.writeValue(Array(packet[start..<end]), for: characteristic, type: type)
      start = end
    }
  }

  /// Returns the next message; nil if none is complete before the deadline.
  func receive(until deadline: ContinuousClock.Instant?) async throws -> Received? {
    while messages.isEmpty {
      guard let batch = try await values.nextBatch(until: deadline) else {
        throw BLEError(.cancelled, during: .receiveNotifications, "cancelled")
      }
      if batch.elements.isEmpty, let deadline, deadline <= LoopClock.now { return nil }
      for value in batch.elements { take(value.value) }
    }
    return messages.removeFirst()
  }

  private func take(_ bytes: [UInt8]) {
    do throws(CBORError) {
      for packet in try reassembly.append(bytes) {
        var fault: CBORError?
        let message = try SMPMessage(decoding: packet, fault: &fault)
        messages.append(Received(message: message, fault: fault.map { "\($0)" }))
      }
    } catch {
      garbage = "\(error)"
    }
  }

  /// Forgets what the device has sent so far, also a part of a packet.
  func forgetReceived() {
    messages = []
    reassembly.reset()
  }
}

extension Peripheral {
  /// Subscribes to values, each of which counts once.
  ///
  /// - Throws: ``UpdateError`` if another program is subscribed too, since BlueZ then passes on each value more than once.
  func soleNotifications(
    for characteristic: GATTCharacteristic, timeout: Duration?
  ) async throws -> Notifications {
    let values = try await notifications(for: characteristic, timeout: timeout)
    guard await hadOtherSubscribers(of: characteristic) else { return values }
    throw UpdateError(
      .ble,
      "another program is subscribed to \(characteristic.uuid), so BlueZ passes on each value twice",
      hint: "end the other program")
  }
}
