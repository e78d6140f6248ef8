// SPDX-License-Identifier: MIT

extension CommandWord {
  /// Commands for a characteristic.
  static let characteristicWords = [
    characteristic(
      "set-value", "Sets the value and notifies subscribed clients.",
      [.required("value", \.value, Codec.value, "The value.")], isUndoable: false
    ) { fields in
      .setValue(fields.value)
    } take: { command, fields in
      guard case .setValue(let value) = command else { return false }
      fields.value = value
      return true
    },
    fixed(
      "repeat-characteristic", "The daemon signals all its properties again although none has changed.",
      .repeatProperties),
    characteristic("slow-answer", "Requests are answered late.", [.delay, .operation, .times]) { fields in
      .answer(AnswerFault(.late(fields.delay), to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .late(let delay) = fault.answer else { return false }
      fields.delay = delay
      fields.take(fault)
      return true
    },
    characteristic("no-answer", "Requests are never answered.", [.operation, .times]) { fields in
      .answer(AnswerFault(.never, to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .never = fault.answer else { return false }
      fields.take(fault)
      return true
    },
    characteristic(
      "att-error", "Requests are answered with an ATT error.",
      [.required("code", \.code, Codec.attError, "The error code."), .operation, .times]
    ) { fields in
      .answer(AnswerFault(.error(fields.code), to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .error(let code) = fault.answer else { return false }
      fields.code = code
      fields.take(fault)
      return true
    },
    fixed("heal-characteristic", "Requests are answered normally again.", .heal),
  ]

  /// A command without keys of its own.
  private static func fixed(_ word: String, _ about: String, _ command: CharacteristicAction) -> CommandWord {
    characteristic(word, about, isUndoable: false) { _ in
      command
    } take: { other, _ in
      other == command
    }
  }
}

extension CommandObject {
  /// Sets the keys that all answer faults share.
  fileprivate mutating func take(_ fault: AnswerFault) {
    operation = fault.operation
    times = fault.times
  }
}
