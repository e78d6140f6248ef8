// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLEPeripheral

@Suite("Subscribers")
struct SubscribersTests {
  @Test("one socket reaches everybody, several do not")
  func sockets() {
    var subscribers = Subscribers()
    #expect(subscribers.isEmpty)
    #expect(subscribers.acquired("a").isEmpty)
    #expect(subscribers.sole == "a")
    #expect(subscribers.acquired("b").isEmpty)
    #expect(subscribers.sole == nil)
    subscribers.ended("a", isBonded: false)
    #expect(subscribers.sole == "b")
    subscribers.ended("b", isBonded: false)
    #expect(subscribers.isEmpty)
  }

  @Test("no socket reaches a central that is subscribed without one")
  func signalled() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.areSignalled = true
    #expect(subscribers.sole == nil)
    subscribers.areSignalled = false
    #expect(subscribers.sole == "a")
  }

  @Test("a bonded central whose socket has ended is subscribed without one when it returns")
  func bonded() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    _ = subscribers.acquired("b")
    subscribers.ended("a", isBonded: true)
    subscribers.disconnected("a")
    #expect(subscribers.sole == "b")
    subscribers.connected("a")
    #expect(subscribers.sole == nil)
    subscribers.ended("b", isBonded: false)
    #expect(!subscribers.isEmpty)
    subscribers.disconnected("a")
    #expect(subscribers.isEmpty)
    subscribers.connected("a")
    #expect(!subscribers.isEmpty)
    subscribers.forget("a")
    #expect(subscribers.isEmpty)
  }

  @Test("a bonded central that subscribes again has a socket again")
  func again() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.ended("a", isBonded: true)
    subscribers.connected("a")
    #expect(subscribers.sole == nil)
    #expect(subscribers.acquired("a").isEmpty)
    #expect(subscribers.sole == "a")
  }

  @Test("a socket that outlives its central is replaced by the next one")
  func stale() {
    var subscribers = Subscribers()
    _ = subscribers.acquired("a")
    subscribers.disconnected("a")
    // bluetoothd 5.66 may serve other centrals with it.
    #expect(subscribers.sole == "a")
    #expect(subscribers.acquired("b") == ["a"])
    #expect(subscribers.sole == "b")
    #expect(subscribers.acquired("b") == ["b"])
    #expect(subscribers.sole == "b")
  }
}
