// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BLEWorld

extension EmulatedPeripheral {
  /// Returns a remark on each part that a real adapter cannot emulate, and what centrals see instead.
  ///
  /// After `time`, centrals get ATT 0x0e instead of an answer; `isCarried` tells whether an error of a read
  /// or of a write reaches them.
  package func limits(
    answersWithin time: Duration, isCarried: @escaping (_ code: UInt8, _ ofRead: Bool) -> Bool
  ) -> [String] {
    var remarks = ownServices + presence + updates
    remarks += spec.faults.map { ControlCommand.Action.peripheral(spec.address, $0) }.compactMap(\.remark)
    for service in services {
      for characteristic in service.characteristics {
        let limits = CharacteristicLimits(characteristic.spec, time: time, isCarried: isCarried)
        remarks += limits.remarks.map { "characteristic \(characteristic.spec.uuid): \($0)" }
      }
    }
    remarks += worldEvents.filter { !$0.canBeEmulated(on: spec.address) && $0.isAbout(spec.address) }
      .compactMap { $0.command.action.remark.map { "an event of the world is left out: \($0)" } }
    return remarks
  }

  /// The reason that a real adapter cannot be a peripheral at all; nil if it can.
  package static func refusal(of spec: PeripheralSpec) -> String? {
    guard spec.dfu?.jumps == true else { return nil }
    return "its boot loader has \(spec.bootloaderAddress == nil ? "services" : "an address") of its own, "
      + "which a real adapter cannot change to; with \"jump\": false, its running firmware takes the new one"
  }

  /// True if a central has to pair for one of its attributes.
  package var requiresPairing: Bool {
    services.flatMap(\.characteristics).contains { characteristic in
      characteristic.spec.security != .none
        || characteristic.descriptors.contains { $0.spec.security != .none }
    }
  }

  private var updates: [String] {
    var remarks: [String] = []
    if spec.updateFaults?.hangsUpAt.isEmpty == false {
      remarks.append("hang_up_at: BlueZ leaves it to the central to close the link")
    }
    if spec.smp?.movesBy ?? 0 > 0 { remarks.append("moves_by: BlueZ chooses the handles") }
    return remarks
  }

  private var ownServices: [String] {
    spec.services.filter(\.isOwnedByBlueZ).map { "service \($0.uuid): BlueZ has its own" }
  }

  private var presence: [String] {
    var remarks: [String] = []
    if !spec.isPresent || spec.appearsAfter != nil || spec.vanishesAfter != nil {
      remarks.append("it is in range from the start to the end")
    }
    if !spec.channels.isEmpty { remarks.append("its L2CAP channels are left out") }
    if spec.link != LinkSpec() { remarks.append("the speed of its links is up to the radio") }
    if spec.pairing != PairingSpec() { remarks.append("pairing is up to BlueZ and its agents") }
    return remarks
  }
}

extension ControlCommand.Action {
  /// The command that a real adapter cannot emulate, with the reason; nil if it can.
  fileprivate var remark: String? {
    limit.map { "\(word): \($0)" }
  }
}

/// The parts of a characteristic that a real adapter cannot emulate.
private struct CharacteristicLimits {
  let spec: CharacteristicSpec
  let time: Duration
  let isCarried: (_ code: UInt8, _ ofRead: Bool) -> Bool

  init(_ spec: CharacteristicSpec, time: Duration, isCarried: @escaping (UInt8, Bool) -> Bool) {
    self.spec = spec
    self.time = time
    self.isCarried = isCarried
  }

  var remarks: [String] {
    if spec.properties.isEmpty { return ["left out, because it permits no operation"] }
    return reading + writing + length + spec.faults.flatMap { faulty($0) }
  }

  private var reading: [String] {
    guard spec.properties.contains(.read) else { return [] }
    switch spec.reading {
    case .value, .next: return []
    case .stall: return ["reads get \(substitute)"]
    case .slow(let delay): return delay < time ? [] : ["reads get \(substitute)"]
    case .fails(let code): return failing(code, ofRead: true)
    }
  }

  private var writing: [String] {
    switch spec.writing {
    case .hangUp: return ["a write does not close the link"]
    case .stall: return ["writes get \(substitute)"]
    case .fails(let code): return failing(code, ofRead: false)
    default: return []
    }
  }

  private var length: [String] {
    guard spec.maximumLength < AttributeServer.maximumLength,
      spec.properties.isSuperset(of: [.write, .writeWithoutResponse])
    else { return [] }
    return [
      "writes of more than \(spec.maximumLength) bytes have no effect, but are not refused, "
        + "because BlueZ itself answers those of a characteristic without response"
    ]
  }

  private func failing(_ code: UInt8, ofRead isRead: Bool) -> [String] {
    if !isRead, spec.properties.contains(.writeWithoutResponse) {
      return [
        "writes are not refused, because BlueZ itself answers those of a characteristic without response"
      ]
    }
    if isCarried(code, isRead) { return [] }
    return [
      "\(isRead ? "reads" : "writes") get ATT 0x0e instead of 0x\(Hex.string([code])), which BlueZ does not pass on"
    ]
  }

  private func faulty(_ action: CharacteristicAction) -> [String] {
    guard let fault = action.answerFault else { return [] }
    if fault.operation == .subscribe { return ["BlueZ answers subscriptions by itself"] }
    switch fault.answer {
    case .late(let delay): return delay < time ? [] : ["some requests get \(substitute)"]
    case .never: return ["some requests get \(substitute)"]
    case .error(let code):
      let operations = fault.operation.map { [$0] } ?? [.read, .write]
      return operations.flatMap { failing(code, ofRead: $0 == .read) }
    }
  }

  private var substitute: String {
    "ATT 0x0e after \(Int(time / .milliseconds(1))) ms, because BlueZ needs an answer"
  }
}

extension WorldEvent {
  package func canBeEmulated(on address: String) -> Bool {
    isAbout(address) && command.action.limit == nil
  }

  package func isAbout(_ address: String) -> Bool {
    switch command.action {
    case .characteristic(let reference, _): reference.device == address
    case .peripheral(let device, _): device == address
    case .adapter, .daemon, .otherClient: false
    }
  }
}

extension PeripheralSpec {
  fileprivate var updateFaults: TransferFaults? { smp?.faults.transfer ?? dfu?.faults.transfer }

  /// The peripheral without the faults of updates that need its own link or its own handles.
  var onRealAdapter: PeripheralSpec {
    var spec = self
    spec.smp?.faults.transfer.hangsUpAt = []
    spec.smp?.movesBy = 0
    spec.dfu?.faults.transfer.hangsUpAt = []
    return spec
  }
}
