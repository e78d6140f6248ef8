// SPDX-License-Identifier: MIT

/// The wrong answers that a peripheral gives at present.
struct AnswerFaults {
  private struct Entry {
    let fault: AnswerFault
    var left: Countdown
  }

  /// By the handle of the characteristic's value.
  private var entries: [UInt16: [Entry]] = [:]

  /// Adds a fault: it takes the place of one for the same requests.
  mutating func add(_ fault: AnswerFault, to handle: UInt16) {
    entries[handle, default: []].removeAll { $0.fault.operation == fault.operation }
    entries[handle, default: []].append(Entry(fault: fault, left: Countdown(fault.times)))
  }

  mutating func removeAll(of handle: UInt16) { entries[handle] = nil }

  mutating func removeAll() { entries = [:] }

  /// What is wrong with the answer to this request; nil is nothing.
  ///
  /// The newest fault counts.
  mutating func take(_ operation: AnswerFault.Operation, of handle: UInt16) -> AnswerFault.Answer? {
    guard
      let index = entries[handle]?.lastIndex(where: { entry in
        !entry.left.isOver && (entry.fault.operation ?? operation) == operation
      })
    else { return nil }
    _ = entries[handle]?[index].left.take()
    return entries[handle]?[index].fault.answer
  }
}
