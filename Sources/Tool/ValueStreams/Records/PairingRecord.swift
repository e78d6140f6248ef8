// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A question of a pairing, or its end.
package struct PairingRecord: Record {
  package enum Event: String, CaseIterable {
    case confirm
    case passkeyWanted = "passkey-wanted"
    case passkeyShown = "passkey-shown"
    case pinWanted = "pin-wanted"
    case pinShown = "pin-shown"
    case authorize
    /// A question was withdrawn.
    case cancelled
    case paired
  }

  package let event: Event
  package let time = Timestamp.now
  /// The number of the question that it asks or withdraws.
  package var question: Int?
  package let address: BluetoothAddress
  package var name: String?
  package var passkey: Passkey?
  package var pin: String?
  package var service: BluetoothUUID?
  package var method: PairingMethod?
  package var isBonded: Bool?

  package init(
    event: Event, question: Int? = nil, address: BluetoothAddress, name: String? = nil,
    passkey: Passkey? = nil, pin: String? = nil, service: BluetoothUUID? = nil, method: PairingMethod? = nil,
    isBonded: Bool? = nil
  ) {
    self.event = event
    self.question = question
    self.address = address
    self.name = name
    self.passkey = passkey
    self.pin = pin
    self.service = service
    self.method = method
    self.isBonded = isBonded
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("question", question)
    json.field("address", address)
    json.field("name", name)
    json.field("passkey", passkey?.description)
    json.field("pin", pin)
    json.field("service", service)
    json.field("method", method?.rawValue)
    json.field("bonded", isBonded)
  }
}

/// A bond or a flag of a device that a command changed.
package struct FlagRecord: Record {
  package enum Event: String, CaseIterable {
    case unpaired
    case trusted
    case untrusted
    case blocked
    case unblocked
  }

  package let event: Event
  package let address: BluetoothAddress

  package init(event: Event, address: BluetoothAddress) {
    self.event = event
    self.address = address
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: Timestamp.now)
    json.field("address", address)
  }
}
