// SPDX-License-Identifier: MIT
internal import BLEWorld

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
