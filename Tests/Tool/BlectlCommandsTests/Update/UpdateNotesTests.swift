// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

@testable internal import BlectlArguments
@testable internal import BlectlCommands

@Suite("Notes about devices in their bootloaders")
struct UpdateNotesTests {
  private let strap = BluetoothAddress("C0:00:00:00:00:FF")
  private let bootloader = BluetoothAddress("C0:00:00:00:00:00")

  @Test("A note names the places of a device, by its name and its address, until it is removed")
  func places() throws {
    let scratch = try ScratchDirectory()
    let notes = UpdateNotes { $0 == "XDG_STATE_HOME" ? scratch.path : nil }
    let (strap, bootloader) = (try #require(strap), try #require(bootloader))
    #expect(notes.note(on: .address(strap)) == nil)
    notes.write(UpdateNotes.Note(address: strap, name: "Strap", bootloader: nil))
    #expect(notes.note(on: .address(strap))?.addresses == [bootloader, strap])
    let moved = try #require(BluetoothAddress("D1:00:00:00:00:01"))
    notes.write(UpdateNotes.Note(address: strap, name: "Strap", bootloader: moved))
    let found = notes.note(on: try DeviceArgument(parsing: "Strap"))
    #expect(found?.addresses == [moved, bootloader, strap])
    #expect(notes.note(on: try DeviceArgument(parsing: "Watch")) == nil)
    notes.remove(strap)
    #expect(notes.note(on: .address(strap)) == nil)
  }

  @Test("A file that is no note is passed over, and nothing is written without a home")
  func noNotes() throws {
    let notes = UpdateNotes { _ in nil }
    let strap = try #require(strap)
    notes.write(UpdateNotes.Note(address: strap, name: nil, bootloader: nil))
    #expect(notes.note(on: .address(strap)) == nil)
  }
}
