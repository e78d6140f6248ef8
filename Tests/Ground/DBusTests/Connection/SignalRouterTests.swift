// SPDX-License-Identifier: MIT
import Testing

@testable import AsyncIO
@testable import DBus

@Suite("SignalRouter")
struct SignalRouterTests {
  private let changed = MatchRule(sender: "org.bluez", interface: "org.example.Thing", member: "Changed")
  private let anything = MatchRule(sender: "org.bluez", interface: "org.example.Thing")
  private let atA = MatchRule(sender: "org.bluez", interface: "org.example.Thing", path: "/a")

  /// The notes of a signal's handlers, in their order.
  private func receivers(
    _ router: SignalRouter, _ log: Lock<[String]>, interface: String, member: String, path: String
  ) -> [String] {
    router.route(Message(signal: member, of: interface, at: path))
    return log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  @Test("The bus learns of a rule with its first subscriber, and of its end with its last")
  func counts() {
    var router = SignalRouter()
    let (first, firstChange) = router.add(changed) { _ in }
    let (second, secondChange) = router.add(changed) { _ in }
    let (other, otherChange) = router.add(anything) { _ in }
    #expect(firstChange == .add(changed))
    #expect(secondChange == .none)
    #expect(otherChange == .add(anything))
    #expect(router.remove(first) == .none)
    #expect(router.remove(first) == .none)
    #expect(router.remove(second) == .remove(changed))
    #expect(router.remove(other) == .remove(anything))
    #expect(router.add(changed) { _ in }.1 == .add(changed))
  }

  @Test("A removed subscription is not mistaken for a later one")
  func identity() {
    var router = SignalRouter()
    let (first, _) = router.add(changed) { _ in }
    #expect(router.remove(first) == .remove(changed))
    _ = router.add(changed) { _ in }
    #expect(router.remove(first) == .none)
  }

  @Test("A signal goes to those whose interface, member and path fit, in the order of their coming")
  func routing() {
    let log = Lock<[String]>([])
    var router = SignalRouter()
    for (name, rule) in [("changed", changed), ("anything", anything), ("at /a", atA)] {
      _ = router.add(rule) { _ in log.withLock { $0.append(name) } }
    }
    let interface = "org.example.Thing"
    #expect(
      receivers(router, log, interface: interface, member: "Changed", path: "/a") == [
        "changed", "anything", "at /a",
      ])
    #expect(
      receivers(router, log, interface: interface, member: "Changed", path: "/b") == ["changed", "anything"])
    #expect(receivers(router, log, interface: interface, member: "Removed", path: "/b") == ["anything"])
    #expect(receivers(router, log, interface: "org.example.Other", member: "Changed", path: "/a").isEmpty)
  }
}
