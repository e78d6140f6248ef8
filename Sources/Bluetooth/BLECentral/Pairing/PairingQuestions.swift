// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The open questions of pairings, and the displayed passkeys; confined to the manager.
final class PairingQuestions {
  private unowned let core: CentralCore
  private var open: [AgentQuestion] = []
  private var lastNumber = 0

  init(_ core: CentralCore) { self.core = core }

  /// The time limit for an open question, but not for a display.
  ///
  /// Devices give up after 30 s.
  static let answerTime = Duration.seconds(25)

  func contain(_ devicePath: String) -> Bool { open.contains { $0.devicePath == devicePath } }

  private subscript(number: Int) -> AgentQuestion? { open.first { $0.number == number } }

  // MARK: Asking

  func ask(
    _ kind: AgentQuestion.Kind, about path: String, _ call: Message
  ) -> LocalAnswer {
    core.client.model.devices.load(path)
    guard let answerer = core.agent.answerer(for: path),
      let info = core.client.model.devices[path].flatMap({ core.info($0) })
    else {
      noteRefusal(of: kind, about: path)
      return .now(AgentAnswer.rejected.reply(to: call))
    }
    // BlueZ also asks when it reads a value for itself, such as the battery level.
    if answerer.isPairingRejected { return .now(AgentAnswer.rejected.reply(to: call)) }
    lastNumber += 1
    let question = AgentQuestion(number: lastNumber, kind, path, call, answerer)
    if let method = kind.method { answerer.method = method }
    // A device shows one passkey at a time, and reports each digit typed.
    for shown in open where shown.isDisplay && question.isDisplay { end(shown) }
    open.append(question)
    let number = question.number
    if !question.isDisplay {
      question.timer = core.loop.schedule(at: LoopClock.now + PairingQuestions.answerTime) {
        [weak self] in self?.expire(number)
      }
    }
    if question.isDisplay { noteAnswer(to: question) }
    let agent = answerer.agent
    question.task = core.inBackground { [self] in
      let answer = await agent.answer(kind, for: info)
      guard let question = self[number], !question.isDisplay else { return }
      finish(question, answer)
    }
    return question.isDisplay ? .now(Message(replyTo: call)) : .later
  }

  private func finish(_ question: AgentQuestion, _ answer: AgentAnswer) {
    guard question.isOpen else { return }
    end(question)
    switch answer {
    case .rejected, .cancelled:
      question.answerer.isRefused = true
      if question.answerer.devicePath == nil {
        noteRefusal(of: question.kind, about: question.devicePath)
      }
    case .passkey, .pinCode, .yes: noteAnswer(to: question)
    }
    if case .rejected = answer { question.answerer.failure = question.answerer.failure ?? .rejected }
    if question.call.wantsReply {
      let reply = answer.reply(to: question.call)
      core.connection.assumeIsolated { _ = try? $0.send(reply, isSecret: true) }
    }
  }

  /// Tells the session of the device, one of whose requests the pairing may be for, what its failure will mean.
  private func noteAnswer(to question: AgentQuestion) {
    guard question.answerer.devicePath == nil, let method = question.kind.method else { return }
    let isPaired = core.client.model.devices[question.devicePath]?.isPaired == true
    core.sessions.devices[question.devicePath]?.bond.pairingAnswered(method, isPaired: isPaired)
  }

  /// Tells the session of the device, one of whose requests BlueZ may have asked for.
  private func noteRefusal(
    of kind: AgentQuestion.Kind, about path: String
  ) {
    if let need = kind.need { core.sessions.devices[path]?.pairingRefused(need) }
  }

  private func end(_ question: AgentQuestion) {
    question.close()
    if let timer = question.timer { core.loop.cancel(timer) }
    open.removeAll { $0 === question }
  }

  // MARK: Withdrawing questions

  private func expire(_ number: Int) {
    guard let question = self[number] else { return }
    question.answerer.failure = question.answerer.failure ?? .unanswered
    withdraw(question)
  }

  /// Answers a question with Canceled, or ends a display, and tells the agent.
  private func withdraw(_ question: AgentQuestion) {
    guard question.isOpen else { return }
    if question.isDisplay { end(question) } else { finish(question, .cancelled) }
    question.task?.cancel()
    let agent = question.answerer.agent
    Task(executorPreference: core.loop) { await agent.cancelled() }
  }

  func withdraw(about path: String? = nil) {
    for question in open where path == nil || question.devicePath == path {
      withdraw(question)
    }
  }

  /// Ends the display of a passkey after the pairing succeeded.
  func devicePaired(_ path: String) {
    for question in open where question.devicePath == path && question.isDisplay {
      end(question)
    }
  }
}
