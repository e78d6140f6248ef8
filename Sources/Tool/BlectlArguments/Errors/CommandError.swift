// SPDX-License-Identifier: MIT
package import BLECentral
package import TerminalOutput
internal import ValueStreams

/// An error for the user: the failure, its reason, and what might help.
package struct CommandError: Error, Sendable, Hashable {
  package var status: ExitStatus
  /// Printed after `blectl: `.
  package var message: String
  /// Further lines, such as the candidates of an ambiguous name.
  package var details: [String] = []
  /// A command to run, or a short suggestion.
  package var hint: String?
  /// Printed with `-v`.
  package var causes: [String] = []
  /// True if a device was not heard but may still appear.
  package var isAbsence = false
  /// The names that may be meant instead of one that was not heard, `; did you mean Piano?`, as in the message; may be empty.
  package var nearNames = ""
  /// True if the device lacks a characteristic, and nothing else may be meant.
  package var isLack = false
  /// True if the bus of another host cannot be reached but may come back.
  package var isAbsenceOfBus = false
  /// The host whose Bluetooth failed; nil for this machine.
  private(set) var host: String?

  package init(
    status: ExitStatus, message: String, details: [String] = [], hint: String? = nil, causes: [String] = [],
    isAbsence: Bool = false, isAbsenceOfBus: Bool = false
  ) {
    self.status = status
    self.message = message
    self.details = details
    self.hint = hint
    self.causes = causes
    self.isAbsence = isAbsence
    self.isAbsenceOfBus = isAbsenceOfBus
  }

  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(status: .usage, message: message, hint: hint)
  }

  /// The same error, of a host, unless it has one.
  fileprivate func on(_ host: String?) -> CommandError {
    var placed = self
    placed.host = self.host ?? host
    return placed
  }

  /// The same error, with the device that it is about, where there are several.
  package func naming(_ device: String) -> CommandError {
    if message.contains(device) { return self }
    var named = self
    named.message = "\(device): \(message)"
    return named
  }
}

extension CommandError {
  /// Explains an error of the library, in the words of the user.
  ///
  /// It has `device` as it was typed, and a characteristic as a profile or the user calls it; what they stand for are causes.
  package init(_ error: BLEError, device: String? = nil) {
    status = ExitStatus(error)
    message = error.description
    if let uuid = error.characteristic, let name = Vocabulary.known.ownName(ofCharacteristic: uuid) {
      message = message.replacing("\(uuid)", with: name, maxReplacements: 1)
      causes.append("\(name) is \(uuid)")
    }
    if let address = error.device, let device, device != "\(address)", !NamePattern(device).hasWildcards {
      message = message.replacing("\(address)", with: device, maxReplacements: 1)
      causes.append("\(device) is \(address)")
    }
    hint = CommandError.hint(for: error, device: device)
    if let name = error.dbusName { causes.append("D-Bus error \(name)") }
    if let attError = error.attError { causes.append("\(attError)") }
    switch error.linkEnd {
    case .unknown: causes.append("BlueZ does not know why the link ended")
    case .unreported: causes.append("why the link ended is unknown: BlueZ before 5.83 does not say")
    default: break
    }
  }

  /// A command, or a short suggestion; nil if nothing in particular helps.
  package static func hint(for error: BLEError, device: String?) -> String? {
    let target = error.device.map { "\($0)" } ?? device.map(ShellWord.quoted) ?? "DEVICE"
    let timeAdvice = timeAdvice(for: error.action)
    let start = error.code == .timedOut ? timeAdvice + "; " : ""
    return switch (error.advice, error.code) {
    case (.pair, _): "\(start)if it requires pairing: blectl pair \(target), or --pair"
    case (.pairWithPasskey, .notPaired):
      "add --pair; if it insists on the passkey that it shows or is labelled with: on a terminal, or with --passkey N"
    case (.pairWithPasskey, .disconnected):
      "add --pair on a terminal, or --pair --passkey N with the passkey that it shows or is labelled with"
    case (.pairToLearnWhy, _): "blectl pair \(target) tells why, if it refuses to pair"
    case (.pairAgain, _):
      "\(start)if it requires a passkey: blectl unpair \(target), and pair again with --passkey N or on a terminal"
    case (.unpair, _): "sudo systemctl start bluetooth, then blectl unpair \(target), and pair again"
    case (.forgetIfAgain, _):
      "sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget \(target)"
    case (.forget, _): "sudo systemctl start bluetooth, then blectl scan, and blectl forget \(target)"
    case (.forgetOldServices, _): oldServicesHint(target)
    case (.reconnectForLonger, _): "use a longer --reconnect-limit, or move closer to the device"
    case (.logIn(let command), _): command
    case (.restartService, _): "sudo systemctl restart bluetooth"
    case (.tryAgain, _): "try again: the link ends within seconds"
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
      "blectl pair \(target); if it refuses, delete this computer there, and blectl unpair \(target)"
    case (nil, .deviceBlocked): "blectl unblock \(target)"
    case (nil, .timedOut): timeAdvice
    case (nil, .notPermitted) where error.action == .advertise: "stop the other programs that advertise"
    case (nil, .busy) where error.isOfConnecting:
      "blectl disconnect \(target), if no other program connects to it; else try again later"
    case (nil, .busy): "stop the other program that uses it, or try again"
    case (nil, .attributeError) where error.attError == .databaseOutOfSync:
      "blectl services \(target), and try again: they have changed"
    // The device does not have an attribute that BlueZ lists.
    case (nil, .attributeError) where error.attError == .invalidHandle: oldServicesHint(target)
    case (nil, .connectionFailed): "blectl doctor \(target) looks for the cause"
    case (nil, .disconnected) where error.isOfConnecting: "blectl doctor \(target) looks for the cause"
    default: nil
    }
  }

