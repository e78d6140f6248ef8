// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TerminalOutput

/// A question of a pairing, or its end.
struct PairingRecord: Record {
  enum Event: String, CaseIterable {
    case confirm
    case passkeyWanted = "passkey-wanted"
    case passkeyShown = "passkey-shown"
    case pinWanted = "pin-wanted"
    case pinShown = "pin-shown"
    case authorize
    /// A question is void.
    case cancelled
    case paired
  }

  let event: Event
  let time = Timestamp.now
  /// The number of the question that it asks or withdraws.
  var question: Int?
  let address: BluetoothAddress
  var name: String?
  var passkey: Passkey?
  var pin: String?
  var service: BluetoothUUID?
  var method: PairingMethod?
  var isBonded: Bool?

  func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", time.utc)
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

/// A bond or a flag of a device that a command has changed.
struct FlagRecord: Record {
  enum Event: String, CaseIterable {
    case unpaired
    case trusted
    case untrusted
    case blocked
    case unblocked
  }

  let event: Event
  let address: BluetoothAddress

  func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", Timestamp.now.utc)
    json.field("address", address)
  }
}
