// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import BlueZClient
internal import TerminalOutput

/// The update of one device: finds it, says what it runs and what it will, updates it, and reports.
struct UpdateJob: Sendable {
  let update: FirmwareUpdate
  let isDryRun: Bool
  let pairing: PairingOnDemand?
  /// Waits for a device that is away, for as long as it takes; nil gives up.
  let reconnector: Reconnector?
  /// A radio makes one connection at a time.
  let turns: AsyncMutex
  let board: UpdateBoard
  let context: CommandContext
  /// Returns the addresses of the devices that are updated beside this one.
  var companions: @Sendable () -> Set<BluetoothAddress> = { [] }
  let notes = UpdateNotes()

  /// The device, as reports call it.
  struct Subject: Sendable {
    /// That of the application.
    let address: BluetoothAddress
    let name: String?

    var title: String { name ?? "\(address)" }
  }

  /// Between two attempts with a device that is away.
  private static let pause = Duration.seconds(1)
  /// The time limit of one attempt to connect to a device that may move to its bootloader meanwhile.
  private static let attemptTime = Duration.seconds(10)

  /// Updates the device, or with a dry run says what would be done.
  ///
  /// - Returns: what was done; nil for a dry run.
  /// - Throws: ``CommandError``, ``BLEError``, `CancellationError`, the errors of the console.
  @discardableResult
  func run(on choice: DeviceChoice) async throws -> UpdateResult? {
    let subject = Lock<Subject?>(nil)
    do {
      while true {
        do {
          return try await attempt(on: choice, subject)
        } catch let error as UpdateError where reconnector != nil && error.isWorthWaiting {
          context.remark("\(choice.device): \(error.message); waiting for it")
          try await context.loop.sleep(for: Self.pause)
        }
      }
    } catch {
      throw explained(error, subject.withLock(\.self), choice)
    }
  }

  private func attempt(
    on choice: DeviceChoice, _ subject: Lock<Subject?>
  ) async throws -> UpdateResult? {
    let (peripheral, found, update) =
      if let pairing {
        try await pairing.inTurn { try await planned(choice, subject) }
      } else {
        try await planned(choice, subject)
      }
    if isDryRun {
      await peripheral.release()
      return nil
    }
    let result = try await perform(update, on: peripheral, found)
    for address in [found.address, result.address, board.application].compactMap(\.self) {
      notes.remove(address)
    }
    try report(result, of: found)
    return result
  }

  /// Connects to the device, and reports what will be done; pairs for that if the device requires it.
  private func planned(
    _ choice: DeviceChoice, _ subject: Lock<Subject?>
  ) async throws -> (Peripheral, Subject, FirmwareUpdate) {
    let (link, note) = try await open(choice)
    board.found(inBootloaderOf: note.flatMap { $0.address == link.info.address ? nil : $0.address })
    let found = Subject(
      address: note?.address ?? link.info.lastingAddress, name: note?.name ?? link.info.name)
    subject.exchange(found)
    let update = update(of: found.address, note)
    let plan: UpdatePlan
    do throws(UpdateError) {
      plan = try await update.plan(for: link.peripheral)
    } catch {
      // Others may need the radio.
      await link.peripheral.release()
      throw error
    }
    board.take(plan, startedFrom: note?.address)
    try report(plan, of: found)
    return (link.peripheral, found, update)
  }

  /// The update of a device, with what the command knows of it and of others.
  private func update(of address: BluetoothAddress, _ note: UpdateNotes.Note?) -> FirmwareUpdate {
    var options = update.options
    (options.application, options.bootloader) = (note?.address, note?.bootloader)
    // A bootloader that is meant by its own name may be that of a noted device.
    let former = note == nil ? notes.all.filter { $0.places(address, offersBootloader: true) } : []
    options.formerApplication = former.first { $0.bootloader == address }?.address
    options.others = { [self] in
      companions().union(notes.all.map(\.address)).subtracting(
        former.map(\.address) + [address, board.application].compactMap(\.self))
    }
    return FirmwareUpdate(update.firmware, options: options)
  }

  /// Updates the device; a reader that has gone ends that.
  private func perform(
    _ update: FirmwareUpdate, on peripheral: Peripheral, _ subject: Subject
  ) async throws -> UpdateResult {
    let (outcome, failure) = (Lock<UpdateResult?>(nil), Lock<ConsoleError?>(nil))
    let isUnread = Promise<Void>()
    try await context.loop.race(
      {
        let done = try await update.run(on: peripheral) { progress in
          do throws(ConsoleError) {
            try report(progress, of: subject)
          } catch {
            failure.exchange(error)
            isUnread.fulfil(())
          }
        }
        outcome.exchange(done)
      }, { await isUnread.value(ifCancelled: ()) })
    if let failure = failure.withLock(\.self) { throw failure }
    guard let result = outcome.withLock(\.self) else { throw CancellationError() }
    return result
  }

