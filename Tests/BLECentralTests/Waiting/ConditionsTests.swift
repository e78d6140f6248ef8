// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import BLECentral

@Suite("Conditions")
struct ConditionsTests {
  @Test("a waiter is asked at every look until it is content, or withdrawn")
  func looking() {
    let log = Lock<[String]>([])
    var conditions = Conditions()
    _ = conditions.add { model, _ in
      log.withLock { $0.append("first") }
      return !model.devices.isEmpty
    }
    let second = conditions.add { _, _ in
      log.withLock { $0.append("second") }
      return false
    }
    var model = ObjectModel()
    conditions.look(at: model, outage: nil)
    model.replace(SampleTree.all)
    conditions.look(at: model, outage: nil)
    conditions.look(at: model, outage: nil)
    conditions.remove(second)
    conditions.look(at: model, outage: nil)
    #expect(log.withLock { $0 } == ["first", "second", "first", "second", "second"])
  }

  @Test("a waiter learns of an outage")
  func outage() {
    let seen = Lock<BLEError.Code?>(nil)
    var conditions = Conditions()
    _ = conditions.add { _, outage in
      seen.withLock { $0 = outage?.code }
      return true
    }
    conditions.look(
      at: ObjectModel(), outage: BLEError(.serviceUnavailable, operation: "wait", message: "gone"))
    #expect(seen.withLock { $0 } == .serviceUnavailable)
  }
}
