// SPDX-License-Identifier: MIT
internal import BLECentral

/// The likely cause of what one attempt with a device showed, the evidence for it, and what helps.
package struct DeviceDiagnosis: Sendable {
  /// Nil if nothing is wrong.
  package let cause: DeviceCause?
  /// The cause as the end of a sentence: `cannot use Lamp: …`; without one, what worked.
  package let message: String
  package let evidence: [String]
  /// The command that helps, or a short instruction.
  package let fix: String?
  /// The address of the device, if it is known.
  package let address: BluetoothAddress?

  package init(_ seen: DeviceObservations) {
    cause = seen.cause
    address = seen.address
    let (words, evidence) = (DeviceWords(seen), DeviceEvidence(seen))
    message = cause.map(words.message) ?? words.success
    fix = cause.flatMap(words.fix)
    self.evidence = cause.map(evidence.list) ?? []
  }
}

/// The messages about a cause, and the remedies.
private struct DeviceWords {
  let seen: DeviceObservations

  init(_ seen: DeviceObservations) { self.seen = seen }

  private var target: String { seen.target }

  var success: String {
    let read = seen.readings.count { $0.failure == nil }
    let services = seen.services.map { "\($0.serviceCount) services" } ?? "no services"
    return "it can be used: \(services), \(read) value\(read == 1 ? "" : "s") read"
  }

  func message(_ cause: DeviceCause) -> String {
    switch cause {
    case .adapterOff: seen.failure?.message ?? "the adapter is off"
    case .noSlots: "the adapter has no room for another link"
    case .daemonFault: seen.failure?.message ?? "the Bluetooth service (bluetoothd) ended"
    case .blocked: "the device is blocked on this machine"
    case .notHeard: "it is not heard: it is off, out of range, or connected to another device"
    case .addressRotated: "its address is a private one, which it has replaced by now"
    case .connectedElsewhere:
      seen.otherAdapters.isEmpty
        ? "it does not advertise: it is probably connected to a phone or another computer, or off"
        : "it is connected through another adapter of this machine: \(adapters)"
    case .notConnectable: "it advertises, but accepts no connections"
    case .weakSignal: "its signal is too weak"
    case .noLink: "it is heard, but no link comes about"
    case .linkDrops: "its links are lost as soon as they stand"
    case .servicesUnresolved: "there is a link, but its services cannot be discovered"
    case .staleCache: "BlueZ uses attributes that the device no longer has: its firmware was changed"
    case .needsPairing: weakPairing ? "it requires pairing with a passkey" : "it requires pairing"
    case .bondLost: bondMessage
    case .noAnswer: "it does not answer requests"
    }
  }

  func fix(_ cause: DeviceCause) -> String? {
    switch cause {
    case .adapterOff:
      switch seen.failure?.code {
      case .blocked: "sudo rfkill unblock bluetooth"
      case .noAdapter: "blectl doctor"
      default: "blectl adapter on"
      }
    case .noSlots: "blectl devices --connected, and blectl disconnect one of them"
    case .daemonFault:
      "sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget \(target)"
    case .blocked: "blectl unblock \(target)"
    case .notHeard: "blectl scan, with the device switched on and close by"
    case .addressRotated:
      seen.hearing?.namesakes.min().map { "blectl doctor \($0)" }
        ?? "blectl scan, and use its name; blectl keys add, with its key, follows its addresses"
    case .connectedElsewhere:
      seen.otherAdapters.first.map { "blectl disconnect \(target) -i \($0)" }
        ?? "blectl scan --address \(target), with Bluetooth of the phone that uses it switched off"
    case .notConnectable: "blectl scan --address \(target) --duplicates prints its advertisements"
    case .weakSignal: "blectl scan --address \(target) --duplicates shows its signal while you move closer"
    case .noLink: "sudo systemctl restart bluetooth, and restart the device"
    case .linkDrops:
      seen.isPaired
        ? "blectl unpair \(target), then blectl pair \(target)"
        : "sudo btmon -w trace.btsnoop records who ends the link; restarting the device may help"
    case .servicesUnresolved: "blectl forget \(target), and restart the device"
    case .staleCache: "blectl forget \(target), then connect again" + (seen.isPaired ? ", and pair" : "")
    case .needsPairing:
      seen.isPaired
        ? "blectl unpair \(target), then blectl pair \(target) on a terminal" : "blectl pair \(target)"
    case .bondLost: "blectl unpair \(target), then blectl pair \(target)"
    case .noAnswer: "blectl disconnect \(target), and restart the device"
    }
  }

  private var adapters: String { seen.otherAdapters.joined(separator: ", ") }

  private var weakPairing: Bool {
    seen.refusals.contains { $0.code == .pairingTooWeak || $0.advice == .pairWithPasskey }
  }

  private var bondMessage: String {
    seen.failure?.code == .bondLost || seen.refusals.contains { $0.code == .bondLost }
      ? "BlueZ has lost the keys of the pairing" : "the device has lost the keys of the pairing"
  }
}
