// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The life that Nordic's boot loaders share: the firmware that runs, the jump to the boot loader, and restarts.
struct BootloaderLife: Sendable {
  let spec: DFUSpec
  /// The version of the application that runs, or ran before the boot loader.
  private(set) var version: String
  private(set) var isInBootloader: Bool
  /// True if other firmware than the first one was installed.
  private(set) var isChanged = false
  /// The faults of a transfer that are still to come.
  var faults: PendingFaults
  /// The pause before a restart, which lets an answer arrive.
  private let farewellTime: Duration
  private var hasApplication: Bool
  private var entersBootloader = false
  private var invalidStates: Int
  private var installed: [FirmwareState.Slot] = []

  init(_ spec: DFUSpec, farewellTime: Duration) {
    (self.spec, self.farewellTime) = (spec, farewellTime)
    version = spec.version
    isInBootloader = spec.startsInBootloader
    hasApplication = !spec.startsInBootloader
    faults = PendingFaults(spec.faults.transfer)
    invalidStates = spec.faults.invalidStates
  }

  /// The effects that end the link, after those before.
  var farewell: [UpdateEffect] { [.pause(farewellTime), .restart] }

  /// Returns the state, with firmware of which a part was received.
  func state(_ updateProtocol: String, received: [UInt8]) -> FirmwareState {
    var slots = installed
    if !received.isEmpty {
      slots.append(FirmwareState.Slot("received", flags: ["incomplete"], bytes: received))
    }
    return FirmwareState(updateProtocol, version: version, isInBootloader: isInBootloader, slots: slots)
  }

  // MARK: Restarts

  /// Lets the next restart enter the boot loader, and returns the effects with an answer to the request.
  mutating func jump(answering answer: [UpdateEffect] = []) -> [UpdateEffect] {
    entersBootloader = true
    return (spec.faults.leavesJumpUnanswered ? [.unanswered] : answer) + farewell
  }

  /// Lets the next restart enter what runs now.
  mutating func stay() { entersBootloader = isInBootloader }

  /// Restarts, and returns the time that this takes.
  mutating func restart() -> Duration {
    isInBootloader = spec.jumps && (entersBootloader || !hasApplication)
    entersBootloader = false
    return spec.restartTime
  }

  // MARK: Firmware

  /// Returns whether the boot loader is to find itself in a wrong state, which happens a limited number of times.
  mutating func isStateInvalid() -> Bool {
    guard invalidStates > 0 else { return false }
    invalidStates -= 1
    return true
  }

  mutating func eraseApplication() { hasApplication = false }

  /// Installs received firmware; an application without a version keeps the one before.
  mutating func install(_ kind: NordicFirmware.Kind, version number: String?, _ bytes: [UInt8]) {
    let isApplication = kind == .application
    if isApplication {
      isChanged = true
      version = spec.newVersion ?? number ?? version
    }
    // A new boot loader leaves the application; a new SoftDevice needs another one.
    hasApplication = isApplication || kind == .bootloader
    installed.removeAll { $0.name == kind.word }
    installed.append(
      FirmwareState.Slot(kind.word, version: isApplication ? version : number, bytes: bytes))
  }
}

/// The packets of firmware, of which each so many are acknowledged.
struct PacketReceipts: Sendable {
  /// The number of packets for a receipt; 0 for none.
  var interval = 0
  private var packets = 0

  init(interval: Int = 0) { self.interval = interval }

  mutating func countAnew() { packets = 0 }

  /// Counts a packet, and returns whether a receipt is due.
  mutating func count() -> Bool {
    packets += 1
    return interval > 0 && packets % interval == 0
  }
}