  /// Returns advice for an operation that took too long.
  private static func timeAdvice(for action: BLEError.Action) -> String {
    switch action {
    // The device has confirmed the write: it is near, and may have nothing to say.
    case .receiveReply: "use a longer --timeout, if the device takes its time to reply"
    case .reachBus, .queryService, .continue, .useAdapter, .setPower, .listDevices, .scan, .scanPassively,
      .registerAgent,
      .unregisterAgent, .answerPairings, .unpair, .setTrusted, .setBlocked, .publishChannel, .publish,
      .unpublish, .advertise,
      .stopAdvertising:
      "use a longer --timeout"
    default: "use a longer --timeout, or move closer to the device"
    }
  }

  /// Returns the hint for a missing characteristic when BlueZ uses services of an earlier link.
  package static func oldServicesHint(_ device: String) -> String {
    "blectl services \(device); if its firmware was changed: blectl forget \(device)"
  }
}

/// The exit status, the same for every command.
package enum ExitStatus: Int32, CaseIterable {
  /// Also for an empty scan.
  case done = 0
  /// The operation failed, mostly because the peer refused.
  case failed = 1
  /// Bluetooth is not available: no bus, no daemon, no adapter, off, denied.
  case unavailable = 3
  /// The device or the attribute was not found, or is ambiguous.
  case notFound = 4
  case timedOut = 5
  case usage = 64

  package init(_ error: BLEError) {
    self =
      switch error.code {
      case _ where error.isOfHangingService: .unavailable
      case .busUnavailable, .serviceUnavailable, .noAdapter, .poweredOff, .blocked, .accessDenied:
        .unavailable
      case .notFound: .notFound
      case .timedOut, .pairingTimedOut: .timedOut
      default: .failed
      }
  }
}

/// Formats errors for standard error, the same way for every command.
package enum ErrorReport {
  /// The lines about an error.
  package static func lines(_ error: CommandError, verbosity: Int) -> [String] {
    var lines = ["blectl: " + TerminalSafe.sentence(error.message)]
    lines += error.details.map { "  " + TerminalSafe.sentence($0) }
    if verbosity > 0 { lines += error.causes.map { "cause: " + TerminalSafe.sentence($0) } }
    if let hint = error.hint {
      lines.append("hint: \(place(of: hint, error.host))" + TerminalSafe.sentence(hint))
    }
    return lines
  }

  /// Returns the place of a hint if that is another host: packages and ssh are those of this machine.
  private static func place(of hint: String, _ host: String?) -> String {
    let isOfBluetooth = ["sudo systemctl ", "sudo rfkill "].contains { hint.hasPrefix($0) }
    return host.map { isOfBluetooth ? "on \($0): " : "" } ?? ""
  }

  package static func print(_ error: CommandError, verbosity: Int, on console: Console) {
    for line in lines(error, verbosity: verbosity) { console.note(line) }
  }

  /// Turns an error into one for the user.
  ///
  /// - Parameters:
  ///   - error: what was thrown.
  ///   - device: the device of the command, as it was typed.
  ///   - host: the host whose Bluetooth was used; nil for this machine.
  /// - Returns: the error; nil for errors that end a command silently.
  package static func understood(_ error: any Error, device: String?, on host: String?) -> CommandError? {
    switch error {
    case let error as CommandError: return error.on(host)
    case let error as BLEError:
      return error.code == .cancelled ? nil : CommandError(error, device: device).on(host)
    case let error as ConsoleError:
      if error == .closed || error == .interrupted { return nil }
      return CommandError(status: .failed, message: "cannot write the output: \(error)")
    case is CancellationError: return nil
    default: return CommandError(status: .failed, message: "cannot continue: \(error)")
    }
  }
}

extension BLEError {
  /// The characteristic that its sentence names; nil if it names none.
  fileprivate var characteristic: BluetoothUUID? {
    switch action {
    case .find(let uuid, _), .receiveReply(let uuid): return uuid
    default:
      guard case .attribute(let attribute) = subject, attribute.kind == .characteristic else { return nil }
      return attribute.uuid
    }
  }

  fileprivate var isOfConnecting: Bool {
    switch action {
    case .connect, .reconnect: true
    default: false
    }
  }
}

extension Error {
  /// The error in a few words; nil for errors of neither the library nor the command.
  package var reason: String? { (self as? BLEError)?.message ?? (self as? CommandError)?.message }
}
