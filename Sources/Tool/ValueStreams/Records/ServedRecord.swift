// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// An event of a peripheral that this machine offers.
package struct ServedRecord: Record, Sendable {
  package enum Event: String, CaseIterable, Sendable {
    /// The peripheral is on the air.
    case advertising
    /// A central connected or disconnected.
    case connected, disconnected
    /// A central subscribed, or the last subscription ended.
    case subscribed, unsubscribed
    /// A central read or wrote an attribute.
    case read, written
    case refused
  }

  /// An attribute of the peripheral.
  package struct Attribute: Sendable, Hashable {
    package let service: BluetoothUUID
    package let characteristic: BluetoothUUID
    package let descriptor: BluetoothUUID?
    /// The handle of the declaration, as `services` prints it to a central; nil until BlueZ sets it.
    package let handle: UInt16?
    /// True if the peripheral has another characteristic with the same UUID.
    package let hasTwin: Bool
    /// The peripheral, which may have characteristics with a meaning of their own.
    package let device: ProfileSubject

    package init(
      service: BluetoothUUID, characteristic: BluetoothUUID, descriptor: BluetoothUUID? = nil,
      handle: UInt16?, hasTwin: Bool = false, device: ProfileSubject = ProfileSubject()
    ) {
      self.service = service
      self.characteristic = characteristic
      self.descriptor = descriptor
      self.handle = handle
      self.hasTwin = hasTwin
      self.device = device
    }

    /// The UUID of the descriptor, or else of the characteristic.
    package var uuid: BluetoothUUID { descriptor ?? characteristic }

    /// The meaning of its values, if known.
    var meaning: ValueMeaning? {
      ValueMeaning(
        of: AttributeIdentity(found: uuid, in: service, of: device, isDescriptor: descriptor != nil))
    }
  }

  package let event: Event
  package let time: Timestamp
  /// The adapter that offers the peripheral.
  package var adapter: String?
  /// The central; for `advertising`, the adapter.
  package var address: BluetoothAddress?
  /// The name of the central, or of the peripheral.
  package var name: String?
  package var attribute: Attribute?
  package var offset = 0
  package var value: [UInt8]?
  package var error: ATTError?

  package init(_ event: Event, time: Timestamp) {
    self.event = event
    self.time = time
  }

  /// The decoded value, if its meaning is known.
  package var decoded: DecodedFields? { value.flatMap { attribute?.meaning?.decode($0) } }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("adapter", adapter)
    json.field("address", address)
    json.field("name", name)
    json.field("service", attribute?.service)
    json.field("characteristic", attribute?.characteristic)
    json.field("handle", attribute?.handle.map { Int($0) })
    json.field("descriptor", attribute?.descriptor)
    if offset != 0 { json.field("offset", offset) }
    json.fields(value: value, decoded: decoded)
    json.field("error", error?.name)
    json.field("att_error", error.map { Int($0.code) })
  }

  /// The way in which the value of a log was transferred.
  package var transport: String? {
    switch event {
    case .read: "read"
    case .written: "write"
    case .advertising, .connected, .disconnected, .subscribed, .unsubscribed, .refused: nil
    }
  }
}

extension ServedRecord: HookRecord {
  package var hookEvent: String { event.rawValue }
  package var hookAddress: BluetoothAddress? { address }
  package var hookVariables: [String: String] {
    var variables = ["BLECTL_NAME": name ?? ""]
    variables["BLECTL_ADAPTER"] = adapter
    variables["BLECTL_SERVICE"] = attribute?.service.longForm
    variables["BLECTL_CHARACTERISTIC"] = attribute?.characteristic.longForm
    variables["BLECTL_DESCRIPTOR"] = attribute?.descriptor?.longForm
    variables["BLECTL_VALUE"] = value.map { Hex.string($0) }
    return variables
  }
}
