// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

/// The one agent that the manager registers with bluetoothd, and the people behind it.
///
/// Confined to the manager, which passes itself to what calls BlueZ.
final class AgentSession {
  /// Who answers questions, about one device or about all.
  final class Answerer {
    /// Why a pairing has failed on our side.
    enum Failure {
      case rejected
      case unanswered
      case cancelled
    }

    let agent: any PairingAgent
    /// The device that it pairs with; nil answers for every device.
    let devicePath: String?
    /// Whether it also wants the questions of pairings that no program began.
    let isDefault: Bool
    /// The last question that showed how the devices pair.
    var method: PairingMethod?
    var failure: Failure?
    /// Whether a question was refused or withdrawn, which ends the pairing.
    var isRefused = false
    /// The work of the pairing.
    var task: Task<Result<PairingOutcome, BLEError>, Never>?
    /// Whether the link is opened for it, and has to be closed if it fails.
    var opensLink = false
    /// Whether BlueZ has been asked to pair, and has not answered.
    var isAsked = false

    init(_ agent: any PairingAgent, for devicePath: String?, isDefault: Bool = false) {
      self.agent = agent
      self.devicePath = devicePath
      self.isDefault = isDefault
    }
  }

  /// What bluetoothd knows of our agent.
  struct Registration: Equatable {
    let capability: PairingCapability
    let isDefault: Bool
  }

  static let path = "/blectl/pairing/agent"
  static let root = "/blectl/pairing"

  /// The pairing under way: one at a time, since an agent gets one question at a time.
  private(set) var pairing: Answerer?
  /// Who answers whatever comes.
  private(set) var standing: Answerer?
  /// The turns of pairings.
  let pairings = SerialQueue()
  /// The turns of calls that register and unregister.
  let registering = SerialQueue()
  var registration: Registration?
  private(set) var questions: [AgentQuestion] = []
  private var lastNumber = 0

  /// The registration that is needed now; nil for none.
  var wanted: Registration? {
    guard let answerer = pairing ?? standing else { return nil }
    return Registration(capability: answerer.agent.capability, isDefault: standing?.isDefault ?? false)
  }

  func begin(pairing answerer: Answerer) { pairing = answerer }

  func endPairing() { pairing = nil }

  /// BlueZ has answered the call to pair with a device.
  func answered(_ devicePath: String) { if pairing?.devicePath == devicePath { pairing?.isAsked = false } }

  /// - Returns: false when somebody answers already.
  func begin(standing answerer: Answerer) -> Bool {
    guard standing == nil else { return false }
    standing = answerer
    return true
  }

  func endStanding() { standing = nil }

  /// Cancels the pairing of this manager with a device, and waits for its end.
  func cancelPairing(with devicePath: String, _ operation: Operation) async throws(BLEError) {
    guard let pairing, pairing.devicePath == devicePath, let task = pairing.task else {
      throw operation.error(.notFound, "this program is not pairing with the device")
    }
    pairing.failure = .cancelled
    task.cancel()
    _ = await task.value
  }

  /// Who answers a question about a device; nil refuses it.
  func answerer(for devicePath: String) -> Answerer? {
    pairing.flatMap { $0.devicePath == devicePath ? $0 : nil } ?? standing
  }

  /// A number that no other question has had.
  var nextNumber: Int { lastNumber + 1 }

  func add(_ question: AgentQuestion) {
    questions.append(question)
    lastNumber = question.number
  }

  /// An open question.
  func question(_ number: Int) -> AgentQuestion? { questions.first { $0.number == number } }

  func remove(_ question: AgentQuestion) { questions.removeAll { $0 === question } }
}

extension AgentSession {
  /// How long a question may be open: the devices give up after 30 s.
  ///
  /// What is shown stays until the pairing ends.
  static let answerTime = Duration.seconds(25)

  /// A call of bluetoothd to our agent.
  func receive(_ method: String, _ call: Message, in central: isolated CentralManager) -> LocalAnswer? {
    switch method {
    case "Cancel":
      withdrawQuestions(in: central)
      return .now(Message(replyTo: call))
    case "Release":
      central.logger.debug("bluetoothd has released the pairing agent")
      withdrawQuestions(in: central)
      registration = nil
      return .now(Message(replyTo: call))
    default:
      guard let (kind, path) = AgentQuestion.Kind.parse(method, call) else { return nil }
      return ask(kind, about: path, call, in: central)
    }
  }

  /// Puts a question to whom it concerns.
  private func ask(
    _ kind: AgentQuestion.Kind, about path: String, _ call: Message, in central: isolated CentralManager
  ) -> LocalAnswer {
    central.model.devices.load(path)
    guard let answerer = answerer(for: path),
      let info = central.model.devices[path].flatMap({ PeripheralInfo($0, central: central) })
    else { return .now(AgentAnswer.rejected.reply(to: call)) }
    let question = AgentQuestion(number: nextNumber, kind, path, call, answerer)
    if let method = kind.method { answerer.method = method }
    // A device shows one passkey at a time, and reports on it again and again.
    for shown in questions where shown.isDisplay && question.isDisplay { end(shown, central) }
    add(question)
    let number = question.number
    if !question.isDisplay {
      question.timer = central.loop.schedule(at: LoopClock.now + AgentSession.answerTime) { [weak central] in
        central?.assumeIsolated { $0.agent.expire(number, in: $0) }
      }
    }
    let agent = answerer.agent
    question.task = central.inBackground { central in
      let answer = await agent.answer(kind, for: info)
      guard let question = central.agent.question(number), !question.isDisplay else { return }
      central.agent.finish(question, answer, in: central)
    }
    return question.isDisplay ? .now(Message(replyTo: call)) : .later
  }

  /// Sends an answer, unless the question is void.
  private func finish(_ question: AgentQuestion, _ answer: AgentAnswer, in central: isolated CentralManager) {
    guard question.isOpen else { return }
    end(question, central)
    switch answer {
    case .rejected, .cancelled: question.answerer.isRefused = true
    case .passkey, .pinCode, .yes: break
    }
    if case .rejected = answer { question.answerer.failure = question.answerer.failure ?? .rejected }
    if question.call.wantsReply {
      let reply = answer.reply(to: question.call)
      central.connection.assumeIsolated { _ = try? $0.send(reply, isSecret: true) }
    }
  }

  private func end(_ question: AgentQuestion, _ central: isolated CentralManager) {
    question.close()
    if let timer = question.timer { central.loop.cancel(timer) }
    remove(question)
  }

  // MARK: Questions that become void

  private func expire(_ number: Int, in central: isolated CentralManager) {
    guard let question = question(number) else { return }
    question.answerer.failure = question.answerer.failure ?? .unanswered
    withdraw(question, in: central)
  }

  /// Answers a question with Canceled, or ends a display, and lets the agent know.
  private func withdraw(_ question: AgentQuestion, in central: isolated CentralManager) {
    guard question.isOpen else { return }
    if question.isDisplay { end(question, central) } else { finish(question, .cancelled, in: central) }
    question.task?.cancel()
    let agent = question.answerer.agent
    central.inBackground { _ in await agent.cancelled() }
  }

  /// Withdraws all questions, or those about a device.
  func withdrawQuestions(about path: String? = nil, in central: isolated CentralManager) {
    for question in questions where path == nil || question.devicePath == path {
      withdraw(question, in: central)
    }
  }

  /// Ends the display of a passkey: the pairing has succeeded.
  func devicePaired(_ path: String, in central: isolated CentralManager) {
    for question in questions where question.devicePath == path && question.isDisplay {
      end(question, central)
    }
  }
}
