// SPDX-License-Identifier: MIT
internal import BLECentral

/// A cause, and the error that names it, if one does.
struct DeviceSuspicion {
  let cause: DeviceCause
  var status = Finding.Status.fail
  var error: BLEError?
}

extension DeviceObservations {
  /// A median answer slower than this makes a slow link.
  static let slowAnswer = Duration.milliseconds(500)
  /// Services that take longer than this are slow.
  static let slowServices = Duration.seconds(5)

  /// Everything that is wrong, the weightiest first; last, what is only worth a remark.
  var suspicions: [DeviceSuspicion] {
    var all: [DeviceSuspicion] = []
    func add(_ new: [DeviceSuspicion]) {
      all += new.filter { suspicion in !all.contains { $0.cause == suspicion.cause } }
    }
    add(named)
    if all.isEmpty, link == nil { add(causesWithoutLink.map { DeviceSuspicion(cause: $0) }) }
    if link != nil { add(causesOverLink.map { DeviceSuspicion(cause: $0) }) }
    if all.isEmpty, !readings.isEmpty, valueCount == 0 { add([DeviceSuspicion(cause: .noValue)]) }
    add(remarks.map { DeviceSuspicion(cause: $0, status: .warn) })
    return all
  }

  /// The causes that errors name.
  private var named: [DeviceSuspicion] {
    var found: [DeviceSuspicion] = []
    func add(_ cause: DeviceCause, _ error: BLEError?) {
      if !found.contains(where: { $0.cause == cause }) {
        found.append(DeviceSuspicion(cause: cause, error: error))
      }
    }
    if memory?.isBlocked == true { add(.blocked, failure) }
    let errors = [failure, link?.loss].compactMap(\.self) + refusals
    // What is wrong with this machine explains the rest.
    for error in errors { if let cause = error.namedCause, cause.isOutage { add(cause, error) } }
    for error in errors { if let cause = error.namedCause { add(cause, error) } }
    if link == nil, let failure, failure.code == .pairingTooWeak || failure.advice == .pairAgain {
      add(.pairingTooWeak, failure)
    }
    // Without a scan, nothing says whether the device is there.
    if link == nil, hearing == nil, let failure, failure.action == .scan, failure.namedCause == nil {
      add(.cannotScan, failure)
    }
    let ends = (attempts.compactMap(\.failure) + errors).map(\.linkEnd)
    if isPaired, ends.contains(.authentication) { add(.bondLost, nil) }
    return found
  }

  private var causesWithoutLink: [DeviceCause] {
    if !otherAdapters.isEmpty { return [.connectedElsewhere] }
    if let hearing, !hearing.isHeard, attempts.allSatisfy({ $0.openedAfter == nil }) {
      return (hearing.isSilence ? [.adapterSilent] : []) + causesOfSilence
    }
    if attempts.contains(where: \.isLimit) { return [.noSlots] }
    if lossesFromMemory > 0, attempts.allSatisfy({ $0.openedAfter == nil }) { return [.notConnectable] }
    return (hearing?.isWeak == true ? [.weakSignal] : []) + [causeOfFailedLinks]
  }

  /// The causes if it is the device that is not heard.
  private var causesOfSilence: [DeviceCause] {
    if hasPrivateAddress { return [.addressRotated] }
    return (laterAddresses.isEmpty ? [] : [.addressRotated]) + [
      memory == nil ? .notHeard : .connectedElsewhere
    ]
  }

  private var causeOfFailedLinks: DeviceCause {
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

  private var causesOverLink: [DeviceCause] {
    var causes: [DeviceCause] = []
    let isEmpty = services?.serviceCount == 0
    // A device that BlueZ has nothing of refuses for a reason of its own.
    if services?.isCached == true, isEmpty || refusals.contains(where: \.isOfMovedAttribute) {
      causes.append(.staleCache)
    } else if isEmpty {
      causes.append(.noServices)
    }
    if !refused.isEmpty { causes.append(.pairingRefused) }
    if valueCount == 0, !protected.isEmpty { causes.append(.needsPairing) }
    if let loss = link?.loss, loss.namedCause == nil {
      causes += (hearing?.isWeak == true ? [.weakSignal] : []) + [.linkDrops]
    }
    // Beside values that require pairing, an unanswered one may require it, too.
    if !unanswered.isEmpty, protected.isEmpty {
      causes.append(readings.contains { $0.duration != nil } ? .silentValue : .noAnswer)
    }
    return causes
  }

  /// The causes that do not keep the device from being used.
  private var remarks: [DeviceCause] {
    guard link != nil else { return [] }
    var remarks: [DeviceCause] = []
    if hearing?.isWeak == true { remarks.append(.weakSignal) }
    if let servicesTime, servicesTime > Self.slowServices { remarks.append(.slowServices) }
    if let answerTime, answerTime > Self.slowAnswer { remarks.append(.slowLink) }
    if !protected.isEmpty { remarks.append(.needsPairing) }
    if !held.isEmpty { remarks.append(.heldByOther) }
    if deviceEndedLink { remarks.append(.endsLink) }
    if isOpenedMeanwhile { remarks.append(.openedMeanwhile) }
    return remarks
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

  /// The cause that the error names; nil if it fits several.
  fileprivate var namedCause: DeviceCause? {
    if isOfHangingService { return .daemonHangs }
    return switch code {
    case .busUnavailable: .noBus
    case .accessDenied: .accessDenied
    case .serviceUnavailable: .daemonFault
    case .poweredOff, .blocked, .noAdapter: .adapterOff
    case .deviceBlocked: .blocked
    case .bondLost, .bondLostByPeer: .bondLost
    default: nil
    }
  }
}
