// SPDX-License-Identifier: MIT
internal import JSON

/// Something that happens to a peripheral.
package typealias PeripheralAction = ScopedCommand<PeripheralScope>

package enum PeripheralScope {
  static let commands: [any Command.Type] = [
    DropLink.self, Vanish.self, Appear.self, SetRSSI.self, ChangeAddress.self, ForgetBonds.self,
    TypePasskey.self,
    AskForSecurity.self, RepeatDevice.self, RefuseConnect.self, HangConnect.self, HideConnected.self,
    DropAfterOperations.self, DropAfterTime.self, SlowLink.self, DelayServices.self, OrderServices.self,
    MoveAttributes.self,
    LoseAdverts.self, LoseNames.self, Heal.self,
  ]
}

/// The effects of commands on a peripheral.
package protocol PeripheralTarget: AnyObject {
  var faults: ActiveFaults { get set }
  func dropLink()
  /// Takes it out of range, which breaks its link, or into range.
  func setPresent(_ isPresent: Bool)
  /// Sets its average signal strength in dBm.
  func setRSSI(_ strength: Int16)
  /// Sets the resolvable private address that it sends from its next advertisement on; nil sends its own.
  func setPrivateAddress(_ address: String?)
  /// Makes the daemon signal all its properties again.
  func repeatProperties()
  func forgetBonds()
  func typePasskey(_ passkey: UInt32)
  func askForSecurity()
  /// Closes its link once that is older than a fault allows.
  func limitLinkTime()
  /// Sends the next packets at the speed that the faults allow.
  func retimeLink()
  /// Makes its advertisements arrive again.
  func advertisesAgain()
  /// Ends all its faults, and those of its characteristics.
  func heal()
}

protocol PeripheralCommand: Command {
  func apply(to target: any PeripheralTarget)
}

extension PeripheralAction {
  package func apply(to target: any PeripheralTarget) {
    (command as? any PeripheralCommand)?.apply(to: target)
  }
}

// MARK: Momentary commands

private struct DropLink: PeripheralCommand {
  static let word = "drop-link"
  static let about = "The peripheral closes its link."
  let limit: String? = linkLimit
  func apply(to target: any PeripheralTarget) { target.dropLink() }
}

private struct Vanish: PeripheralCommand {
  static let word = "vanish"
  static let about = "The peripheral goes out of range: its link breaks and its advertisements stop."
  let limit: String? = linkLimit
  var undoing: (any Command)? { Appear() }
  func apply(to target: any PeripheralTarget) { target.setPresent(false) }
}

private struct Appear: PeripheralCommand {
  static let word = "appear"
  static let about = "The peripheral comes into range."
  let limit: String? = "it is in range already"
  var undoing: (any Command)? { Vanish() }
  func apply(to target: any PeripheralTarget) { target.setPresent(true) }
}

private struct SetRSSI: PeripheralCommand {
  static let word = "set-rssi"
  static let about = "Changes the average signal strength."
  static let keys: [Field<Self>] = [
    .required("rssi", \.rssi, .integer(-127...20), "The average signal strength in dBm.")
  ]
  let limit: String? = radioLimit
  var rssi: Int16 = 0
  func apply(to target: any PeripheralTarget) { target.setRSSI(rssi) }
}

private struct ChangeAddress: PeripheralCommand {
  static let word = "change-address"
  static let about =
    "The peripheral sends another private address from its next advertisement on. Its link, if any, stays."
  static let keys: [Field<Self>] = [
    Field(
      "private_address", \.address, .privateAddress,
      "The resolvable private address. Default: its own address, without privacy.")
  ]
  let limit: String? = radioLimit
  var address: String?
  func apply(to target: any PeripheralTarget) { target.setPrivateAddress(address) }
}

private struct ForgetBonds: PeripheralCommand {
  static let word = "forget-bonds"
  static let about = "The peripheral loses its bonds; its link stays."
  let limit: String? = pairingLimit
  func apply(to target: any PeripheralTarget) { target.forgetBonds() }
}

private struct TypePasskey: PeripheralCommand {
  static let word = "type-passkey"
  static let about =
    "The user of the peripheral types a passkey: at once if it waits for one, else when it next asks."
  static let keys: [Field<Self>] = [.required("passkey", \.passkey, .passkey, "The passkey.")]
  let limit: String? = pairingLimit
  var passkey: UInt32 = 0
  func apply(to target: any PeripheralTarget) { target.typePasskey(passkey) }
}

private struct AskForSecurity: PeripheralCommand {
  static let word = "ask-security"
  static let about = "The peripheral asks for an encrypted link, so that the daemon pairs."
  let limit: String? = pairingLimit
  func apply(to target: any PeripheralTarget) { target.askForSecurity() }
}

private struct RepeatDevice: PeripheralCommand {
  static let word = "repeat-device"
  static let about =
    "The daemon signals all properties of the device again; of an unknown device, it signals RSSI."
  func apply(to target: any PeripheralTarget) { target.repeatProperties() }
}

private struct Heal: PeripheralCommand {
  static let word = "heal"
  static let about = "Ends all faults of the peripheral and its characteristics."
  let limit: String? = nil
  func apply(to target: any PeripheralTarget) { target.heal() }
}

private let linkLimit = "BlueZ leaves it to the central to close the link"
private let pairingLimit = "pairing is up to BlueZ and its agents"
let radioLimit = "that is up to the radio"

extension PeripheralAction {
  package static var dropLink: Self { Self(DropLink()) }
  package static var vanish: Self { Self(Vanish()) }
  package static var appear: Self { Self(Appear()) }
  /// Sets its average signal strength in dBm.
  package static func setRSSI(_ rssi: Int16) -> Self { Self(SetRSSI(rssi: rssi)) }
  /// Sets the resolvable private address that it sends from its next advertisement on; nil sends its own.
  package static func changeAddress(_ address: String?) -> Self { Self(ChangeAddress(address: address)) }
  package static var forgetBonds: Self { Self(ForgetBonds()) }
  /// Types a passkey, 0 to 999999, for its user: at once if it waits for one, else when it next asks.
  package static func typePasskey(_ passkey: UInt32) -> Self { Self(TypePasskey(passkey: passkey)) }
  package static var askForSecurity: Self { Self(AskForSecurity()) }
  /// Makes the daemon signal all its properties again, even of an unknown device.
  package static var repeatProperties: Self { Self(RepeatDevice()) }
  package static var heal: Self { Self(Heal()) }
}
