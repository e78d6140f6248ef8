// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments
internal import Glibc
internal import TerminalOutput
internal import ValueStreams

/// Pairs when a device requires it, for `--pair`.
///
/// Our agent is registered meanwhile: without any agent, BlueZ never answers a request that requires pairing.
/// It does not become the default agent unless it is the only one.
package final class PairingOnDemand: Sendable {
  package let dialogue: PairingDialogue
  private let context: CommandContext
  private let answering = Lock<(central: CentralManager, task: Task<Void, Never>)?>(nil)
  /// Devices that may pair and whose pairing is not reported yet, and how long its end is waited for after the next answer.
  private let unpaired = Lock<[Peripheral: Duration]>([:])

  /// BlueZ asks an agent one question at a time: it never answers a request for which a second device wants to ask meanwhile.
  private let questions = AsyncMutex()

  /// The time that a device may take after its first answer to exchange the rest of the keys.
  private static let timeToExchangeKeys = Duration.seconds(1)

  /// - Returns: nil without answers.
  package init?(_ answers: PairingAnswers?, in context: CommandContext) {
    guard let answers else { return nil }
    self.context = context
    dialogue = PairingDialogue(answers, PairingDialogue.terminalOrNobody(context), context: context)
  }

  /// Registers an agent with the BlueZ of a manager, unless it already has.
  package func begin(with central: CentralManager) async throws {
    if answering.withLock({ $0?.central === central }) { return }
    let ready = Promise<BLEError?>()
    let dialogue = dialogue
    let task = Task(executorPreference: context.loop) {
      do throws(BLEError) {
        try await central.answerPairings(using: dialogue, isDefault: false) { ready.fulfil(nil) }
      } catch {
        ready.fulfil(error)
      }
    }
    answering.exchange((central, task))?.task.cancel()
    let error = await withTaskCancellationHandler {
      await ready.value
    } onCancel: {
      task.cancel()
    }
    guard let error else { return }
    answering.exchange(nil)
    throw error
  }

  /// Lets a device pair; call before connecting: BlueZ may pair at once, for a request of its own.
  package func permit(_ device: PeripheralInfo) {
    dialogue.permit(device.peripheral)
    if !device.isPaired {
      unpaired.withLock { $0[device.peripheral] = $0[device.peripheral] ?? Self.timeToExchangeKeys }
    }
  }

  /// Sends requests that may make BlueZ ask, while no other device does so.
  package func inTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await questions.withTurn(on: context.loop, body)
  }

  /// Sends requests to a device, whose name is for errors; if it requires pairing, pairs and sends them again.
  package func run<Result>(
    over peripheral: Peripheral, named device: String, _ body: () async throws -> Result
  ) async throws -> Result {
    // The requests of paired devices need not wait.
    guard unpaired.withLock({ $0[peripheral] != nil }) else {
      return try await runInTurn(over: peripheral, named: device, body)
    }
    return try await inTurn { try await runInTurn(over: peripheral, named: device, body) }
  }

  private func runInTurn<Result>(
    over peripheral: Peripheral, named device: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      await reportPairing(of: peripheral)
      return result
    } catch let error as BLEError where [.notPaired, .bondLost].contains(error.code) {
      // Asking again would be refused again.
      if dialogue.refusal != nil { throw report.explained(error, device: device) }
      try await pair(over: peripheral, named: device)
      return try await body()
    }
  }

  /// Reports once that BlueZ paired by itself because a value requires it.
  private func reportPairing(of peripheral: Peripheral) async {
    // Only once: most values require no pairing.
    let patience = unpaired.withLock { unpaired in
      defer { if unpaired[peripheral] != nil { unpaired[peripheral] = .zero } }
      return unpaired[peripheral]
    }
    guard let patience else { return }
    guard await peripheral.isPaired(within: patience), let info = try? await peripheral.info, info.isPaired,
      unpaired.withLock({ $0.removeValue(forKey: peripheral) }) != nil
    else { return }
    report.paired(info, dialogue.takeMethod(of: peripheral) ?? .justWorks)
  }

  private var report: PairingReport { PairingReport(context: context, dialogue: dialogue) }

  /// Pairs with the device of a link, unless BlueZ did so meanwhile for another of its requests.
  private func pair(over peripheral: Peripheral, named device: String) async throws {
    let limit = context.timeout.map { $0 + dialogue.answerTime }
    do {
      let outcome = try await context.showingProgress("pairing with \(peripheral.address)") {
        try await peripheral.pair(using: dialogue, timeout: limit)
      }
      unpaired.withLock { $0[peripheral] = nil }
      report.paired(try await peripheral.info, outcome.method)
    } catch let error as BLEError where error.code == .alreadyPaired {
      await reportPairing(of: peripheral)
    } catch let error as BLEError where error.code != .cancelled {
      throw report.explained(error, device: device)
    }
  }

  /// Pairs with the device of a link that has refused a request; its name is for errors.
  package func pairAsDemanded(over peripheral: Peripheral, named device: String) async throws {
    // Asking again would be refused again.
    if dialogue.refusal != nil {
      let error = BLEError(
        .notPaired, during: .pair(peripheral.address), "the device requires pairing")
      throw report.explained(error, device: device)
    }
    try await pair(over: peripheral, named: device)
  }

  /// Pairs with a device that is not paired.
  package func pairBeforehand(over peripheral: Peripheral, named device: String) async throws {
    if try await !peripheral.info.isPaired { try await pair(over: peripheral, named: device) }
  }

  /// Deletes a bond that the device has lost; the device must then be found again.
  package func forget(_ peripheral: Peripheral) async throws {
    context.remark("\(peripheral.address) has lost the keys of the pairing: pairing again")
    try await peripheral.unpair(timeout: context.timeout)
    unpaired.withLock { $0[peripheral] = Self.timeToExchangeKeys }
  }
}

