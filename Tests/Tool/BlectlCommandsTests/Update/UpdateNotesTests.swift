// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BlectlArguments
@testable internal import BlectlCommands

@Suite("Notes about devices in their bootloaders")
struct UpdateNotesTests {
  private let strap = BluetoothAddress("C0:00:00:00:00:FF")
  private let next = BluetoothAddress("C0:00:00:00:00:00")

  @Test("A note is found by the name and the address of a device, until it is removed")
  func found() throws {
    let scratch = try ScratchDirectory()
    let notes = UpdateNotes { $0 == "XDG_STATE_HOME" ? scratch.path : nil }
    let strap = try #require(strap)
    #expect(notes.notes(on: .address(strap)).isEmpty)
    let note = UpdateNotes.Note(address: strap, name: "Strap", bootloader: nil)
    notes.write(note)
    #expect(notes.notes(on: .address(strap)) == [note])
    let elsewhere = try #require(BluetoothAddress("D1:00:00:00:00:01"))
    let moved = UpdateNotes.Note(address: strap, name: "Strap", bootloader: elsewhere)
    notes.write(moved)
    #expect(notes.notes(on: try DeviceArgument(parsing: "Str*")) == [moved])
    #expect(notes.notes(on: try DeviceArgument(parsing: "Watch")).isEmpty)
    notes.remove(strap)
    #expect(notes.notes(on: .address(strap)).isEmpty)
  }

  @Test("Next to its application, only a bootloader can be the device, and none that is another one's")
  func places() throws {
    let (strap, next) = (try #require(strap), try #require(next))
    var note = UpdateNotes.Note(address: strap, name: "Strap", bootloader: nil)
    #expect(note.places(strap, offersBootloader: false, others: []))
    #expect(note.places(next, offersBootloader: true, others: []))
    #expect(!note.places(next, offersBootloader: false, others: []))
    #expect(!note.places(next, offersBootloader: true, others: [next]))
    let moved = try #require(BluetoothAddress("D1:00:00:00:00:01"))
    #expect(!note.places(moved, offersBootloader: true, others: []))
    // Where it was found once, it is found again.
    note.bootloader = moved
    #expect(note.places(moved, offersBootloader: false, others: []))
    #expect(!note.places(moved, offersBootloader: true, others: [moved]))
    #expect(!note.places(next, offersBootloader: true, others: []))
  }

  @Test("The temporary file of a process that was killed does not stay")
  func leftovers() throws {
    let scratch = try ScratchDirectory()
    let notes = UpdateNotes { $0 == "XDG_STATE_HOME" ? scratch.path : nil }
    let note = UpdateNotes.Note(address: try #require(strap), name: "Strap", bootloader: nil)
    notes.write(note)
    let folder = "blectl/updates"
    // No process has so large a number; the parent of this one runs.
    let running = ".C0-00-00-00-00-02.\(getppid())"
    for name in [".C0-00-00-00-00-01.99999999", running] { try scratch.write("\(folder)/\(name)", [0x7b]) }
    notes.write(note)
    #expect(scratch.names(folder) == [running, "C0-00-00-00-00-FF"])
    #expect(notes.all == [note])
  }

  @Test("A file that is no note is passed over, and nothing is written without a home")
  func noNotes() throws {
    let notes = UpdateNotes { _ in nil }
    let strap = try #require(strap)
    notes.write(UpdateNotes.Note(address: strap, name: nil, bootloader: nil))
    #expect(notes.notes(on: .address(strap)).isEmpty)
  }
}
