// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The open questions of pairings, and the displayed passkeys; confined to the manager.
final class PairingQuestions {
  private var open: [AgentQuestion] = []
  private var lastNumber = 0

  /// How long a question, but not a display, may stay open: devices give up after 30 s.
  static let answerTime = Duration.seconds(25)

  func contain(_ devicePath: String) -> Bool { open.contains { $0.devicePath == devicePath } }

  private subscript(number: Int) -> AgentQuestion? { open.first { $0.number == number } }

  // MARK: Asking

  func ask(
    _ kind: AgentQuestion.Kind, about path: String, _ call: Message, in central: isolated CentralManager
  ) -> LocalAnswer {
    central.model.devices.load(path)
    guard let answerer = central.agent.answerer(for: path),
      let info = central.model.devices[path].flatMap({ PeripheralInfo($0, central: central) })
    else {
      noteRefusal(of: kind, about: path, in: central)
      return .now(AgentAnswer.rejected.reply(to: call))
    }
    // BlueZ also asks when it reads a value for itself, such as the battery level.
    if answerer.isPairingRejected { return .now(AgentAnswer.rejected.reply(to: call)) }
    lastNumber += 1
    let question = AgentQuestion(number: lastNumber, kind, path, call, answerer)
    if let method = kind.method { answerer.method = method }
    // A device shows one passkey at a time, and reports each digit typed.
    for shown in open where shown.isDisplay && question.isDisplay { end(shown, central) }
    open.append(question)
    let number = question.number
    if !question.isDisplay {
      question.timer = central.loop.schedule(at: LoopClock.now + PairingQuestions.answerTime) {
        [weak central] in
        central?.assumeIsolated { $0.agent.questions.expire(number, in: $0) }
      }
    }
    if question.isDisplay { noteAnswer(to: question, in: central) }
    let agent = answerer.agent
    question.task = central.inBackground { central in
      let answer = await agent.answer(kind, for: info)
      guard let question = central.agent.questions[number], !question.isDisplay else { return }
      central.agent.questions.finish(question, answer, in: central)
    }
    return question.isDisplay ? .now(Message(replyTo: call)) : .later
  }

  private func finish(_ question: AgentQuestion, _ answer: AgentAnswer, in central: isolated CentralManager) {
    guard question.isOpen else { return }
    end(question, central)
    switch answer {
    case .rejected, .cancelled:
      question.answerer.isRefused = true
      if question.answerer.devicePath == nil {
        noteRefusal(of: question.kind, about: question.devicePath, in: central)
      }
    case .passkey, .pinCode, .yes: noteAnswer(to: question, in: central)
    }
    if case .rejected = answer { question.answerer.failure = question.answerer.failure ?? .rejected }
    if question.call.wantsReply {
      let reply = answer.reply(to: question.call)
      central.connection.assumeIsolated { _ = try? $0.send(reply, isSecret: true) }
    }
  }

  /// Tells the session of the device, one of whose requests the pairing may be for, what its failure will mean.
  private func noteAnswer(to question: AgentQuestion, in central: isolated CentralManager) {
    guard question.answerer.devicePath == nil, let method = question.kind.method else { return }
    central.sessions.devices[question.devicePath]?.bond.pairingAnswered(method)
  }

  /// Tells the session of the device, one of whose requests BlueZ may have asked for.
  private func noteRefusal(
    of kind: AgentQuestion.Kind, about path: String, in central: isolated CentralManager
  ) {
    if let need = kind.need { central.sessions.devices[path]?.pairingRefused(need, in: central) }
  }

  private func end(_ question: AgentQuestion, _ central: isolated CentralManager) {
    question.close()
    if let timer = question.timer { central.loop.cancel(timer) }
    open.removeAll { $0 === question }
  }

  // MARK: Withdrawing questions

  private func expire(_ number: Int, in central: isolated CentralManager) {
    guard let question = self[number] else { return }
    question.answerer.failure = question.answerer.failure ?? .unanswered
    withdraw(question, in: central)
  }

  /// Answers a question with Canceled, or ends a display, and tells the agent.
  private func withdraw(_ question: AgentQuestion, in central: isolated CentralManager) {
    guard question.isOpen else { return }
    if question.isDisplay { end(question, central) } else { finish(question, .cancelled, in: central) }
    question.task?.cancel()
    let agent = question.answerer.agent
    Task(executorPreference: central.loop) { await agent.cancelled() }
  }

  func withdraw(about path: String? = nil, in central: isolated CentralManager) {
    for question in open where path == nil || question.devicePath == path {
      withdraw(question, in: central)
    }
  }

  /// Ends the display of a passkey after the pairing succeeded.
  func devicePaired(_ path: String, in central: isolated CentralManager) {
    for question in open where question.devicePath == path && question.isDisplay {
      end(question, central)
    }
  }
}
