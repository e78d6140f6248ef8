// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEUpdate
internal import BlectlSerial

/// The state of the update of one device, for the progress line and the reports.
final class UpdateBoard: Sendable {
  private struct State {
    var progress: UpdateProgress?
    /// The part of the firmware that is sent, or was sent last.
    var transfer: (part: Int, of: Int, tally: TransferTally)?
    /// True once the device has told how much of that part it has.
    var isKnown = false
    /// True if each part was sent wholly.
    var isWhole = false
    /// True if a later run goes on from what was sent.
    var isResumable = false
    var lastReport: ContinuousClock.Instant?
    var method: UpdateMethod?
    /// True if only the bootloader of the device ran when the update began.
    var beganInBootloader = false
    /// The address of the application that was told to start its bootloader, in this run or an earlier one; nil before that.
    var application: BluetoothAddress?
    /// True if it was told in this run.
    var hasStartedBootloader = false
    /// The words before the first stage.
    var beginning = "looking for it"
  }

  /// The meaning of a new report of the library for those of the command.
  struct News {
    /// True for another stage, or another part of the firmware.
    let isNewStage: Bool
    /// True if a record of the progress is due.
    let isDue: Bool
    /// True if the application was told to start its bootloader just now; false if it has refused that; nil for no news of it.
    var startsBootloader: Bool?
  }

  /// Records of one stage are not more frequent.
  private static let pause = Duration.seconds(1)

  private let state = Lock(State())

  var method: UpdateMethod? { state.withLock { $0.method } }

  /// The device was found, and is asked what is to do; `application` is the address of the one whose bootloader an earlier run
  /// has started, if that still runs.
  func found(inBootloaderOf application: BluetoothAddress? = nil) {
    state.withLock { ($0.beginning, $0.application) = (UpdateStage.reading.text, application) }
  }

  /// Takes a plan; `application` is the address of the one whose bootloader an earlier run has started, if there is a note.
  func take(_ plan: UpdatePlan, startedFrom application: BluetoothAddress?) {
    state.withLock { state in
      (state.method, state.beganInBootloader) = (plan.method, plan.isInBootloader)
      // It may be back.
      state.application = plan.isInBootloader ? application : nil
    }
  }

  /// Takes a report of the library.
  func take(_ progress: UpdateProgress) -> News {
    state.withLock { state in
      let isNew = state.progress?.stage != progress.stage || state.progress?.part != progress.part
      if progress.stage == .transferring {
        if state.transfer?.part != progress.part || state.transfer?.tally.size != progress.total {
          state.transfer = (progress.part, progress.parts, TransferTally(size: progress.total))
        }
        if let tally = state.transfer?.tally {
          // The rate is that behind the first answer: what an earlier run has sent says nothing, nor does the erasing before.
          if tally.certain == 0 || progress.done < tally.certain { tally.begin(after: progress.done) }
          tally.set(certain: progress.done)
        }
        (state.isResumable, state.isKnown) = (
          progress.isResumable, progress.isResumable || progress.done > 0
        )
        state.isWhole = progress.part == progress.parts && progress.done == progress.total
      }
      var startsBootloader: Bool?
      if progress.hasStartedBootloader != state.hasStartedBootloader {
        startsBootloader = progress.hasStartedBootloader
        state.hasStartedBootloader = progress.hasStartedBootloader
        state.application = progress.hasStartedBootloader ? progress.address : nil
      }
      state.progress = progress
      let isDue = isNew || state.lastReport.map { LoopClock.now - $0 >= Self.pause } ?? true
      if isDue { state.lastReport = LoopClock.now }
      return News(isNewStage: isNew, isDue: isDue, startsBootloader: startsBootloader)
    }
  }

  /// The address of the application that was told to start its bootloader; nil if none was.
  var application: BluetoothAddress? { state.withLock { $0.application } }

  /// True if the device is in its bootloader, as far as is known.
  var isInBootloader: Bool { state.withLock { $0.beganInBootloader || $0.application != nil } }

  /// True if the device is no longer as it was.
  var hasBegun: Bool { state.withLock { $0.application != nil || $0.transfer != nil } }

  var stage: UpdateStage? { state.withLock { $0.progress?.stage } }

  /// The bytes of the part that is sent, or was sent last, which the device certainly has, and its size; nil if nothing is
  /// known of them.
  var certain: (bytes: Int, of: Int)? {
    state.withLock { state in
      // Before its first answer, a bootloader of Secure DFU may have bytes from an earlier run.
      if state.method == .secureDFU, !state.isKnown { return nil }
      return state.transfer.map { (bytes: $0.tally.certain, of: $0.tally.size ?? 0) }
    }
  }

  /// True once a transfer has begun.
  var hasTransferred: Bool { state.withLock { $0.transfer != nil } }

  /// The part that is sent, or was sent last; nil if there is only one.
  var part: (number: Int, of: Int)? {
    state.withLock { state in
      state.transfer.flatMap { $0.of > 1 ? (number: $0.part, of: $0.of) : nil }
    }
  }

  /// True if the device has all of the firmware.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  /// True if a later run goes on from the bytes that the device certainly has.
  var isResumable: Bool { state.withLock { $0.isResumable } }

  /// The progress in words: `sending 12.0 of 64.0 kB, 20.1 kB/s, 3 s left (18 %)`.
  var text: String {
    state.withLock { state in
      guard let progress = state.progress else { return state.beginning }
      guard progress.stage == .transferring, let tally = state.transfer?.tally else {
        return progress.stage.text
      }
      let part = progress.parts > 1 ? "part \(progress.part) of \(progress.parts), " : ""
      return "sending \(part)\(tally.progress) (\(Self.percent(progress)) %)"
    }
  }

  /// The progress in a word or two, for a line about several devices.
  var shortText: String {
    state.withLock { state in
      guard let progress = state.progress else { return "…" }
      return progress.stage == .transferring ? "\(Self.percent(progress)) %" : progress.stage.rawValue
    }
  }

  private static func percent(_ progress: UpdateProgress) -> Int {
    progress.total == 0 ? 100 : 100 * progress.done / progress.total
  }
}

extension UpdateStage {
  /// The stage, for a person who waits for its end.
  var text: String {
    switch self {
    case .connecting: "connecting"
    case .reading: "reading what it runs"
    case .jumping: "starting its bootloader"
    case .transferring: "sending"
    case .testing: "asking it to test the new firmware"
    case .resetting: "restarting it"
    case .waiting: "waiting until it is back"
    case .proving: "asking what it runs now"
    case .confirming: "telling it to keep the new firmware"
    }
  }

  /// The stage as a step of a plan.
  var step: String {
    switch self {
    case .connecting: "connect"
    case .reading: "read"
    case .jumping: "start the bootloader"
    case .transferring: "send"
    case .testing: "test"
    case .resetting: "restart"
    case .waiting: "wait"
    case .proving: "prove"
    case .confirming: "confirm"
    }
  }
}
