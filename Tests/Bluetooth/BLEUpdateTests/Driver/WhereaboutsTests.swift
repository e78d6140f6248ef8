// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Testing

@testable internal import BLEUpdate

@Suite("The places of a device that is updated")
struct WhereaboutsTests {
  private typealias Place = Whereabouts.Place

  private func address(_ text: String) throws -> BluetoothAddress { try #require(BluetoothAddress(text)) }

  @Test("A bootloader may have the next address: the last byte counts on, or all do")
  func next() throws {
    let places = Place.bootloaders(of: try address("C0:00:00:00:01:FF"))
    #expect(
      places.map(\.address) == [try address("C0:00:00:00:01:00"), try address("C0:00:00:00:02:00")])
    #expect(places.allSatisfy { $0.isGuess && $0.resident == .bootloader })
    #expect(Place.bootloaders(of: try address("C0:00:00:00:01:11")).count == 1)
    #expect(Place.bootloaders(of: try address("FF:FF:FF:FF:FF:FF")).count == 2)
    let last = Place.applications(of: try address("C0:00:00:00:01:12"))
    #expect(last.map(\.address) == [try address("C0:00:00:00:01:11")])
    #expect(last.allSatisfy { $0.isGuess && $0.resident == .application })
  }

  @Test("A neighbour counts only if it shows what the device can be there")
  func residents() throws {
    let home = Place(address: try address("C0:00:00:00:01:11"))
    let next = try #require(Place.bootloaders(of: home.address).first)
    let last = try #require(Place.applications(of: home.address).first)
    for kind in [DeviceOffer.Kind.bootloader, .application, .other] {
      #expect(home.admits(kind))
      #expect(next.admits(kind) == (kind == .bootloader))
      #expect(last.admits(kind) == (kind == .application))
    }
  }

  @Test("After an interruption, the bootloader is where it was found, or anywhere beside the application")
  func interrupted() throws {
    let (home, next) = (try address("C0:00:00:00:01:11"), try address("C0:00:00:00:01:12"))
    let unknown = Whereabouts.interrupted(application: home, bootloader: nil)
    #expect(unknown.places == [Place(address: home)] + Place.bootloaders(of: home))
    let found = Whereabouts.interrupted(application: home, bootloader: next)
    let guess = Place(address: next, resident: .bootloader, isGuess: true)
    #expect(found.places == [guess, Place(address: home)])
    #expect(unknown.isSearch && found.isSearch)
    #expect(!Whereabouts.interrupted(application: home, bootloader: home).isSearch)
  }

  @Test("What is known of an address first counts, such as that it is certain")
  func unique() throws {
    let home = try address("C0:00:00:00:01:11")
    let places = Whereabouts([
      Place(address: home), Place(address: home, resident: .application, isGuess: true),
    ])
    #expect(places.places == [Place(address: home)])
  }
}