  // MARK: Finding

  /// Connects to the device; if an earlier run has left it in its bootloader, to that.
  private func open(_ choice: DeviceChoice) async throws -> (DeviceConnection, UpdateNotes.Note?) {
    let meant = notes.notes(on: choice.device)
    let finder = UpdateFinder(notes: notes, context: context, others: companions)
    let deadline = reconnector == nil ? context.timeout.map { LoopClock.now + $0 } : nil
    while !meant.isEmpty {
      guard let candidate = try await finder.find(choice, meant, until: deadline) else {
        throw CommandError.absence(of: choice.device, "not found before the timeout")
      }
      guard let note = candidate.note else { break }
      let target = DeviceChoice(DeviceArgument(candidate.info.key))
      do {
        let link = try await turns.withTurn(on: context.loop) {
          let limit = deadline.map { min($0 - LoopClock.now, Self.attemptTime) } ?? Self.attemptTime
          return try await DeviceConnection.open(target, in: context, within: limit, pairing: pairing)
        }
        return (link, note)
      } catch  where Reconnector.isWorthWaiting(error) && deadline.map({ LoopClock.now < $0 }) ?? true {
        // It may be at the other address by now.
        try await context.loop.sleep(for: Self.pause)
      }
    }
    let link = try await turns.withTurn(on: context.loop) { try await connect(to: choice) }
    return (link, nil)
  }

  private func connect(to target: DeviceChoice) async throws -> DeviceConnection {
    if let reconnector { return try await reconnector.open(target, pairing: pairing) }
    return try await DeviceConnection.open(target, in: context, pairing: pairing)
  }

  /// Lets a later run find the device, if this one ends before the device has left its bootloader.
  private func leaveNote(_ progress: UpdateProgress, of subject: Subject) {
    guard let application = board.application, [.jumping, .transferring].contains(progress.stage) else {
      return
    }
    notes.write(
      UpdateNotes.Note(
        address: application, name: application == subject.address ? subject.name : nil,
        bootloader: progress.stage == .transferring ? progress.address : nil))
  }

  // MARK: Reporting

  private var isJSON: Bool { context.options.json }

  private func write(_ event: UpdateRecord.Event, _ subject: Subject) throws(ConsoleError) {
    try context.console.write(UpdateRecord(event: event, address: subject.address, name: subject.name))
  }

  private func report(_ progress: UpdateProgress, of subject: Subject) throws(ConsoleError) {
    let news = board.take(progress)
    if news.startsBootloader == false {
      notes.remove(progress.address)
    } else if news.isNewStage || news.startsBootloader == true {
      leaveNote(progress, of: subject)
    }
    if isJSON {
      if news.isDue || progress.interruption != nil { try write(.stage(progress), subject) }
    } else if let reason = progress.interruption {
      context.remark("\(subject.title): \(reason); going on")
    } else if news.isNewStage, context.options.verbose > 0 {
      context.remark("\(subject.title): \(progress.stage.text)")
    }
  }

  private func report(_ plan: UpdatePlan, of subject: Subject) throws(ConsoleError) {
    if isJSON { return try write(.planned(plan), subject) }
    if isDryRun { return try show(plan, of: subject) }
    for warning in plan.warnings { context.console.warn("\(subject.title): \(warning)") }
    if plan.steps.isEmpty { return }
    let versions = plan.announcement(of: update.firmware)
    context.remark(
      "\(subject.title) (\(subject.address)): \(plan.method.title), \(versions); \(plan.bytes.bytes)")
  }

