// SPDX-License-Identifier: MIT

/// The current faults of a peripheral and of the daemon's handling of it.
struct PeripheralFaults {
  /// The number of attempts to connect that still fail.
  private var refusals = RemainingCount.none
  private var refusal = BlueZError.failed("")
  /// The number of attempts to connect that still hang.
  private var hangs = RemainingCount.none
  private var namelessReports = RemainingCount.none
  /// The number of reads and writes after which it closes a link.
  private(set) var dropsAfterOperations: Int?
  /// The age at which it closes a link.
  private(set) var dropsAfterTime: Duration?
  /// The time per packet of its links; nil is the default.
  private(set) var packetTime: Duration?
  private(set) var serviceOrder = ServiceOrder.objectsFirst
  /// The additional time for service discovery.
  private(set) var discoveryDelay = Duration.zero
  /// Whether its advertisements are lost.
  private(set) var isUnheard = false

  init(_ commands: [PeripheralAction]) {
    for command in commands { apply(command) }
  }

  /// Applies a lasting fault; other actions have no effect here.
  mutating func apply(_ command: PeripheralAction) {
    switch command {
    case .refuseConnect(let times, let error):
      refusals = RemainingCount(times)
      refusal = error
    case .hangConnect(let times): hangs = RemainingCount(times)
    case .dropAfterOperations(let count): dropsAfterOperations = count
    case .dropAfterTime(let time): dropsAfterTime = time
    case .slowLink(let time): packetTime = time
    case .delayServices(let delay): discoveryDelay = delay
    case .orderServices(let order): serviceOrder = order
    case .loseAdverts(let areLost): isUnheard = areLost
    case .loseNames(let times): namelessReports = RemainingCount(times)
    case .heal: self = PeripheralFaults([])
    case .dropLink, .vanish, .appear, .setRSSI, .repeatProperties, .forgetBonds, .typePasskey,
      .askForSecurity:
      break
    }
  }

  /// The error of this attempt to connect, or nil when it succeeds.
  mutating func takeRefusal() -> BlueZError? { refusals.take() ? refusal : nil }

  /// Whether this attempt to connect hangs.
  mutating func takeHang() -> Bool { hangs.take() }

  /// Whether this report lacks the name.
  mutating func takeNamelessReport() -> Bool { namelessReports.take() }
}

/// The current answer faults of a peripheral.
struct AnswerFaults {
  private struct Entry {
    let fault: AnswerFault
    var left: RemainingCount
  }

  /// By the handle of the characteristic's value.
  private var entries: [UInt16: [Entry]] = [:]

  /// Adds a fault, which replaces one for the same requests.
  mutating func add(_ fault: AnswerFault, to handle: UInt16) {
    entries[handle, default: []].removeAll { $0.fault.operation == fault.operation }
    entries[handle, default: []].append(Entry(fault: fault, left: RemainingCount(fault.times)))
  }

  mutating func removeAll(of handle: UInt16) { entries[handle] = nil }

  mutating func removeAll() { entries = [:] }

  /// The faulty answer to this request, or nil; the newest fault applies.
  mutating func take(_ operation: AnswerFault.Operation, of handle: UInt16) -> AnswerFault.Answer? {
    guard
      let index = entries[handle]?.lastIndex(where: { entry in
        !entry.left.isOver && (entry.fault.operation ?? operation) == operation
      })
    else { return nil }
    _ = entries[handle]?[index].left.take()
    return entries[handle]?[index].fault.answer
  }
}
