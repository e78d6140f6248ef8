// SPDX-License-Identifier: MIT

extension BLEError {
  /// A hint for developers; nil if there is no specific one.
  public var hint: String? {
    switch (advice, code) {
    case (.pair, _): "if the device requires pairing, pair with it first"
    case (.pairWithPasskey, _):
      "pair with the device first; if it insists on its passkey, with an agent that can type it"
    case (.pairToLearnWhy, _): "pair with the device first: the error of the pairing tells why it refuses"
    case (.pairAgain, _):
      "if the device requires a passkey, unpair it, and pair again with an agent that can type"
    case (.unpair, _): "start the Bluetooth service, unpair the device, and pair again"
    case (.forgetIfAgain, _):
      "start the Bluetooth service; if it ends again, unpair the device: what BlueZ has cached of it is deleted"
    case (.forget, _):
      "start the Bluetooth service, and unpair the device: what BlueZ has cached of it is deleted"
    case (.forgetOldServices, _):
      "if the firmware of the device was changed, unpair it: BlueZ uses the services that it had before"
    case (.tryAgain, _): "try again: the link ends within seconds"
    case (.logIn(let command), _): "check the connection to the host: \(command)"
    case (.restartService, _): "restart the Bluetooth service: bluetoothd"
    case (nil, .busUnavailable): "check that the bus runs and that its address is right"
    case (nil, .serviceUnavailable): "start the Bluetooth service: bluetoothd"
    case (nil, .noAdapter): "plug in a Bluetooth adapter, or name one that exists"
    case (nil, .poweredOff): "power the adapter on"
    case (nil, .blocked): "unblock the radio with rfkill"
    case (nil, .accessDenied): "ask for access to org.bluez on the bus"
    case (nil, .notPaired): "pair with the device first"
    case (nil, .authenticationFailed): "try again with the passkey that the device shows, or is labelled with"
    case (nil, .pairingRejected): "accept the question of the pairing"
    case (nil, .pairingCancelled): "stay close to the device, and try again"
    case (nil, .pairingTimedOut): "put the device into its pairing mode, and answer within 25 s"
    case (nil, .alreadyPaired): "to pair again, unpair it first"
    case (nil, .pairingInProgress): "wait for the other program, or end it"
    case (nil, .pairingTooWeak): "unpair it, and pair again with an agent that can show or type a passkey"
    case (nil, .deviceBlocked): "unblock the device"
    case (nil, .bondLostByPeer): "unpair it, and pair again"
    case (nil, .bondLost): "pair again; if the device refuses, delete this computer there, and unpair it here"
    case (nil, .busy): "another program uses it: end it, or try again"
    case (nil, .attributeError) where attError == .databaseOutOfSync: "its services have changed: try again"
    default: nil
    }
  }
}
