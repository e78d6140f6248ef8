// SPDX-License-Identifier: MIT
package import BLECentral
package import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// The output of a command about a pairing that succeeded or failed.
package struct PairingReport {
  package let context: CommandContext
  package let dialogue: PairingDialogue

  package init(context: CommandContext, dialogue: PairingDialogue) {
    self.context = context
    self.dialogue = dialogue
  }

  /// Reports success: a record, or a sentence about protection; `method` is nil if another program paired.
  package func paired(_ info: PeripheralInfo, _ method: PairingMethod?) {
    if dialogue.channel == .records {
      dialogue.send(
        PairingRecord(
          event: .paired, address: info.address, name: info.name, method: method, isBonded: info.isBonded))
    } else {
      context.remark("paired", of: info)
      context.remark(meaning(of: method))
    }
    if !info.isBonded {
      context.console.warn("the keys are not kept: the next connection has to pair again")
    }
  }

  private func meaning(of method: PairingMethod?) -> String {
    switch method {
    case nil: "another program has begun and answered this pairing"
    case .justWorks: "Just Works: links are encrypted, but a device in between would go unnoticed"
    case .passkey: "passkey: links are encrypted, and no device is in between"
    case .numericComparison where dialogue.options.yes:
      "numeric comparison with --yes: links are encrypted, but a device in between would go unnoticed"
    case .numericComparison: "numeric comparison: links are encrypted, and no device is in between"
    case .pin: "PIN: links are encrypted, but a short PIN can be guessed"
    }
  }

  /// The error for the user; if the question had no answer, with the option that would have answered it.
  package func explained(_ error: BLEError, device: String) -> CommandError {
    var explained = CommandError(error, device: device)
    if let refusal = dialogue.refusal, [.pairingRejected, .notPaired].contains(error.code) {
      explained.message = "cannot \(error.action): \(refusal.reason)"
      explained.hint = "blectl pair \(device) \(refusal.option), or run it on a terminal"
    } else if error.code == .authenticationFailed, dialogue.capability == .noInputNoOutput {
      explained.hint = "blectl pair \(device) --passkey N, or run it on a terminal"
    }
    return explained
  }
}
