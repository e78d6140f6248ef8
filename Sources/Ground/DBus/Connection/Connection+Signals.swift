// SPDX-License-Identifier: MIT

extension Connection {
  /// Calls `handler` on the loop for each signal that matches the rule, in the order of the bus.
  ///
  /// Messages keep their order, so the rule applies to everything that the bus handles later.
  package func subscribe(_ rule: MatchRule, handler: @escaping @Sendable (Message) -> Void) -> SubscriptionID
  {
    let (id, change) = router.add(rule, handler: handler)
    tellBus(change)
    return id
  }

  package func unsubscribe(_ id: SubscriptionID) { tellBus(router.remove(id)) }

  private func tellBus(_ change: SignalRouter.Change) {
    switch change {
    case .none: break
    case .add(let rule): post(driverCall("AddMatch", rule.text))
    case .remove(let rule): post(driverCall("RemoveMatch", rule.text))
    }
  }

  private func driverCall(_ member: String, _ argument: String) -> Message {
    Message(call: member, of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name) {
      $0.string(argument)
    }
  }
}
