// SPDX-License-Identifier: MIT

extension ControlCommand.Action {
  /// Why it cannot be played by a real adapter; nil if it can.
  package var playProblem: String? {
    switch self {
    case .characteristic(_, .repeatProperties): "only a simulated BlueZ signals properties again"
    case .characteristic(_, .answer(let fault)):
      fault.operation == .subscribe ? "BlueZ answers subscriptions by itself" : nil
    case .characteristic: nil
    case .peripheral(_, let action): action.playProblem
    case .adapter, .daemon, .otherClient: "only a simulated BlueZ can do that"
    }
  }
}

extension PeripheralAction {
  /// Why it cannot be played by a real adapter; nil if it can.
  package var playProblem: String? {
    switch self {
    case .loseAdverts, .heal: nil
    case .dropLink, .vanish, .dropAfterOperations, .dropAfterTime:
      "BlueZ leaves it to the central to close the link"
    case .appear: "it is in range already"
    case .refuseConnect, .hangConnect: "BlueZ accepts every connection"
    case .setRSSI, .slowLink, .loseNames: "that is up to the radio"
    case .delayServices, .orderServices, .repeatProperties: "only a simulated BlueZ can do that"
    case .forgetBonds, .typePasskey, .askForSecurity: "pairing is up to BlueZ and its agents"
    }
  }
}

extension WorldEvent {
  /// Whether a real adapter can play it for a peripheral.
  func isPlayable(on address: String) -> Bool { isAbout(address) && command.action.playProblem == nil }

  /// Whether it happens to a peripheral.
  func isAbout(_ address: String) -> Bool {
    switch command.action {
    case .characteristic(let reference, _): reference.device == address
    case .peripheral(let device, _): device == address
    case .adapter, .daemon, .otherClient: false
    }
  }
}
