// SPDX-License-Identifier: MIT

/// What is wrong with a peripheral, and with the daemon's dealing with it, at present.
struct PeripheralFaults {
  /// How many attempts to connect fail first.
  private var refusals = Countdown.none
  private var refusal = BlueZError.failed("")
  /// How many attempts to connect come to nothing first.
  private var hangs = Countdown.none
  private var namelessReports = Countdown.none
  /// The peripheral closes a link at so many reads and writes.
  private(set) var dropsAfterOperations: Int?
  /// The peripheral closes a link of such an age.
  private(set) var dropsAfterTime: Duration?
  /// How long each packet of its links takes; nil is as usual.
  private(set) var packetTime: Duration?
  private(set) var serviceOrder = ServiceOrder.objectsFirst
  /// How much longer than usual the discovery of the services takes.
  private(set) var discoveryDelay = Duration.zero
  /// Whether nothing that it advertises is heard.
  private(set) var isUnheard = false

  init(_ commands: [PeripheralCommand]) {
    for command in commands { apply(command) }
  }

  /// Takes in what stands from now on; nothing else is done here.
  mutating func apply(_ command: PeripheralCommand) {
    switch command {
    case .refuseConnect(let times, let error):
      refusals = Countdown(times)
      refusal = error
    case .hangConnect(let times): hangs = Countdown(times)
    case .dropAfterOperations(let count): dropsAfterOperations = count
    case .dropAfterTime(let time): dropsAfterTime = time
    case .slowLink(let time): packetTime = time
    case .delayServices(let delay): discoveryDelay = delay
    case .orderServices(let order): serviceOrder = order
    case .loseAdverts(let areLost): isUnheard = areLost
    case .loseNames(let times): namelessReports = Countdown(times)
    case .heal: self = PeripheralFaults([])
    case .dropLink, .vanish, .appear, .setRSSI, .repeatProperties: break
    }
  }

  /// The error that this attempt to connect ends with; nil when it succeeds.
  mutating func takeRefusal() -> BlueZError? { refusals.take() ? refusal : nil }

  /// Whether this attempt to connect comes to nothing.
  mutating func takeHang() -> Bool { hangs.take() }

  /// Whether this report comes without the name.
  mutating func takeNamelessReport() -> Bool { namelessReports.take() }
}

/// How often something still happens.
struct Countdown: Sendable, Hashable {
  /// Never again.
  static let none = Countdown(0)

  private var left: Int?

  /// - Parameter times: how often; nil is always.
  init(_ times: Int?) { left = times }

  var isOver: Bool { left == 0 }

  /// Whether it happens this time, which is counted.
  mutating func take() -> Bool {
    guard let left else { return true }
    self.left = max(0, left - 1)
    return left > 0
  }
}
