// SPDX-License-Identifier: MIT
internal import BLECentral

extension CommandError {
  /// A command, or a short suggestion; nil if nothing in particular helps.
  static func hint(for error: BLEError, device: String?) -> String? {
    let target = error.device.map { "\($0)" } ?? device ?? "DEVICE"
    let timeAdvice = "use a longer --timeout, or move closer to the device"
    let start = error.code == .timedOut ? timeAdvice + "; " : ""
    return switch (error.advice, error.code) {
    case (.pair, _): "\(start)if it requires pairing: blectl pair \(target), or --pair"
    case (.pairAgain, _): "\(start)if it requires a passkey: blectl unpair \(target), and pair again"
    case (.unpair, _): "sudo systemctl start bluetooth, then blectl unpair \(target), and pair again"
    case (.forgetIfAgain, _):
      "sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget \(target)"
    case (.forget, _): "sudo systemctl start bluetooth, then blectl scan, and blectl forget \(target)"
    case (nil, .busUnavailable): "blectl doctor; without a radio, add --simulate"
    case (nil, .serviceUnavailable): "sudo systemctl start bluetooth"
    case (nil, .noAdapter): "blectl adapter list; without a radio, add --simulate"
    case (nil, .poweredOff): "blectl adapter on"
    case (nil, .blocked): "sudo rfkill unblock bluetooth"
    case (nil, .accessDenied): "blectl doctor"
    case (nil, .notPaired): "blectl pair \(target), or add --pair"
    case (nil, .authenticationFailed):
      "blectl pair \(target), with the passkey that it shows or is labelled with"
    case (nil, .pairingRejected): "blectl pair \(target), and answer its question"
    case (nil, .pairingCancelled): "blectl pair \(target), close to the device"
    case (nil, .pairingTimedOut): "blectl pair \(target), with the device in its pairing mode"
    case (nil, .alreadyPaired): "blectl unpair \(target), to pair again"
    case (nil, .pairingInProgress): "stop the other program that pairs, or try again"
    case (nil, .pairingTooWeak): "blectl unpair \(target), then blectl pair \(target) on a terminal"
    case (nil, .bondLostByPeer): "blectl unpair \(target), then blectl pair \(target)"
    case (nil, .bondLost):
      "blectl pair \(target); if it refuses, let it forget this machine, and blectl unpair \(target)"
    case (nil, .deviceBlocked): "blectl unblock \(target)"
    case (nil, .timedOut): timeAdvice
    case (nil, .notPermitted) where error.action == .advertise: "stop the other programs that advertise"
    case (nil, .busy): "stop the other program that uses it, or try again"
    case (nil, .attributeError) where error.attError == .databaseOutOfSync:
      "blectl services \(target), and try again: they have changed"
    default: nil
    }
  }
}
