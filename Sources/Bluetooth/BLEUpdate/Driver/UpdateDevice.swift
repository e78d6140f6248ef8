// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BlueZClient

/// A device that is being updated, over as many links as it takes, and the progress.
///
/// Runs on the thread of the manager's loop.
final class UpdateDevice {
  private(set) var peripheral: Peripheral
  /// The places at which the device is looked for after a lost link; nil for the last one.
  var whereabouts: Whereabouts?
  let options: FirmwareUpdate.Options
  /// The methods that tell the device from others at the same places: before one is chosen, the device may offer any.
  var methods = UpdateMethod.allCases
  /// The addresses that are certainly those of other devices.
  var strangers: Set<BluetoothAddress> = []
  /// The addresses that were heard beside a link that has not answered since.
  var heardBesideLink: Set<BluetoothAddress> = []
  /// The addresses that were listened at.
  var listenedAt: Set<BluetoothAddress> = []
  private let tell: @Sendable (UpdateProgress) -> Void
  private var progress: UpdateProgress
  private var key: DeviceKey
  private var pairings = 0
  /// Counts what was achieved over any link.
  private var achievements = 0
  /// The bytes that the device has received in this run.
  private(set) var received = 0
  /// The offset behind the last byte of the part that counts as received.
  private var counted: Int?

  /// The time limit of the first link.
  private static let timeToConnect = Duration.seconds(40)
  /// The time limit for the end of a link to a device that starts again: the supervision timeout of slow links, and more.
  private static let timeToEnd = Duration.seconds(35)
  /// The time for which BlueZ must not change the services of a link before they count.
  private static let quietTime = Duration.milliseconds(500)
  private static let timeToSettle = Duration.seconds(10)
  private static let mostPairings = 2

  init(
    _ peripheral: Peripheral, _ options: FirmwareUpdate.Options,
    _ progress: @escaping @Sendable (UpdateProgress) -> Void
  ) {
    (self.peripheral, self.options, tell) = (peripheral, options, progress)
    key = .address(peripheral.address)
    self.progress = UpdateProgress(
      stage: .connecting, done: 0, total: 0, part: 1, parts: 1, address: peripheral.address)
  }

  var central: CentralManager { peripheral.central }
  var loop: EventLoop { central.loop }
  var address: BluetoothAddress { peripheral.address }

  // MARK: Progress

  /// Reports a stage without bytes.
  func enter(_ stage: UpdateStage) {
    (progress.stage, progress.done, progress.total) = (stage, 0, 0)
    progress.isResumable = false
    report()
  }

  /// Begins the transfer of a part.
  func beginPart(_ number: Int, of count: Int, size: Int) {
    (progress.part, progress.parts) = (number, count)
    (progress.stage, progress.done, progress.total) = (.transferring, 0, size)
    progress.isResumable = false
    counted = nil
  }

  /// Records that the device has the first bytes of the part; `start` is what it had before.
  func transferred(_ done: Int, from start: Int, isResumable: Bool = true) {
    let before = counted ?? min(start, done)
    received += max(0, done - before)
    counted = max(before, done)
    if done > before { achieved() }
    progress.done = done
    progress.isResumable = isResumable
    report()
  }

  /// Begins the part again, since the device has dropped what it had received of it.
  func restartPart() {
    counted = 0
    progress.done = 0
  }

  /// Records that the application is told to start its bootloader, or has refused that.
  func startsBootloader(_ value: Bool) {
    if progress.hasStartedBootloader == value { return }
    progress.hasStartedBootloader = value
    report()
  }

  /// Reports a fact that a person may want to know, after which the update goes on.
  func note(_ words: String) { report(words) }

  /// Records that something was achieved over a link.
  func achieved() { achievements += 1 }

  private func report(_ interruption: String? = nil) {
    progress.address = address
    progress.interruption = interruption
    tell(progress)
  }

  // MARK: Links

  /// Opens the first link, or uses the one that there is.
  func connect() async throws {
    enter(.connecting)
    let limit = options.returnTime.map { min($0, Self.timeToConnect) } ?? Self.timeToConnect
    try await reopen(within: limit)
  }

  /// Does something over a link, and again over each link that replaces a lost one.
  ///
  /// `body` is repeated from its beginning, so it asks the device where it is.
  func persist<Result>(_ stage: UpdateStage, _ body: () async throws -> Result) async throws -> Result {
    var fruitless = 0
    let total = progress.total
    if stage == .transferring { report() } else { enter(stage) }
    while true {
      let before = achievements
      do {
        return try await body()
      } catch {
        let remedy = Remedy(for: error)
        if remedy == .none { throw error }
        fruitless = achievements > before ? 0 : fruitless + 1
        if remedy == .pair {
          try await pair(after: error)
          continue
        }
        if fruitless >= min(options.attempts, Self.mostLinks(after: error)) {
          throw exhausted(by: error, after: fruitless)
        }
        report(UpdateError.reason(of: error))
        if remedy == .renew { await peripheral.releaseAndWait() }
        if fruitless > 0 { try await loop.sleep(for: ReconnectPolicy().delay(after: min(fruitless, 4))) }
        try await reopen(within: options.returnTime)
        (progress.stage, progress.total) = (stage, total)
        report()
      }
    }
  }

