// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLEPeripheral

@Suite("Subscribers")
struct SubscribersTests {
  @Test("One socket reaches all subscribers, several do not")
  func sockets() {
    var subscribers = Subscribers()
    #expect(subscribers.isEmpty)
    #expect(subscribers.acquired("a").isEmpty)
    #expect(subscribers.sole == "a")
    #expect(subscribers.acquired("b").isEmpty)
    #expect(subscribers.sole == nil)
    subscribers.ended("a", isBonded: false, isConnected: true)
    #expect(subscribers.isUnsettled)
    subscribers.settle()
    #expect(subscribers.sole == "b")
    subscribers.ended("b", isBonded: false, isConnected: true)
    #expect(subscribers.isEmpty)
  }

  @Test("No socket reaches a central that is subscribed without one")
  func signalled() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.signalled(among: [])
    #expect(subscribers.sole == nil)
    subscribers.signalsEnded()
    #expect(subscribers.sole == "a")
  }

  @Test("A bonded central whose socket has ended is subscribed without one when it returns")
  func bonded() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    _ = subscribers.acquired("b")
    subscribers.ended("a", isBonded: true, isConnected: false)
    subscribers.disconnected("a")
    subscribers.settle()
    #expect(subscribers.sole == "b")
    #expect(subscribers.connected("a", isBonded: true) == true)
    #expect(subscribers.sole == nil)
    subscribers.ended("b", isBonded: false, isConnected: true)
    #expect(!subscribers.isEmpty)
    subscribers.disconnected("a")
    #expect(subscribers.isEmpty)
    #expect(subscribers.connected("a", isBonded: true) == true)
    #expect(!subscribers.isEmpty)
    subscribers.forget("a")
    #expect(subscribers.isEmpty)
  }

  @Test("A bonded central that subscribes again has a socket again")
  func again() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.ended("a", isBonded: true, isConnected: false)
    subscribers.settle()
    #expect(subscribers.connected("a", isBonded: true) == true)
    #expect(subscribers.sole == nil)
    #expect(subscribers.acquired("a").isEmpty)
    #expect(subscribers.sole == "a")
  }

  @Test("A socket that outlives its central is replaced by the next one")
  func stale() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.disconnected("a")
    subscribers.settle()
    // bluetoothd 5.66 may serve other centrals with it.
    #expect(subscribers.sole == "a")
    #expect(subscribers.acquired("b") == ["a"])
    #expect(subscribers.sole == "b")
    #expect(subscribers.acquired("b") == ["b"])
    #expect(subscribers.sole == "b")
  }

  @Test(
    "When one of three centrals hangs up, the sockets of all end, and the others stay subscribed",
    arguments: [
      ["end a", "end b", "end c", "lose a"], ["end b", "end a", "lose a", "end c"],
      ["lose a", "end c", "end a", "end b"],
      ["end a", "lose a", "end b", "end c"],
    ])
  func hangUp(_ events: [String]) {
    var subscribers = Subscribers()
    for central in ["a", "b", "c"] { _ = subscribers.acquired(central) }
    var isConnected = true
    for event in events {
      if event == "lose a" {
        isConnected = false
        subscribers.disconnected("a")
      } else {
        let central = String(event.suffix(1))
        subscribers.ended(central, isBonded: false, isConnected: central != "a" || isConnected)
      }
      #expect(!subscribers.isEmpty && subscribers.sole == nil)
    }
    subscribers.settle()
    #expect(!subscribers.isEmpty && subscribers.sole == nil)
    for central in ["b", "c"] { subscribers.disconnected(central) }
    subscribers.settle()
    #expect(subscribers.isEmpty)
  }

  @Test("No central stays subscribed when two unsubscribe together")
  func unsubscribed() {
    var subscribers = Subscribers()
    for central in ["a", "b"] { _ = subscribers.acquired(central) }
    for central in ["a", "b"] { subscribers.ended(central, isBonded: false, isConnected: true) }
    subscribers.settle()
    #expect(subscribers.isEmpty)
  }

  // MARK: Subscribers without a socket

  @Test("A bonded central that comes back is a subscriber again, if no other one has a link")
  func signalledAndBack() {
    var subscribers = Subscribers()
    subscribers.signalled(among: ["a"])
    subscribers.disconnected("a")
    #expect(!subscribers.isEmpty)
    #expect(subscribers.connected("stranger", isBonded: false) == false)
    #expect(subscribers.connected("a", isBonded: true) == true)
    #expect(subscribers.connected("b", isBonded: true) == false)
    subscribers.disconnected("b")
    subscribers.disconnected("a")
    subscribers.signalsEnded()
    #expect(subscribers.connected("a", isBonded: true) == false)
  }

  @Test("The central of the most recent request is taken for the one that has subscribed")
  func mostRecent() {
    var subscribers = Subscribers()
    subscribers.signalled(among: ["a", "b"])
    subscribers.disconnected("b")
    #expect(subscribers.connected("b", isBonded: true) == true)
    subscribers.signalled(among: ["a", "b"])
    subscribers.disconnected("b")
    #expect(subscribers.connected("b", isBonded: true) == false)
  }

  @Test("A central that has subscribed before its link was announced does not come back with it")
  func unannounced() {
    var subscribers = Subscribers()
    subscribers.signalled(among: [])
    #expect(subscribers.connected("a", isBonded: true) == false)
    subscribers.disconnected("a")
    #expect(subscribers.connected("a", isBonded: true) == true)
  }

  @Test(
    "A central whose address pairing changes gets nothing until it subscribes again",
    arguments: [true, false])
  func addressChanged(hasSocket: Bool) {
    var subscribers = Subscribers()
    if hasSocket { _ = subscribers.acquired("a") } else { subscribers.signalled(among: ["a"]) }
    #expect(!subscribers.isEmpty)
    subscribers.addressChanged("a")
    #expect(subscribers.isEmpty && subscribers.sole == nil && subscribers.hasLost("a"))
    // Another one is reached.
    subscribers.signalled(among: ["a", "b"])
    #expect(!subscribers.isEmpty)
    subscribers.disconnected("b")
    subscribers.signalsEnded()
    if hasSocket { subscribers.ended("a", isBonded: true, isConnected: false) }
    subscribers.disconnected("a")
    subscribers.settle()
    #expect(subscribers.connected("a", isBonded: true) == false)
    #expect(subscribers.isEmpty)
    if hasSocket { _ = subscribers.acquired("a") } else { subscribers.signalled(among: ["a"]) }
    #expect(!subscribers.isEmpty && !subscribers.hasLost("a"))
  }
}
