// SPDX-License-Identifier: MIT
internal import BLECentral

extension DeviceObservations {
  /// The likely cause of what went wrong; nil if nothing did.
  var cause: DeviceCause? {
    causeOfFailure ?? (link == nil ? causeWithoutLink : causeOverLink)
  }

  /// The cause, if an error names it.
  private var causeOfFailure: DeviceCause? {
    if memory?.isBlocked == true { return .blocked }
    let errors = [failure, link?.loss].compactMap(\.self) + refusals
    for error in errors {
      switch error.code {
      case .serviceUnavailable, .busUnavailable: return .daemonFault
      case .poweredOff, .blocked, .noAdapter: return .adapterOff
      case .deviceBlocked: return .blocked
      case .bondLost, .bondLostByPeer: return .bondLost
      default: break
      }
    }
    let ends = (attempts.compactMap(\.failure) + errors).map(\.linkEnd)
    return isPaired && ends.contains(.authentication) ? .bondLost : nil
  }

  private var causeWithoutLink: DeviceCause {
    if !otherAdapters.isEmpty { return .connectedElsewhere }
    if let hearing, !hearing.isHeard, attempts.allSatisfy({ $0.openedAfter == nil }) {
      if hasPrivateAddress { return .addressRotated }
      return memory == nil ? .notHeard : .connectedElsewhere
    }
    if attempts.contains(where: \.isLimit) { return .noSlots }
    if lossesFromMemory > 0, attempts.allSatisfy({ $0.openedAfter == nil }) { return .notConnectable }
    if hearing?.isWeak == true { return .weakSignal }
    if isUnresolved { return .servicesUnresolved }
    return attempts.contains(where: \.isLoss) ? .linkDrops : .noLink
  }

  /// True if the last attempt found no services, and the limit did not end it before the device would have
  /// ended its link, as it did before.
  private var isUnresolved: Bool {
    guard let last = attempts.last, last.isUnresolved else { return false }
    let losses = attempts.filter(\.isLoss).compactMap(\.endedAfter)
    return losses.allSatisfy { $0 * 2 < last.endedAfter ?? .zero }
  }

  private var causeOverLink: DeviceCause? {
    if refusals.contains(where: \.isOfMovedAttribute) || services?.serviceCount == 0 { return .staleCache }
    if refusals.contains(where: { $0.code == .notPaired || $0.code == .pairingTooWeak }) {
      return .needsPairing
    }
    if link?.loss != nil { return hearing?.isWeak == true ? .weakSignal : .linkDrops }
    return refusals.contains { $0.code == .timedOut } ? .noAnswer : nil
  }
}

extension BLEError {
  /// True if the device answers that an attribute which BlueZ lists does not exist.
  var isOfMovedAttribute: Bool {
    switch attError {
    case .invalidHandle, .databaseOutOfSync, ATTError(code: 0x0a): true
    default: false
    }
  }
}