/// The output of a command about a pairing that succeeded or failed.
package struct PairingReport {
  package let context: CommandContext
  package let dialogue: PairingDialogue

  package init(context: CommandContext, dialogue: PairingDialogue) {
    self.context = context
    self.dialogue = dialogue
  }

  /// Reports success: a record, or a sentence about protection; `method` is nil if another program paired.
  package func paired(_ info: PeripheralInfo, _ method: PairingMethod?) {
    if dialogue.channel == .records {
      dialogue.send(
        PairingRecord(
          event: .paired, address: info.address, name: info.name, method: method, isBonded: info.isBonded))
    } else {
      context.remark("paired", of: info)
      context.remark(meaning(of: method))
    }
    if !info.isBonded {
      context.console.warn("the keys are not kept: the next connection has to pair again")
    }
  }

  private func meaning(of method: PairingMethod?) -> String {
    switch method {
    case nil: "another program has begun and answered this pairing"
    case .justWorks: "Just Works: links are encrypted, but a device in between would go unnoticed"
    case .passkey: "passkey: links are encrypted, and no device is in between"
    case .numericComparison where dialogue.options.yes:
      "numeric comparison with --yes: links are encrypted, but a device in between would go unnoticed"
    case .numericComparison: "numeric comparison: links are encrypted, and no device is in between"
    case .pin: "PIN: links are encrypted, but a short PIN can be guessed"
    }
  }

  /// The error for the user; if the question had no answer, with the option that would have answered it.
  package func explained(_ error: BLEError, device: String) -> CommandError {
    let refusal = [.pairingRejected, .notPaired].contains(error.code) ? dialogue.refusal : nil
    var error = error
    if let refusal { error.message = refusal.reason }
    var explained = CommandError(error, device: device)
    let target = error.device.map { "\($0)" } ?? ShellWord.quoted(device)
    if let refusal {
      explained.hint = "blectl pair \(target) \(refusal.option), or run it on a terminal"
    } else if error.code == .authenticationFailed, dialogue.capability == .noInputNoOutput {
      explained.hint = "blectl pair \(target) --passkey N, or run it on a terminal"
    }
    return explained
  }
}
