// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands

@Suite("HostChoice")
struct HostChoiceTests {
  private var choice = HostChoice()

  @Test("The host that hears a device first is the best one, until another hears it better by far")
  mutating func strongest() {
    #expect(choice.best == nil)
    choice.hear("cellar", rssi: -70, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -67, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -66, second: 0)
    #expect(choice.best == "attic")
    // Equal hosts do not take turns.
    choice.hear("cellar", rssi: -64, second: 1)
    choice.hear("attic", rssi: -67, second: 1)
    #expect(choice.best == "attic")
  }

  @Test("A host that has not heard it of late gives way to any other")
  mutating func silent() {
    choice.hear("attic", rssi: -40, second: 0)
    choice.hear("cellar", rssi: -90, second: ScanBoard.patience)
    #expect(choice.best == "attic")
    choice.hear("cellar", rssi: -90, second: ScanBoard.patience + 1)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: -40, second: ScanBoard.patience + 2)
    #expect(choice.best == "attic")
  }

  @Test("A host that knows no strength is better than none only")
  mutating func unknown() {
    choice.hear("attic", rssi: nil, second: 0)
    #expect(choice.best == "attic")
    choice.hear("cellar", rssi: -100, second: 0)
    #expect(choice.best == "cellar")
    choice.hear("attic", rssi: nil, second: 0)
    #expect(choice.best == "cellar")
    #expect(choice.sightings.count == 2)
  }
}
