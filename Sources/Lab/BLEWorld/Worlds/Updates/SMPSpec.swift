// SPDX-License-Identifier: MIT

/// The SMP server of a peripheral (MCUmgr), with the slots of its boot loader MCUboot.
package struct SMPSpec: Sendable, Equatable {
  /// The way in which the boot loader takes new firmware.
  package enum Mode: String, Sendable, CaseIterable {
    case swapScratch = "swap-scratch"
    case overwrite
    case swapMove = "swap-move"
    case directXIP = "direct-xip"
    case directXIPRevert = "direct-xip-revert"
    case swapOffset = "swap-offset"

    /// The number that the server reports.
    package var number: Int {
      switch self {
      case .swapScratch: 1
      case .overwrite: 2
      case .swapMove: 3
      case .directXIP: 4
      case .directXIPRevert: 5
      case .swapOffset: 9
      }
    }

    /// True if firmware runs in the slot in which it was stored.
    package var isDirect: Bool { self == .directXIP || self == .directXIPRevert }
    /// True if firmware that nobody confirms is replaced by the one before it.
    package var reverts: Bool { self != .overwrite && self != .directXIP }
  }

  /// The answer to the question for the server's buffers.
  package enum Parameters: String, Sendable, CaseIterable {
    case answered
    /// An error: the server has no such command.
    case unsupported
    case silent
  }

  /// The images that the server marks as running.
  package enum ActiveImages: String, Sendable, CaseIterable {
    case each
    /// That of the application alone, as Zephyr up to 3.4, which also keeps no other image once it runs.
    case application
  }

  /// The behaviour of new firmware.
  package enum NewFirmware: String, Sendable, CaseIterable {
    /// It runs, and waits to be confirmed.
    case waits
    /// It confirms itself.
    case confirms
    /// It hangs until a watchdog restarts the device.
    case hangs
    /// The boot loader refuses it, as one with a foreign signature.
    case rejected
  }

  package struct Faults: Sendable, Equatable {
    package var transfer: TransferFaults
    /// Each so many packets of an upload are refused as busy; nil for none.
    package var busyEvery: Int?
    /// True if an upload begins again after a lost link.
    package var forgetsUpload: Bool
    /// The codes of group 1 with which it refuses an upload, a test and a confirmation.
    package var refusesUpload: Int?
    package var refusesTest: Int?
    package var refusesConfirm: Int?
    /// True if a reset needs force.
    package var refusesReset: Bool

    package init(
      transfer: TransferFaults = TransferFaults(), busyEvery: Int? = nil, forgetsUpload: Bool = false,
      refusesUpload: Int? = nil, refusesTest: Int? = nil, refusesConfirm: Int? = nil,
      refusesReset: Bool = false
    ) {
      (self.transfer, self.busyEvery, self.forgetsUpload) = (transfer, busyEvery, forgetsUpload)
      (self.refusesUpload, self.refusesTest, self.refusesConfirm) = (
        refusesUpload, refusesTest, refusesConfirm
      )
      self.refusesReset = refusesReset
    }
  }

  /// The version of the firmware that runs at first.
  package var version = "1.0.0"
  /// The number of images, each with two slots.
  package var images = 1
  package var activeImages = ActiveImages.each
  /// The size of a slot in bytes.
  package var slotSize = 480 << 10
  package var mode = Mode.swapMove
  package var security = AttributeSecurity.none
  package var parameters = Parameters.answered
  /// The size of a buffer for one packet with its header.
  package var bufferSize = 2475
  package var bufferCount = 4
  /// False if each write is a packet of its own.
  package var reassembles = true
  /// The version of the protocol, 1 or 2.
  package var protocolVersion = 2
  /// True if the maps in answers do not tell their sizes.
  package var hasIndefiniteMaps = false
  /// False if the server answers no questions about the boot loader.
  package var tellsBootloader = true
  /// The time that a restart takes.
  package var restartTime = Duration.milliseconds(500)
  /// The time that a restart takes longer if the boot loader copies firmware.
  package var swapTime = Duration.seconds(1)
  /// The time that erasing a slot takes.
  package var eraseTime = Duration.zero
  /// The time that storing a packet takes.
  package var writeTime = Duration.zero
  package var newFirmware = NewFirmware.waits
  /// The number of handles by which the services of new firmware move.
  package var movesBy = 0
  /// The time after which the device reports changed services; nil if it never does.
  package var reportsChangeAfter: Duration? = .zero
  /// The answers to shell commands; nil for no shell.
  package var shell: [NamedText]?
  /// The files; nil for no file system.
  package var files: [NamedBytes]?
  /// The settings; nil for none.
  package var settings: [NamedBytes]?
  package var statistics: [NamedCounters]?
  package var faults = Faults()

  package init() {}

  package init(_ change: (inout SMPSpec) -> Void) {
    self.init()
    change(&self)
  }
}
