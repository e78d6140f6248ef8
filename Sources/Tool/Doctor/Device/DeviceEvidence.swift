// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput

/// The observations that speak for a cause, as sentences without a full stop.
struct DeviceEvidence {
  let seen: DeviceObservations

  init(_ seen: DeviceObservations) { self.seen = seen }

  func list(for cause: DeviceCause) -> [String] {
    switch cause {
    case .noBus, .accessDenied, .adapterOff, .cannotScan, .openedMeanwhile: []
    case .daemonHangs: attempts
    case .adapterSilent: hearing
    case .blocked: ["BlueZ lists it as blocked"]
    case .noSlots: ["the adapter has \(counted(seen.linkCount, "link"))"] + attempts
    case .daemonFault: attempts + faults
    case .notHeard: hearing + memory + privacy
    case .addressRotated: hearing + memory + privacy + namesakes
    case .connectedElsewhere: hearing + memory + namesakes
    case .notConnectable:
      hearing + ["BlueZ forgot it \(times(seen.lossesFromMemory)) instead of connecting"]
    case .weakSignal: hearing + ["links are unreliable below \(Hearing.weak) dBm"] + attempts + loss
    case .noLink: hearing + attempts
    case .linkDrops: hearing + attempts + loss
    case .servicesUnresolved: attempts + cache
    case .slowServices: attempts
    case .staleCache: cache + refusals
    case .noServices:
      memory + ["BlueZ has resolved its services, and keeps Generic Access and Generic Attribute to itself"]
    case .pairingTooWeak: ["BlueZ is paired with it"] + attempts
    case .pairingRefused: refusals + [otherLinks, pairing]
    case .needsPairing: texts(seen.protected) + untried + [pairing]
    case .bondLost: ["BlueZ \(seen.isPaired ? "is" : "was") paired with it"] + attempts + refusals
    case .noAnswer, .silentValue: texts(seen.unanswered)
    case .noValue: refusals
    case .slowLink: answers
    case .heldByOther: ["BlueZ gives the notifications to that program alone"]
    case .endsLink: ["BlueZ says that the device ended it"]
    }
  }

  private var pairing: String { seen.isPaired ? "BlueZ is paired with it" : "it is not paired" }

  /// The fate of links over which the refused values are not read.
  private var otherLinks: String {
    guard let value = seen.refused.first(where: \.endsLaterLinks) else {
      return "without that, the link stands"
    }
    return
      "all later links end before their services are known: BlueZ itself reads \(seen.title(value.uuid)) over each"
  }

  /// The values behind the one that requires pairing, which may do so, too.
  private var untried: [String] {
    guard !seen.untried.isEmpty else { return [] }
    let (shown, most) = (seen.untried.map(seen.title), 5)
    let rest = shown.count > most ? ", and \(shown.count - most) more" : ""
    return ["not tried without pairing: \(shown.prefix(most).joined(separator: ", "))\(rest)"]
  }

  private var answers: [String] {
    guard let time = seen.answerTime else { return [] }
    let count = seen.readings.count { $0.duration != nil }
    return ["it took \(time.inSeconds) to answer, the median of \(counted(count, "request"))"]
  }

  private var hearing: [String] { seen.hearing.map { [$0.text] } ?? [] }

  private var attempts: [String] { seen.attempts.texts }

  private var loss: [String] {
    guard let link = seen.link, let loss = link.loss else { return [] }
    let time = link.lossAfter.map { " after \($0.inSeconds)" } ?? ""
    return ["\(loss.message)\(time)"]
  }

  private var memory: [String] {
    guard let memory = seen.memory else { return ["BlueZ does not know it"] }
    return ["BlueZ knows it from before" + (memory.isPaired ? ", and is paired with it" : "")]
  }

  private var privacy: [String] {
    guard let address = seen.address, address.randomKind == .resolvable, seen.addressType != .public else {
      return []
    }
    return seen.addressType == nil
      ? ["if \(address) is a private address, the device has another one by now"]
      : ["private addresses change every 15 minutes or so"]
  }

  private var namesakes: [String] {
    (seen.hearing?.namesakes ?? []).sorted().map { "a device of the same name is heard from \($0)" }
  }

  private var cache: [String] {
    guard let services = seen.services else {
      let count = seen.memory?.serviceCount ?? 0
      return count > 0 ? ["BlueZ has kept \(counted(count, "service")) of an earlier link"] : []
    }
    let list = services.isCached ? ["BlueZ had the services from an earlier link"] : []
    return list + (services.serviceCount == 0 ? ["BlueZ shows no services by now"] : [])
  }

  private var refusals: [String] { texts(seen.readings) }

  /// The errors of requests for values.
  private func texts(_ readings: [DeviceObservations.Reading]) -> [String] {
    readings.compactMap { reading in reading.failure.map { "\(seen.title(reading.uuid)): \($0.message)" } }
  }

  private var faults: [String] {
    guard let version = seen.version else { return [] }
    return BlueZFault.all(of: version).map { "BlueZ \(version) \($0.effect)" }
  }

  private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
