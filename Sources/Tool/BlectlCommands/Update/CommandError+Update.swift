// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEUpdate
internal import BlectlArguments

extension CommandError {
  /// The error for the user; `action` says what failed, such as `update Sensor`.
  init(_ error: UpdateError, _ action: String, device: String) {
    if let error = error.pairingError,
      let explained = ErrorReport.understood(error, device: device, on: nil)
    {
      self = explained
      return
    }
    if let cause = error.cause, error.message == cause.description {
      self.init(cause, device: device)
      return
    }
    self.init(
      status: ExitStatus(error), message: "cannot \(action): \(error.message)", hint: error.hint)
    if let cause = error.cause { causes = CommandError(cause, device: device).causes }
    if let number = error.deviceCode { causes.append("code \(number) of the device") }
    let target = ShellWord.quoted(device)
    switch error.code {
    case .needsPairing: hint = "blectl pair \(target), or add --pair; --passkey N if it shows one"
    case .ambiguous: hint = hint ?? "--protocol \(UpdateMethod.allCases.map(\.rawValue).alternatives)"
    case .blocked:
      hint =
        "blectl smp \(target) images shows what is in the way; reset, images confirm or images erase frees the slot"
    default: break
    }
    isAbsence = error.isWorthWaiting
  }
}

extension ExitStatus {
  /// The status of a command that an error of an update ends.
  init(_ error: UpdateError) {
    self =
      switch error.code {
      case .unfit, .ambiguous: .usage
      case .notFound: .notFound
      case .timedOut: .timedOut
      case .ble: error.cause.map { ExitStatus($0) } ?? .failed
      default: .failed
      }
  }
}