  /// Prints what would be done.
  private func show(_ plan: UpdatePlan, of subject: Subject) throws(ConsoleError) {
    let version = plan.to.map { ", version \($0)" } ?? ""
    let steps = plan.steps.map(\.step).joined(separator: ", ")
    var facts = [
      (
        name: "device",
        value: [subject.name, "\(subject.address)"].compactMap(\.self).joined(separator: ", ")
      ),
      (name: "protocol", value: plan.method.title), (name: "runs", value: plan.running ?? "unknown"),
      (name: "firmware", value: "\(update.firmware.fileName)\(version)"),
      (name: "to send", value: plan.isAlreadyThere ? "nothing: it runs this firmware" : plan.bytes.bytes),
    ]
    if !steps.isEmpty { facts.append((name: "steps", value: steps)) }
    facts += plan.warnings.map { (name: "warning", value: $0) }
    let console = context.console
    try console.write(
      lines: console.output.isTerminal
        ? FactLines.lines(facts, width: console.output.size?.columns, style: console.output.style)
        : facts.map { TabSeparated.line([$0.name, $0.value]) })
  }

  private func report(_ result: UpdateResult, of subject: Subject) throws(ConsoleError) {
    if isJSON {
      try write(.updated(result), subject)
    } else {
      context.remark(result.sentence(about: subject.title, update.firmware))
    }
    if result.isConfirmed { return }
    context.console.warn(result.warning(about: subject.title))
    context.console.note("hint: \(result.hint(for: subject.address))")
  }

  // MARK: Errors

  /// Returns the error for the user, with what is certain; says that of an interruption itself.
  private func explained(
    _ error: any Error, _ subject: Subject?, _ choice: DeviceChoice
  ) -> any Error {
    let (rest, hint) = remainder
    if Task.isCancelled || (error as? UpdateError)?.code == .cancelled {
      if isJSON, let subject {
        let event = UpdateRecord.Event.interrupted(
          board.stage, certain: board.certain, isWhole: board.isWhole)
        try? write(event, subject)
      }
      context.console.note("blectl: interrupted: \(rest)")
      if let hint { context.console.note("hint: \(hint)") }
      return CancellationError()
    }
    let known = subject ?? choice.device.address.map { Subject(address: $0, name: nil) }
    guard let error = error as? UpdateError else { return noted(error, known, choice) }
    if isJSON, let known {
      let event = UpdateRecord.Event.failed(
        error.message, code: error.code, deviceCode: error.deviceCode, board.stage, certain: board.certain)
      try? write(event, known)
    }
    var explained = CommandError(
      error, "update \(known?.title ?? "\(choice.device)")", device: "\(choice.device)")
    if [.refused, .deviceError].contains(error.code), board.isInBootloader {
      explained.details.append(
        "the device is still in its bootloader, which starts the former firmware after a while, if it has kept that"
      )
      explained.hint =
        explained.hint
        ?? (error.code == .refused
          ? "an update with another file finds the device there"
          : "reset the device, and update again: it is found there")
    } else if board.hasBegun, error.isWorthRepeating {
      // What the device has refused, it refuses again.
      explained.details.append(rest)
      explained.hint = explained.hint ?? hint
    }
    return explained
  }

  /// Prints the record of an error from before the update, such as that of a device that is not there.
  private func noted(_ error: any Error, _ subject: Subject?, _ choice: DeviceChoice) -> any Error {
    let host = context.options.onlyHost
    guard isJSON, let subject, !(error is ConsoleError),
      let understood = ErrorReport.understood(error, device: "\(choice.device)", on: host)
    else { return error }
    let code: UpdateError.Code =
      switch understood.status {
      case .notFound: .notFound
      case .timedOut: .timedOut
      default: .ble
      }
    try? write(
      .failed(understood.message, code: code, deviceCode: nil, board.stage, certain: board.certain), subject)
    return error
  }

  /// The state that an unfinished update has left, and what the same command would do.
  private var remainder: (rest: String, hint: String?) {
    let goesOn = UpdateBoard.goesOn
    guard let certain = board.certain else {
      if board.hasTransferred {
        return ("the device has not told yet how much of the firmware it has", goesOn)
      }
      return board.hasBegun
        ? ("no firmware was sent, but the device was told to start its bootloader", goesOn)
        : ("nothing was sent", nil)
    }
    if board.isWhole {
      return (
        "all of the firmware has arrived; it was not proved that the device runs it",
        board.method == .smp ? goesOn : "the same command sends it once more"
      )
    }
    return board.unfinished(certain)
  }
}

extension UpdateError {
  /// True if the same command may succeed, without a change of the device or the file.
  fileprivate var isWorthRepeating: Bool {
    [.linkLost, .timedOut, .notFound, .ble, .needsPairing].contains(code)
  }

  /// True if another attempt may succeed when the device is back.
  var isWorthWaiting: Bool {
    if let cause, code == .ble { return Reconnector.isHealable(cause) }
    return [.linkLost, .timedOut, .notFound].contains(code)
  }
}
