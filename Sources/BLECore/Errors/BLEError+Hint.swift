// SPDX-License-Identifier: MIT

extension BLEError {
  /// A hint that may help; nil without one.
  public var hint: String? {
    switch advice {
    case .pair: return "if the device requires pairing, pair with it first"
    case .pairAgain:
      return "if the device requires a passkey, unpair it, and pair again with an agent that can type"
    case .unpair: return "start the Bluetooth service, unpair the device, and pair again"
    case .forgetIfAgain:
      return
        "start the Bluetooth service; if it ends again, unpair the device: what BlueZ has cached of it is deleted"
    case .forget:
      return "start the Bluetooth service, and unpair the device: what BlueZ has cached of it is deleted"
    case nil: break
    }
    return switch code {
    case .busUnavailable: "check that the bus runs and that its address is right"
    case .serviceUnavailable: "start the Bluetooth service: bluetoothd"
    case .noAdapter: "plug in a Bluetooth adapter, or name one that exists"
    case .poweredOff: "power the adapter on"
    case .blocked: "unblock the radio with rfkill"
    case .accessDenied: "ask for access to org.bluez on the bus"
    case .notPaired: "pair with the device first"
    case .authenticationFailed: "try again with the passkey that the device shows, or is labelled with"
    case .pairingRejected: "accept the question of the pairing"
    case .pairingCancelled: "stay close to the device, and try again"
    case .pairingTimedOut: "put the device into its pairing mode, and answer within 25 s"
    case .alreadyPaired: "to pair again, unpair it first"
    case .pairingInProgress: "wait for the other program, or end it"
    case .pairingTooWeak: "unpair it, and pair again with an agent that can show or type a passkey"
    case .deviceBlocked: "unblock the device"
    case .bondLostByPeer: "unpair it, and pair again"
    case .bondLost: "pair again; if the device refuses, let it forget this machine, and unpair it here"
    case .busy: "another program uses it: end it, or try again"
    case .attributeError where attError == .databaseOutOfSync: "its services have changed: try again"
    default: nil
    }
  }
}

/// What might help.
package enum Advice: Sendable, Hashable {
  /// BlueZ never answers a request that requires pairing while no program has registered an agent.
  case pair
  /// With a passkey: the keys that exist may not be enough.
  case pairAgain
  /// The service has ended while a link was encrypted: the device may have lost its keys.
  case unpair
  /// The service has ended while it looked for services: those that it has cached may be elsewhere now.
  case forgetIfAgain
  /// It has done so before.
  case forget
}
