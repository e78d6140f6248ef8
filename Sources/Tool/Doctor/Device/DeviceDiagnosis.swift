// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput

/// A cause that an attempt with a device showed, the evidence for it, and what helps.
package struct DeviceFinding: Sendable {
  package let cause: DeviceCause
  /// `fail` if it keeps the device from being used, else `warn`.
  package let status: Finding.Status
  /// The cause as the end of a sentence: `cannot use Lamp: …`.
  package let message: String
  package let evidence: [String]
  /// The command that helps, or a short instruction.
  package let fix: String?
}

/// The likely causes of what one attempt with a device showed.
package struct DeviceDiagnosis: Sendable {
  /// All causes, the weightiest first; those that do not keep the device from being used are the last.
  package let findings: [DeviceFinding]
  /// The address of the device, if it is known.
  package let address: BluetoothAddress?
  private let success: String

  /// - Parameters:
  ///   - seen: what the attempt showed.
  ///   - advice: the names that may be meant instead of one that was not heard, `; did you mean Piano?`; may be empty.
  ///   - hint: the hint of every command for an error.
  package init(_ seen: DeviceObservations, advice: String = "", hint: (BLEError) -> String?) {
    address = seen.address
    let (words, evidence) = (DeviceWords(seen, advice: advice), DeviceEvidence(seen))
    success = words.success
    findings = seen.suspicions.map { suspicion in
      DeviceFinding(
        cause: suspicion.cause, status: suspicion.status, message: words.message(suspicion),
        evidence: evidence.list(for: suspicion.cause),
        fix: words.fix(suspicion, hint))
    }
  }

  private var verdict: DeviceFinding? { findings.first { $0.status == .fail } }

  package var isHealthy: Bool { verdict == nil }
  /// The weightiest cause that keeps the device from being used; nil if it can be used.
  package var cause: DeviceCause? { verdict?.cause }
  /// The message of that cause; without one, what worked.
  package var message: String { verdict?.message ?? success }
  package var evidence: [String] { verdict?.evidence ?? [] }
  package var fix: String? { verdict?.fix }
}

/// The messages about a cause, and the remedies.
private struct DeviceWords {
  let seen: DeviceObservations
  let advice: String

  init(_ seen: DeviceObservations, advice: String) { (self.seen, self.advice) = (seen, advice) }

  private var target: String { seen.target }

  var success: String {
    let services = seen.services.map { counted($0.serviceCount, "service") } ?? "no services"
    return "it can be used: \(services), \(counted(seen.valueCount, "value")) read\(refusals)"
  }

  /// The values that the device does not give out, for a reason of its own.
  private var refusals: String {
    let refused = seen.readings.compactMap { reading -> String? in
      guard let failure = reading.failure, ![.notPaired, .pairingTooWeak].contains(failure.code) else {
        return nil
      }
      return "\(seen.title(reading.uuid)): \(failure.message)"
    }
    return refused.isEmpty ? "" : ", \(refused.count) refused (\(refused.joined(separator: "; ")))"
  }

  func message(_ suspicion: DeviceSuspicion) -> String {
    let error = suspicion.error
    switch suspicion.cause {
    case .noBus, .accessDenied: return error?.description ?? "the bus cannot be used"
    case .daemonHangs: return error?.message ?? "the Bluetooth service (bluetoothd) does not answer"
    case .adapterOff: return error?.message ?? "the adapter is off"
    case .daemonFault: return error?.message ?? "the Bluetooth service (bluetoothd) ended"
    case .cannotScan: return "bluetoothd cannot scan\(error.map { ": \($0.message)" } ?? "")"
    case .adapterSilent:
      return "neither it nor any other device is heard: the adapter may have stopped working"
    case .noSlots: return "the adapter has no room for another link"
    case .blocked: return "the device is blocked on this machine"
    case .notHeard: return "it is not heard: it is off, out of range, or connected to another device\(advice)"
    case .addressRotated:
      return seen.hasPrivateAddress
        ? "its address is a private one, which it has replaced by now"
        : "it is not heard, but a device of its name is, from another address: it seems to have changed its own"
    case .connectedElsewhere:
      return seen.otherAdapters.isEmpty
        ? "it does not advertise: it is probably connected to a phone or another computer, or off"
        : "it is connected through another adapter of this machine: \(adapters)"
    case .openedMeanwhile: return "another program of this machine opened the link meanwhile"
    case .notConnectable: return "it advertises, but accepts no connections"
    case .weakSignal: return suspicion.status == .fail ? "its signal is too weak" : "its signal is weak"
    case .noLink:
      return seen.hearing?.isHeard == true ? "it is heard, but no link comes about" : "no link comes about"
    case .linkDrops: return "its links are lost as soon as they stand"
    case .servicesUnresolved: return "there is a link, but its services cannot be discovered"
    case .bondLost: return bondMessage
    // The error, whose sentence is longer, stands in the step before.
    case .pairingTooWeak: return "its pairing is too weak for a value that BlueZ itself reads first"
    case .pairingRefused:
      let verb = seen.refused.count == 1 ? "is" : "are"
      return
        "its link ends when \(list(seen.refused)) \(verb) read: it seems to require pairing, and to refuse it"
    case .needsPairing: return pairingMessage(suspicion.status)
    case .staleCache: return "BlueZ uses attributes that the device no longer has: its firmware was changed"
    case .noServices: return "BlueZ shows no services of it"
    case .noAnswer: return "it does not answer requests"
    case .silentValue: return "it answers requests, but not those for \(list(seen.unanswered))"
    case .noValue:
      let count = counted(seen.readings.count, "request")
      return "no value can be had: \(count) for \(seen.readings.count == 1 ? "one" : "values") failed"
    case .slowServices: return "its services take long to discover: \(seen.servicesTime?.inSeconds ?? "")"
    case .slowLink: return "its link is slow: \(seen.answerTime?.inSeconds ?? "") until it answers"
    case .heldByOther: return "another program holds the notifications of \(names(seen.held))"
    case .endsLink: return "it ended the link by itself soon after it was used"
    }
  }

