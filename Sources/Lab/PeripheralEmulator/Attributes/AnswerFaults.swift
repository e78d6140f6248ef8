// SPDX-License-Identifier: MIT
package import BLEWorld

/// The current answer faults of a peripheral.
package struct AnswerFaults {
  private struct Entry {
    let fault: AnswerFault
    var left: RemainingCount
  }

  /// The faults, by the handle of the characteristic's value.
  private var entries: [UInt16: [Entry]] = [:]

  package init() {}

  /// Adds a fault, which replaces one for the same requests.
  package mutating func add(_ fault: AnswerFault, to handle: UInt16) {
    entries[handle, default: []].removeAll { $0.fault.operation == fault.operation }
    entries[handle, default: []].append(Entry(fault: fault, left: RemainingCount(fault.times)))
  }

  package mutating func removeAll(of handle: UInt16) { entries[handle] = nil }

  package mutating func removeAll() { entries = [:] }

  /// Returns the faulty answer of the newest fault for this request, if any, and counts it.
  package mutating func take(_ operation: AnswerFault.Operation, of handle: UInt16) -> AnswerFault.Answer? {
    guard
      let index = entries[handle]?.lastIndex(where: { entry in
        !entry.left.isOver && (entry.fault.operation ?? operation) == operation
      })
    else { return nil }
    _ = entries[handle]?[index].left.take()
    return entries[handle]?[index].fault.answer
  }
}