  private func pair(after error: any Error) async throws {
    guard let pairing = options.pairing, pairings < Self.mostPairings else { throw error }
    pairings += 1
    try await pairing.pairing(with: peripheral)
  }

  /// Returns over how many links it is worth while to try again what failed.
  private static func mostLinks(after error: any Error) -> Int {
    switch error {
    case let lack as any LackOfProgress: lack.mostLinks
    case let error as BLEError where error.isPairingSuspected: 2
    default: .max
    }
  }

  private func exhausted(by error: any Error, after count: Int) -> UpdateError {
    if let error = error as? BLEError, error.isPairingSuspected { return UpdateError(error) }
    let reason = UpdateError.reason(of: error)
    let message = count > 1 ? "no progress over \(count) links in succession: \(reason)" : reason
    if let lack = error as? any LackOfProgress, lack.mostLinks < options.attempts {
      // The link is not the reason.
      var exhausted = lack.error
      exhausted.message = message
      return exhausted
    }
    let again =
      methods == [.legacyDFU] ? "the transfer begins anew" : "the device goes on where it stopped, if it can"
    var exhausted = UpdateError(
      error is Silence ? .timedOut : .linkLost, message, hint: "move closer, and update again: \(again)")
    exhausted.cause = error as? BLEError
    return exhausted
  }

  /// Opens the link to the device, wherever it may be.
  private func reopen(within limit: Duration?) async throws {
    if let whereabouts, whereabouts.isSearch { return try await find(whereabouts, within: limit) }
    if let info = try? await peripheral.info {
      // A pairing replaces a private address by the one of its identity.
      (peripheral, key) = (info.peripheral, info.key)
      try await options.pairing?.preparing(for: info)
    }
    let policy = ReconnectPolicy(longestDelay: .seconds(5), limit: limit)
    do throws(BLEError) {
      use(try await central.reconnect(to: key, last: address, policy: policy))
    } catch {
      throw lost(error, within: limit)
    }
    try await settle()
  }

  /// Goes on with another link, perhaps to another address.
  func use(_ info: PeripheralInfo) {
    (peripheral, key) = (info.peripheral, info.key)
    heardBesideLink = []
  }

  func lost(_ error: BLEError, within limit: Duration?) -> any Error {
    guard [.timedOut, .connectionFailed, .notFound, .disconnected].contains(error.code) else { return error }
    let time = limit.map { " within \(DurationText.text($0, downTo: "s"))" } ?? ""
    var lost = UpdateError(
      progress.stage == .waiting ? .timedOut : .linkLost,
      "the device \(address) is not there\(time): \(error.message)\(neighbours)",
      hint: mayBeOnTrial
        ? "move closer, and update again, which keeps the firmware that runs: a reset may bring the former one back"
        : "move closer, or reset the device, and update again: it goes on where it stopped, if it can")
    lost.cause = error
    return lost
  }

  /// True if the device may run the new firmware, and return to the former one at its next reset.
  private var mayBeOnTrial: Bool {
    methods == [.smp] && options.confirmation != .now && received + achievements > 0
      && [.waiting, .proving, .confirming].contains(progress.stage)
  }

  /// The places that are those of other devices, for errors; empty without any.
  private var neighbours: String {
    let others = whereabouts?.places.filter { $0.isGuess && strangers.contains($0.address) } ?? []
    return others.map { "; \($0.address) is another device" }.joined()
  }

  /// Waits until BlueZ has the services of the firmware that runs now.
  func settle() async throws(BLEError) {
    guard await peripheral.hadServices else { return }
    do throws(BLEError) {
      try await peripheral.waitForQuietServices(for: Self.quietTime, timeout: Self.timeToSettle)
    } catch {
      // Whatever follows notices a lost link.
      if error.code == .cancelled { throw error }
    }
  }

  // MARK: Starting again

  /// Waits until the link to a device that starts again has ended; ends it otherwise.
  func awaitEnd() async throws {
    enter(.waiting)
    do throws(BLEError) {
      try await peripheral.waitUntilDisconnected(timeout: Self.timeToEnd)
    } catch {
      if error.code == .cancelled { throw error }
      await peripheral.releaseAndWait()
    }
  }

  /// Waits until a device that has started again is back, and connects to it.
  func awaitReturn() async throws {
    enter(.waiting)
    try await reopen(within: options.returnTime)
  }

  /// Waits.
  func pause(_ time: Duration) async throws { try await loop.sleep(for: time) }

  /// Gives the link up.
  func release() async { await peripheral.release() }
}

extension BLEError {
  /// True if the device did not answer because it requires another pairing, as it seems: another link does not help.
  fileprivate var isPairingSuspected: Bool {
    code == .timedOut && [.pair, .pairAgain, .pairWithPasskey].contains(advice)
  }
}

extension UpdateError {
  /// Returns the reason of an error as a sentence without a full stop.
  static func reason(of error: any Error) -> String {
    switch error {
    case let error as BLEError: error.reason
    case let error as UpdateError: error.message
    case let lack as any LackOfProgress: lack.message
    default: "\(error)"
    }
  }
}
