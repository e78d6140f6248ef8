// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("DeviceLink")
struct DeviceLinkTests {
  private let link = DeviceLink(
    devicePath: "/org/bluez/hci0/dev_1", lock: LinkLock(bus: "", device: "/dev_1", directory: nil))

  @Test("Commands are on their way until a request that was begun behind them is answered")
  func confirmed() {
    #expect(!link.hasUnconfirmedCommands)
    link.handedOver(3)
    let before = link.commandCount
    link.handedOver(1)
    link.confirm(before)
    #expect(link.hasUnconfirmedCommands)
    link.confirm(link.commandCount)
    #expect(!link.hasUnconfirmedCommands)
  }

  @Test("Commands that a lost link took with it are not confirmed by an answer over the next one")
  func lost() {
    link.held(.opened)
    link.handedOver(3)
    link.lost(at: nil)
    #expect(link.use == .lost && link.hasLostCommands)
    link.held(.opened)
    link.confirm(link.commandCount)
    #expect(link.hasLostCommands && link.hasUnconfirmedCommands)
    link.settleCommands()
    #expect(!link.hasLostCommands && !link.hasUnconfirmedCommands)
  }

  @Test("A link that is lost after all was confirmed has lost no command")
  func lostLater() {
    link.handedOver(2)
    link.confirm(2)
    link.lost(at: nil)
    #expect(!link.hasLostCommands)
  }
}

@Suite("WriteWindow")
struct WriteWindowTests {
  @Test("A window grows on a fast link and shrinks on a slow one, within its bounds")
  func size() {
    var window = WriteWindow()
    let first = window.size
    window.confirmed(after: .seconds(1))
    #expect(window.size == first)
    for _ in 0..<20 { window.confirmed(after: .milliseconds(1)) }
    #expect(window.size == 128)
    for _ in 0..<20 { window.confirmed(after: .seconds(20)) }
    #expect(window.size == 4)
  }
}
