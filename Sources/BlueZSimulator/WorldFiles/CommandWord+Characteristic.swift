// SPDX-License-Identifier: MIT

extension CommandWord {
  /// What happens to a characteristic.
  static let characteristicWords = [
    characteristic(
      "set-value", "It gets a value, and notifies it to who is subscribed.",
      [.required("value", \.value, Form.value, "The value.")], isUndoable: false
    ) { fields in
      .setValue(fields.value)
    } take: { command, fields in
      guard case .setValue(let value) = command else { return false }
      fields.value = value
      return true
    },
    characteristic(
      "repeat-characteristic", "The daemon tells all its properties again though none has changed.",
      isUndoable: false
    ) { _ in
      .repeatProperties
    } take: { command, _ in
      command == .repeatProperties
    },
    characteristic("slow-answer", "Requests are answered later.", [.delay, .operation, .times]) { fields in
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
      [.required("code", \.code, Form.attError, "The error code."), .operation, .times]
    ) { fields in
      .answer(AnswerFault(.error(fields.code), to: fields.operation, times: fields.times))
    } take: { command, fields in
      guard case .answer(let fault) = command, case .error(let code) = fault.answer else { return false }
      fields.code = code
      fields.take(fault)
      return true
    },
    characteristic("heal-characteristic", "Requests are answered rightly again.", isUndoable: false) { _ in
      .heal
    } take: { command, _ in
      command == .heal
    },
  ]
}

extension CommandFields {
  /// Fills in what all wrong answers say.
  fileprivate mutating func take(_ fault: AnswerFault) {
    operation = fault.operation
    times = fault.times
  }
}
