// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

struct UpdateCommand: BlectlCommand, PairingCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Update the firmware of a device, and prove that it runs.",
    discussion: """
      blectl simulate --firmware smp >new.bin
      blectl update Sensor new.bin --dry-run --simulate=update
      blectl update Sensor new.bin --simulate=update
      blectl simulate --firmware legacy-dfu >new.zip
      blectl update Watch new.zip --json --simulate=update

      The file and the device decide how: SMP (Zephyr, MCUboot), Nordic's Secure DFU, or Legacy DFU (Adafruit's bootloader, \
      InfiniTime). The status is 0 only when the new firmware has answered, or ran before; 64 if the file does not fit, and \
      nothing was sent; 1 if the device has refused it, or has returned to its former firmware.

      Lost links are opened again. After Ctrl-C or a kill, the same command goes on where the device has stopped.

      blectl help updates says more, blectl firmware FILE what a file is.
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "The firmware: .bin, .hex, or .zip of nRF Connect SDK, nrfutil or adafruit-nrfutil; - is stdin.",
    completion: .file())
  var file: String
  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp(
      "Where both the device and the file leave a choice: smp, secure-dfu or legacy-dfu.",
      valueName: "protocol"),
    completion: .list(UpdateMethod.allWords), transform: { try UpdateMethod(word: $0, of: "protocol") })
  var method: UpdateMethod?
  @Option(
    help: ArgumentHelp(
      """
      When to tell a device with MCUboot to keep the new firmware: now, before its first start, after it has answered, or never: \
      the next reset brings the former one back. (default: after)
      """, valueName: "when"),
    completion: .list(FirmwareUpdate.Confirmation.allWords),
    transform: { try FirmwareUpdate.Confirmation(word: $0, of: "time") })
  var confirm: FirmwareUpdate.Confirmation?
  @Flag(help: "Only say what would be done: it connects and reads, but changes nothing.")
  var dryRun = false
  @Flag(help: "Send a file that is faulty, or that the device is said to refuse, such as an older version.")
  var force = false
  @Option(
    help: ArgumentHelp(
      "On a device with several images, such as one for each core: which one the file is. (default: 0)",
      valueName: "n"))
  var image: Int?
  @Flag(help: "Wait for the device as long as it takes, also when its link is lost: it may wake seldom.")
  var wait = false
  @Flag(help: "Update every matching device that is heard, side by side.")
  var all = false
  @Option(help: ArgumentHelp("With --all, how many devices at once. (default: 4)", valueName: "n"))
  var jobs: Int?
  @Option(
    help: ArgumentHelp(
      "With --all, how many devices there are: another number is an error; with --wait, it ends after as many.",
      valueName: "n"))
  var count: Int?
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  var deviceText: String? { target.device.description }

  /// Far more than the flash of any such device.
  private static let longestFile = 64 << 20

  func validate() throws {
    try validatePairing()
    if let image, !(0...255).contains(image) { throw ValidationError("--image must be 0 to 255.") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if jobs != nil, !all { throw ValidationError("--jobs needs --all.") }
    if count != nil, !all { throw ValidationError("--count needs --all.") }
    if all, target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
    if dryRun, wait, all, count == nil { throw ValidationError("--dry-run --all --wait needs --count.") }
  }

  func run(in context: CommandContext) async throws {
    try target.requireDevice(before: file, "update", "read", rest: ["FILE"])
    let bytes = try ValueSource.content(of: file, most: Self.longestFile)
    let firmware: Firmware
    do throws(UpdateError) {
      firmware = try Firmware(bytes, named: file == "-" ? "stdin" : file)
      try check(firmware)
    } catch {
      var usage = CommandError(error, "update \(target.device)", device: "\(target.device)")
      usage.hint = usage.hint ?? (file == "-" ? nil : "blectl firmware \(ShellWord.quoted(file))")
      throw usage
    }
    let pairing = PairingOnDemand(pairingAnswers, in: context)
    let update = FirmwareUpdate(firmware, options: options(pairing, in: context))
    if all { return try await updateAll(update, pairing, in: context) }
    let reconnector = wait ? Reconnector(policy: ReconnectPolicy(), context: context) : nil
    let board = UpdateBoard()
    let job = UpdateJob(
      update: update, isDryRun: dryRun, pairing: pairing, reconnector: reconnector, turns: AsyncMutex(),
      board: board, context: context)
    let device = target.device
    try await context.showingProgress({ "\(device): \(board.text)" }) {
      _ = try await job.run(on: target.choice)
    }
  }

  /// Finds what is wrong with a file, whatever the device is.
  private func check(_ firmware: Firmware) throws(UpdateError) {
    if let first = firmware.methods.first { try checkOptions(for: first, firmware) }
    if firmware.methods.isEmpty, force {
      throw UpdateError(.unfit, "\(firmware.name) is nothing that can be sent, also by force")
    }
    if force { return }
    if !firmware.problems.isEmpty {
      throw UpdateError(.unfit, "\(firmware.name): \(firmware.problems.joined(separator: "; "))")
    }
    guard let first = firmware.methods.first else {
      throw UpdateError(.unfit, "\(firmware.name) is not firmware that blectl knows")
    }
    if let method, !firmware.methods.contains(method) {
      throw UpdateError(.unfit, "\(firmware.name) is for \(first.title), not for \(method.title)")
    }
  }

  /// Refuses options that mean nothing for the file.
  private func checkOptions(for method: UpdateMethod, _ firmware: Firmware) throws(UpdateError) {
    if method != .smp, let confirm, confirm != .after {
      throw UpdateError(
        .unfit,
        "--confirm \(confirm.rawValue) has no meaning for \(method.title): its bootloader keeps what it has accepted"
      )
    }
    guard image != nil else { return }
    if method != .smp { throw UpdateError(.unfit, "--image has no meaning for \(method.title)") }
    if case .images = firmware.file.content {
      throw UpdateError(
        .unfit, "--image has no meaning for \(firmware.name), which says itself which images it has")
    }
  }

  private func options(_ pairing: PairingOnDemand?, in context: CommandContext) -> FirmwareUpdate.Options {
    var options = FirmwareUpdate.Options()
    options.method = method
    options.confirmation = confirm ?? .after
    options.isForced = force
    options.image = image ?? 0
    if common.timeout != nil {
      // One that was given limits each answer, too; that to an erase takes its time.
      let limit = context.timeout ?? .seconds(86_400)
      (options.answerTime, options.eraseTime) = (limit, max(limit, options.eraseTime))
    }
    if wait {
      options.returnTime = nil
    } else if let timeout = context.timeout {
      options.returnTime = options.returnTime.map { max($0, timeout) }
    }
    options.pairing = pairing?.ofUpdate(named: "\(target.device)")
    return options
  }
}

extension UpdateCommand {
  /// Between two searches for devices that wake seldom, those that are heard together are updated together.
  private static let wakingTime = Duration.milliseconds(500)

  private func updateAll(
    _ update: FirmwareUpdate, _ pairing: PairingOnDemand?, in context: CommandContext
  ) async throws {
    let (wanted, isDryRun) = (target.device, dryRun)
    let work = DeviceJobs(wanted, jobs: jobs ?? DeviceJobs.usualCount, in: context)
    let (rack, turns) = (UpdateRack(), AsyncMutex())
    let finder = UpdateFinder(notes: UpdateNotes(), context: context, others: { [] })
    do {
      repeat {
        let found = try await context.showingProgress({ rack.waitingText(for: wanted) }) {
          // Those that an earlier run has left in their bootloaders have other names, and other addresses.
          let noted = finder.notes.notes(on: wanted)
          return try await work.find(
            within: wait ? nil : context.timeout, quietTime: wait ? Self.wakingTime : DeviceJobs.quietTime,
            // One more shows that the number is wrong.
            count: count.map { wait ? $0 - rack.endedCount : $0 + 1 }, without: rack.ended,
            recognizing: { info in
              finder.note(on: info, among: noted, of: wanted).map { .address($0.address) }
            })
        }
        if !wait { try note(found, in: context) }
        rack.begin(found)
        let failures = try await context.showingProgress({ rack.text }) {
          try await work.run(on: found) { device in
            let job = UpdateJob(
              update: update, isDryRun: isDryRun, pairing: pairing, reconnector: nil, turns: turns,
              board: rack.board(of: device), context: context.line(for: device),
              companions: { rack.addresses(without: device) })
            return try await job.runAmongOthers(on: device, rack)
          }
        }
        for device in found {
          let failure = failures[device]
          rack.end(device, failure, isFinal: !(wait && isWorthWaiting(failure)))
        }
      } while wait && (count.map { rack.endedCount < $0 } ?? true)
    } catch {
      if rack.endedCount > 0 { context.remark(rack.summary(isDryRun: dryRun)) }
      throw error
    }
    context.remark(rack.summary(isDryRun: dryRun))
    if let failure = rack.failure { throw failure }
  }

  /// Says how many devices were found; another number than is wanted is an error, before any is changed.
  private func note(_ found: [DeviceArgument], in context: CommandContext) throws(CommandError) {
    let isMore = count.map { found.count > $0 } ?? false
    if !isMore { context.remark("found \(found.count) device\(found.count == 1 ? "" : "s")") }
    guard let count, found.count != count else { return }
    throw CommandError(
      status: .notFound,
      message: "cannot update \(target.device): "
        + (isMore ? "there are more than \(count) devices" : "found \(found.count) of \(count) devices"),
      details: found.map { "\($0)" },
      hint: isMore ? "a name or a pattern that only those have" : "--wait, if they wake seldom")
  }

  /// True if the device may be there later.
  private func isWorthWaiting(_ failure: CommandError?) -> Bool {
    failure.map { $0.isAbsence || [.timedOut, .notFound].contains($0.status) } ?? false
  }
}

extension UpdateJob {
  /// Updates one of several devices; prints and returns its failure.
  fileprivate func runAmongOthers(
    on device: DeviceArgument, _ rack: UpdateRack
  ) async throws -> CommandError? {
    do {
      rack.note(try await run(on: DeviceChoice(device)), of: device)
      return nil
    } catch {
      guard !Task.isCancelled, !(error is ConsoleError),
        let failure = ErrorReport.understood(error, device: "\(device)", on: context.options.onlyHost)
      else { throw error }
      ErrorReport.print(failure, verbosity: context.options.verbose, on: context.console)
      return failure
    }
  }
}

extension CommandContext {
  /// The context of one of several devices, whose lines begin with its address.
  fileprivate func line(for device: DeviceArgument) -> CommandContext {
    let prefix = "\(device)\t"
    return line(
      options, over: nil, console: console.prefixed(output: options.json ? "" : prefix, errors: prefix))
  }
}

extension PairingOnDemand {
  /// Pairs during an update, with the same dialogue; the name of the device is for errors.
  func ofUpdate(named device: String) -> UpdatePairing {
    UpdatePairing(
      prepare: { info in
        try await self.begin(with: info.peripheral.central)
        self.permit(info)
      }, answerTime: dialogue.answerTime,
      pair: { peripheral in try await self.pairAsDemanded(over: peripheral, named: device) })
  }
}
