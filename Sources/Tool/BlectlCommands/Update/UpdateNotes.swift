// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BlectlArguments
internal import Glibc
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// The notes about devices that were told to start their bootloader, in which they are found under another address and name.
///
/// A note outlives a process that was killed, so that the same command finds the device again; the end of an update removes it.
struct UpdateNotes: Sendable {
  /// A device that was told to start its bootloader.
  struct Note: Sendable, Hashable, DeviceCandidate {
    /// That of the application.
    let address: BluetoothAddress
    let name: String?
    /// The address that the bootloader was found at; nil if it was not found.
    var bootloader: BluetoothAddress?

    var rssi: Int? { nil }

    /// Returns whether the device may be at an address now; `offersBootloader` is whether the device there shows a service of
    /// Nordic's DFU, and `others` are the addresses of other devices.
    func places(
      _ address: BluetoothAddress, offersBootloader: Bool, others: Set<BluetoothAddress> = []
    ) -> Bool {
      if address == self.address { return true }
      if others.contains(address) { return false }
      if let bootloader { return address == bootloader }
      return offersBootloader && self.address.bootloaderAddresses.contains(address)
    }
  }

  private static let longest = 4096

  /// The folder; nil without a home.
  private let folder: String?

  init(environment: (String) -> String? = Console.environment) {
    folder = UserFolder.state.path(of: "updates", environment)
  }

  private func file(of address: BluetoothAddress) -> String? {
    folder.map { "\($0)/\(address.description.replacing(":", with: "-"))" }
  }

  /// Writes a note; without a place for it, an interrupted update has to wait until the bootloader gives up.
  func write(_ note: Note) {
    guard let folder, let path = file(of: note.address) else { return }
    FileStatus.makeFolder(of: path)
    AtomicFile.removeLeftovers(in: folder)
    var json = JSONWriter()
    json.object { json in
      json.field("address", "\(note.address)")
      json.field("name", note.name)
      json.field("bootloader", note.bootloader.map { "\($0)" })
    }
    json.endRecord()
    try? AtomicFile(path: path).write(json.bytes)
  }

  func remove(_ address: BluetoothAddress) {
    if let path = file(of: address) { unlink(path) }
  }

  /// The notes about the devices that are meant.
  func notes(on device: DeviceArgument) -> [Note] { all.filter { device.rank(of: $0) != nil } }

  var all: [Note] {
    guard let folder, let names = try? Folder.names(in: folder) else { return [] }
    return names.compactMap { BluetoothAddress($0) == nil ? nil : read("\(folder)/\($0)") }
  }

  private func read(_ path: String) -> Note? {
    guard let bytes = try? ValueSource.content(of: path, most: Self.longest),
      let node = try? JSONReader.read(bytes),
      let address = node["address"]?.string.flatMap({ BluetoothAddress($0) })
    else { return nil }
    return Note(
      address: address, name: node["name"]?.string,
      bootloader: node["bootloader"]?.string.flatMap { BluetoothAddress($0) })
  }
}