  func fix(_ suspicion: DeviceSuspicion, _ hint: (BLEError) -> String?) -> String? {
    // Attributes that a firmware update moved end BlueZ 5.66 at each connection.
    if suspicion.cause == .daemonFault, !seen.attempts.isEmpty {
      return "sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget \(target)"
    }
    return suspicion.error.flatMap(hint) ?? fix(suspicion.cause)
  }

  private func fix(_ cause: DeviceCause) -> String? {
    switch cause {
    case .noBus, .accessDenied: "blectl doctor"
    case .daemonFault: "sudo systemctl start bluetooth"
    case .daemonHangs: "sudo systemctl restart bluetooth"
    case .adapterOff: "blectl adapter on"
    case .adapterSilent: "blectl adapter reset; if it stays silent: sudo systemctl restart bluetooth"
    case .cannotScan: "sudo systemctl restart bluetooth"
    case .noSlots: "blectl devices --connected, and blectl disconnect one of them"
    case .blocked: "blectl unblock \(target)"
    case .notHeard: "blectl scan, with the device switched on and close by"
    case .addressRotated:
      seen.laterAddresses.first.map { "blectl doctor \($0)" }
        ?? "blectl scan, and use its name; blectl keys add, with its key, follows its addresses"
    case .connectedElsewhere:
      seen.otherAdapters.first.map { "blectl disconnect \(target) -i \($0)" }
        ?? "blectl scan --address \(target), with Bluetooth of the phone that uses it switched off"
    case .openedMeanwhile: "try again when the other program has ended, to see a link from its beginning"
    case .notConnectable:
      "blectl scan --address \(target) --duplicates prints its advertisements, blectl listen \(target) their values"
    case .weakSignal: "blectl scan --address \(target) --duplicates shows its signal while you move closer"
    case .noLink:
      seen.attempts.allSatisfy(\.isUnanswered)
        ? "blectl adapter reset, and restart the device"
        : "sudo systemctl restart bluetooth, and restart the device"
    case .linkDrops:
      seen.isPaired
        ? "blectl unpair \(target), then blectl pair \(target)"
        : "sudo btmon -w trace.btsnoop records who ends the link; restarting the device may help"
    case .servicesUnresolved:
      "a longer --timeout; if they never come: blectl forget \(target), and restart the device"
    case .bondLost, .pairingTooWeak: "blectl unpair \(target), then blectl pair \(target)"
    case .pairingRefused:
      seen.isPaired
        ? "blectl unpair \(target), then blectl pair \(target) on a terminal"
        : "blectl pair \(target) tells why, if it refuses to pair"
    case .needsPairing:
      seen.isPaired
        ? "blectl unpair \(target), then blectl pair \(target) on a terminal" : "blectl pair \(target)"
    case .staleCache: "blectl forget \(target), then connect again" + (seen.isPaired ? ", and pair" : "")
    case .noServices:
      (seen.memory == nil ? "" : "blectl forget \(target), and try again; ")
        + "blectl scan --address \(target) prints what it advertises"
    case .noAnswer: "blectl disconnect \(target), and restart the device"
    case .silentValue: "blectl read \(target) CHAR, for each of the others; or restart the device"
    case .noValue:
      seen.refusals.allSatisfy { $0.code == .busy || $0.code == .failed }
        ? "sudo systemctl restart bluetooth: BlueZ itself refuses, or another program keeps it busy"
        : "blectl read \(target) CHAR, for a value that the device gives out; or restart the device"
    case .slowServices: "a longer --timeout for the first link; BlueZ remembers the services"
    case .slowLink: "move closer; blectl link \(target) shows the interval of its link"
    case .heldByOther: "stop the other program, to subscribe"
    case .endsLink: "blectl subscribe \(target) CHAR --reconnect, if it is to be watched for long"
    }
  }

  private var adapters: String { seen.otherAdapters.joined(separator: ", ") }

  private func list(_ readings: [DeviceObservations.Reading]) -> String { names(readings.map(\.uuid)) }

  private func names(_ uuids: [BluetoothUUID]) -> String {
    uuids.map(seen.title).joined(separator: ", ")
  }

  private func pairingMessage(_ status: Finding.Status) -> String {
    let passkey =
      seen.refusals.contains { $0.code == .pairingTooWeak }
      ? " with a passkey"
      : seen.refusals.contains { $0.advice == .pairWithPasskey } ? ", perhaps with a passkey" : ""
    let pairing = "pairing" + passkey
    if status == .fail { return "it requires \(pairing)" }
    let verb = seen.protected.count == 1 ? "requires" : "require"
    return
      "\(seen.protected.count) of \(counted(seen.readings.count, "value")) that were tried \(verb) \(pairing)"
  }

  private var bondMessage: String {
    seen.failure?.code == .bondLost || seen.refusals.contains { $0.code == .bondLost }
      ? "BlueZ has lost the keys of the pairing" : "the device has lost the keys of the pairing"
  }
}
