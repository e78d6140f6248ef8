// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// A file with the links that a proxy has opened, so that the next one closes those of a proxy that was killed.
///
/// Nothing else would: a device with a link does not advertise, so no client would hear it again.
struct LinkJournal {
  private let path: String?

  /// The file of an adapter, in the folder of the service, else in that of the user; without one, nothing is kept.
  init(of adapter: BluetoothAddress, environment: (String) -> String? = Console.environment) {
    let name = "proxy-\(adapter.bytes.map { Hex.string([$0]) }.joined()).links"
    let service = environment("STATE_DIRECTORY")?.split(separator: ":").first.map { "\($0)/\(name)" }
    path = service ?? UserFolder.state.path(of: name, environment)
  }

  /// Notes the links on a bus; those of another bus, or of the time before a restart of the machine, are gone anyway.
  func note(_ links: [BluetoothAddress], onBus bus: String) {
    guard let path else { return }
    if links.isEmpty {
      unlink(path)
      return
    }
    FileStatus.makeFolder(of: path)
    let temporary = "\(path).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let text = ([bus] + links.map { "\($0)" }).joined(separator: "\n") + "\n"
    let bytes = Array(text.utf8)
    let count = write(descriptor, bytes, bytes.count)
    close(descriptor)
    // A page that is in memory only is not lost with this process.
    if count == bytes.count { rename(temporary, path) } else { unlink(temporary) }
  }

  /// The links that a proxy has left on a bus.
  func links(onBus bus: String) -> [BluetoothAddress] {
    guard let path, let text = WholeFile.text(path, atMost: 4096) else { return [] }
    let lines = text.split(separator: "\n")
    guard !bus.isEmpty, lines.first.map(String.init) == bus else { return [] }
    return lines.dropFirst().compactMap { BluetoothAddress($0) }
  }
}
