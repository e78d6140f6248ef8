// SPDX-License-Identifier: MIT

/// The update of a peripheral by one of Nordic's boot loaders.
package struct DFUSpec: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// That of SDK 12 and later.
    case secure
    /// That of earlier ones, and of Adafruit.
    case legacy
  }

  /// The characteristic with which the application of Secure DFU jumps.
  package enum Buttonless: String, Sendable, CaseIterable {
    case plain
    /// The one for bonded centrals: the link must be encrypted, and the address stays.
    case bonded
    /// The one of SDK 12.
    case experimental
  }

  package struct Faults: Sendable, Equatable {
    package var transfer: TransferFaults
    /// The number of wrong checksums of firmware that it answers.
    package var wrongChecksums: Int
    /// The number of transfers that it refuses at their start, because it is in a wrong state.
    package var invalidStates: Int
    /// The code with which it refuses the init packet.
    package var refusesInit: Int?
    /// True if it does not support the kinds of firmware of Legacy DFU.
    package var refusesKinds: Bool
    /// True if the link ends before the write that makes it jump is answered.
    package var leavesJumpUnanswered: Bool

    package init(
      transfer: TransferFaults = TransferFaults(), wrongChecksums: Int = 0, invalidStates: Int = 0,
      refusesInit: Int? = nil, refusesKinds: Bool = false, leavesJumpUnanswered: Bool = false
    ) {
      (self.transfer, self.wrongChecksums, self.invalidStates) = (transfer, wrongChecksums, invalidStates)
      (self.refusesInit, self.refusesKinds) = (refusesInit, refusesKinds)
      self.leavesJumpUnanswered = leavesJumpUnanswered
    }
  }

  package var kind: Kind
  /// The version of the firmware that runs at first.
  package var version = "1.0.0"
  /// The version after an update; nil for that of the init packet.
  package var newVersion: String?
  /// False if the running firmware itself takes the new one.
  package var jumps = true
  package var buttonless = Buttonless.plain
  /// True if the boot loader has the address after that of the application.
  package var hasNextAddress: Bool?
  /// True if the boot loader runs at the start.
  package var startsInBootloader = false
  package var bootloaderName = "DfuTarg"
  /// The largest ATT MTU of the boot loader; nil for that of the peripheral.
  package var mtu: UInt16?
  /// The largest size of an object of firmware, in bytes.
  package var objectSize = 4096
  /// True if an init packet has to be a right one.
  package var checksInit = true
  package var restartTime = Duration.milliseconds(500)
  /// The time after which a boot loader that nothing arrives at restarts: it starts the application, if it has kept that.
  package var idleTime = Duration.seconds(120)
  /// The time that erasing the flash takes.
  package var flashTime = Duration.zero
  /// The time after which the device reports changed services; nil if it never does.
  package var reportsChangeAfter: Duration? = .zero
  package var faults = Faults()

  package init(_ kind: Kind) { self.kind = kind }

  package init(_ kind: Kind, _ change: (inout DFUSpec) -> Void) {
    self.init(kind)
    change(&self)
  }

  /// True if the boot loader is another device for a central.
  package var isElsewhere: Bool {
    guard jumps else { return false }
    return hasNextAddress ?? (kind == .legacy || buttonless != .bonded)
  }
}
