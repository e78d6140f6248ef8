// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments
internal import Glibc
internal import TerminalOutput
package import ValueStreams

/// The command line's agent: options answer, or a person at the terminal, or a program that reads records.
package final class PairingDialogue: PairingAgent {
  /// The channel on which questions can be asked.
  package enum Channel: Sendable {
    case terminal
    /// Records on stdout, answers on stdin.
    case records
    case nobody
  }

  /// A question that was refused because there was no way to answer it.
  package struct Refusal: Sendable, Hashable {
    package let reason: String
    package let option: String
  }

  private struct State {
    // The key is BlueZ's object: the address of a device with a private address changes when it pairs.
    var permitted: Set<Peripheral> = []
    var methods: [Peripheral: PairingMethod] = [:]
    var refusal: Refusal?
    /// The last question or display.
    var last: (device: PeripheralInfo, question: Int?)?
    var lastQuestion = 0
    /// True if a late answer to a withdrawn question may still come.
    var mayHearLateAnswer = false
  }

  package let options: PairingAnswers
  package let channel: Channel
  private let context: CommandContext
  /// Sends a record to the output without waiting for its reader.
  package let send: @Sendable (PairingRecord) -> Void
  private let answers: PromptInput
  private let state = Lock(State())
  /// True if refusals are reported at once, because others begin the pairings.
  private let reportsRefusals: Bool

  package init(
    _ options: PairingAnswers, _ channel: Channel, reportsRefusals: Bool = false, context: CommandContext,
    send: @escaping @Sendable (PairingRecord) -> Void = { _ in }
  ) {
    self.options = options
    self.channel = channel
    self.context = context
    self.reportsRefusals = reportsRefusals
    self.send = send
    answers = PromptInput(on: context.loop)
  }

  /// Returns the channel for the questions of `pair` and `agent`, which pair in any case.
  package static func channel(of context: CommandContext) -> Channel {
    context.options.json ? .records : terminalOrNobody(context)
  }

  /// The terminal, if questions can be shown and answered there.
  static func terminalOrNobody(_ context: CommandContext) -> Channel {
    context.console.errors.isTerminal && isatty(STDIN_FILENO) == 1 ? .terminal : .nobody
  }

  package var answerTime: Duration { channel == .nobody ? .zero : CentralManager.pairingAnswerTime }

  // MARK: State

  /// Lets a device pair without a number, because the user asked to pair with it.
  package func permit(_ device: Peripheral) { _ = state.withLock { $0.permitted.insert(device) } }

  /// Returns the method by which a device paired, judging by its questions; nil if it asked none.
  @discardableResult
  package func takeMethod(of device: Peripheral) -> PairingMethod? {
    state.withLock { $0.methods.removeValue(forKey: device) }
  }

  package var refusal: Refusal? { state.withLock { $0.refusal } }

  // MARK: The agent

  package var abilities: PairingAbilities {
    if options.passkey != nil || options.pin != nil { return .types }
    if channel != .nobody { return [.shows, .confirms, .types] }
    return options.yes ? [.shows, .confirms] : []
  }

  package var capability: PairingCapability { options.capability?.capability ?? PairingCapability(abilities) }

  package func passkey(for device: PeripheralInfo) async -> Passkey? {
    begin(device, .passkey)
    if let passkey = options.passkey { return passkey }
    return await ask(
      Question(
        event: .passkeyWanted, device: device, text: "\(label(device)) shows a passkey.", prompt: "Passkey: ",
        option: "--passkey N", mistake: "A passkey has up to six digits.")
    ) { Passkey($0) }
  }

  package func pinCode(for device: PeripheralInfo) async -> String? {
    begin(device, .pin)
    if let pin = options.pin ?? options.passkey?.description { return pin }
    return await ask(
      Question(
        event: .pinWanted, device: device, text: "\(label(device)) wants a PIN.", prompt: "PIN: ",
        option: "--pin TEXT", mistake: "A PIN has 1 to 16 characters.")
    ) { (1...16).contains($0.utf8.count) ? $0 : nil }
  }

  package func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async {
    begin(device, .passkey)
    if entered == 0 {
      show(
        PairingRecord(event: .passkeyShown, address: device.address, passkey: passkey), passkey.description,
        device)
    }
  }

  package func display(pinCode: String, for device: PeripheralInfo) async {
    begin(device, .pin)
    show(PairingRecord(event: .pinShown, address: device.address, pin: pinCode), pinCode, device)
  }

  package func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool {
    begin(device, .numericComparison)
    if options.yes { return true }
    return await askYesOrNo(
      Question(
        event: .confirm, device: device, passkey: passkey, text: "Does \(label(device)) show \(passkey)?",
        option: "--yes"))
  }

  package func authorize(_ device: PeripheralInfo) async -> Bool {
    begin(device, .justWorks)
    if options.yes || state.withLock({ $0.permitted.contains(device.peripheral) }) { return true }
    return await askYesOrNo(
      Question(
        event: .authorize, device: device, text: "Let \(label(device)) pair, without a number?",
        option: "--yes"))
  }

  package func authorize(service: BluetoothUUID, for device: PeripheralInfo) async -> Bool {
    begin(device, nil)
    if options.yes { return true }
    return await askYesOrNo(
      Question(
        event: .authorize, device: device, service: service,
        text: "Let \(label(device)) use service \(service)?", option: "--yes"))
  }

  package func cancelled() async {
    guard TerminationRequest.signal == nil, let last = state.withLock({ $0.last }) else { return }
    switch channel {
    case .records:
      send(PairingRecord(event: .cancelled, question: last.question, address: last.device.address))
    case .terminal: context.remark("the question was withdrawn: the pairing ended or timed out")
    case .nobody: break
    }
  }

  // MARK: Asking

  private struct Question {
    let event: PairingRecord.Event
    let device: PeripheralInfo
    var passkey: Passkey?
    var service: BluetoothUUID?
    let text: String
    var prompt = "Yes or no: "
    let option: String
    var mistake = "Please type yes or no."
  }

  private func begin(_ device: PeripheralInfo, _ method: PairingMethod?) {
    state.withLock { state in
      state.last = (device, nil)
      if let method { state.methods[device.peripheral] = method }
    }
  }

  /// The name of the device, made safe, and its address.
  private func label(_ device: PeripheralInfo) -> String {
    guard let name = device.name else { return "\(device.address)" }
    return "\(DisplayWidth.truncated(TerminalSafe.escaped(name), to: 24)) (\(device.address))"
  }

  private func show(_ record: PairingRecord, _ digits: String, _ device: PeripheralInfo) {
    if channel == .records {
      send(record)
    } else {
      context.terminal.beginPrompt(on: context.console)
      context.console.note("Type \(digits) into \(label(device)).")
      context.terminal.endPrompt()
    }
  }

  private func askYesOrNo(_ question: Question) async -> Bool {
    await ask(question) { text in
      switch text.lowercased() {
      case "yes", "y": true
      case "no", "n": false
      default: nil
      }
    } ?? false
  }

  /// Asks until an answer can be understood; nil refuses.
  private func ask<Answer: Sendable>(
    _ question: Question, _ parse: @Sendable (String) -> Answer?
  ) async -> Answer? {
    switch channel {
    case .nobody:
      refuse(question, "there is no way to ask a person")
      return nil
    case .terminal:
      answers.discardEarlierInput()
      let prompt = PairingPrompt(text: question.text, prompt: question.prompt, context: context)
      return await prompt.show {
        guard case .answer(let answer) = await next(parse, again: { prompt.again(question.mistake) }) else {
          prompt.void()
          return nil
        }
        return answer
      }
    case .records: return await askProgram(question, parse)
    }
  }

  /// Asks a program by a record, which has the number of the question.
  ///
  /// The first question about the device that the user has named can be answered in advance, as by `echo 042017 |`. What
  /// was written before any other question answers another one, or none.
  private func askProgram<Answer: Sendable>(
    _ question: Question, _ parse: @Sendable (String) -> Answer?
  ) async -> Answer? {
    let address = question.device.address
    let (number, isNamed) = state.withLock { state in
      state.lastQuestion += 1
      state.last?.question = state.lastQuestion
      return (state.lastQuestion, state.permitted.contains(question.device.peripheral))
    }
    if number > 1 || !isNamed { answers.discardEarlierInput() }
    let record = PairingRecord(
      event: question.event, question: number, address: address, name: question.device.name,
      passkey: question.passkey, service: question.service)
    send(record)
    let reply = await next(
      parse, in: { self.answer(in: $0, to: number, about: address) },
      again: { context.console.warn("the answer is not understood: \(question.mistake)") })
    switch reply {
    case .answer(let answer): return answer
    case .no: return nil
    case .nothing:
      if Task.isCancelled {
        state.withLock { $0.mayHearLateAnswer = true }
      } else {
        refuse(question, "standard input gave no answer")
      }
      return nil
    }
  }

  private enum Reply<Answer> {
    case answer(Answer)
    /// A refusal of a question that does not ask for yes or no.
    case no
    /// The input ended, or the question was withdrawn.
    case nothing
  }

  /// The next reply that `parse` understands; `answer` returns nil for a line about another question.
  private func next<Answer>(
    _ parse: (String) -> Answer?, in answer: (String) -> String? = { $0 }, again: () -> Void
  ) async -> Reply<Answer> {
    while let line = await answers.next() {
      guard let text = answer(line) else { continue }
      if let answer = parse(text) { return .answer(answer) }
      if ["no", "n"].contains(text.lowercased()) { return .no }
      again()
    }
    return .nothing
  }

  /// The answer in a line of a program; nil if it answers another question, or cannot be read.
  private func answer(in line: String, to question: Int, about address: BluetoothAddress) -> String? {
    let expected = #"{"question":\#(question),"address":"\#(address)","answer":"…"}"#
    let takesPlainText = !state.withLock { $0.mayHearLateAnswer }
    do throws(PairingReply.Problem) {
      return try PairingReply(line: line)
        .text(answering: question, about: address, takesPlainText: takesPlainText)
    } catch {
      let problem =
        switch error {
        case .malformed: "it is not \(expected)"
        case .otherQuestion(let other): "it answers question \(other), and question \(question) is open"
        case .otherDevice(let other): "it is about \(other), and question \(question) is about \(address)"
        case .mayBeLate: "it may belong to a question that was withdrawn; write \(expected)"
        }
      context.console.warn("ignored an answer: \(problem)")
      return nil
    }
  }

  private func refuse(_ question: Question, _ why: String) {
    let subject =
      switch question.event {
      case .passkeyWanted: "the device asks for the passkey that it shows"
      case .pinWanted: "the device asks for a PIN"
      case .confirm: "a person must compare two numbers"
      default: "a person must approve the pairing"
      }
    let refusal = Refusal(reason: "\(subject), and \(why)", option: question.option)
    state.withLock { $0.refusal = refusal }
    guard reportsRefusals else { return }
    context.console.warn("refused to pair with \(question.device.address): \(refusal.reason)")
    context.remark("hint: \(refusal.option)")
  }
}
