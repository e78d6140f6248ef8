// SPDX-License-Identifier: MIT

package struct MatchRule: Sendable, Hashable {
  package var sender: String
  package var interface: String
  /// The member; nil for all signals of the interface.
  package var member: String?
  package var path: String?
  /// An object, including all below it.
  package var pathNamespace: String?
  /// The first argument, if it is a string.
  package var firstArgument: String?

  package init(
    sender: String, interface: String, member: String? = nil, path: String? = nil,
    pathNamespace: String? = nil,
    firstArgument: String? = nil
  ) {
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.firstArgument = firstArgument
  }

  package var text: String {
    var parts = ["type='signal'", "sender='\(sender)'", "interface='\(interface)'"]
    if let member { parts.append("member='\(member)'") }
    if let path { parts.append("path='\(path)'") }
    if let pathNamespace { parts.append("path_namespace='\(pathNamespace)'") }
    if let firstArgument { parts.append("arg0='\(firstArgument)'") }
    return parts.joined(separator: ",")
  }
}

package struct SubscriptionID: Hashable, Sendable {
  let number: Int
}

/// Routes signals to their subscribers; each rule exists on the bus from its first subscriber to its last.
struct SignalRouter {
  typealias Handler = @Sendable (Message) -> Void

  enum Change: Equatable {
    case none
    case add(MatchRule)
    case remove(MatchRule)
  }

  /// A class, since a signal looks at each: a copy of the rule counts six references.
  private final class Subscription: Sendable {
    let id: SubscriptionID
    let rule: MatchRule
    let handler: Handler

    init(_ id: SubscriptionID, _ rule: MatchRule, _ handler: @escaping Handler) {
      (self.id, self.rule, self.handler) = (id, rule, handler)
    }

    /// Returns whether a signal matches; compares without creating strings.
    func fits(_ message: Message) -> Bool {
      guard let interface = message.interfaceText, interface == rule.interface else { return false }
      if let wanted = rule.member {
        guard let member = message.memberText, member == wanted else { return false }
      }
      return rule.path.map { message.isAbout($0) } ?? true
    }
  }

  private var subscriptions: [Subscription] = []
  private var uses: [MatchRule: Int] = [:]
  private var lastNumber = 0

  mutating func add(_ rule: MatchRule, handler: @escaping Handler) -> (SubscriptionID, Change) {
    lastNumber += 1
    let id = SubscriptionID(number: lastNumber)
    subscriptions.append(Subscription(id, rule, handler))
    uses[rule, default: 0] += 1
    return (id, uses[rule] == 1 ? .add(rule) : .none)
  }

  mutating func remove(_ id: SubscriptionID) -> Change {
    guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return .none }
    let rule = subscriptions.remove(at: index).rule
    uses[rule, default: 1] -= 1
    guard uses[rule] == 0 else { return .none }
    uses[rule] = nil
    return .remove(rule)
  }

  /// Calls the handlers of a signal in order; the bus has already checked senders and arguments.
  func route(_ message: Message) {
    for subscription in subscriptions where subscription.fits(message) { subscription.handler(message) }
  }
}
