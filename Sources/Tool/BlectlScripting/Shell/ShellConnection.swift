// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import Glibc
internal import TerminalOutput
internal import ValueStreams

/// The device in use, and its link, which is reopened after a loss.
///
/// Only tasks on the loop use it.
final class ShellConnection {
  let live: LiveDevice
  let name: String
  let address: BluetoothAddress
  /// The identity of the device, on which the meaning of its characteristics may depend.
  let device: ProfileSubject
  private(set) var isOpen = true
  /// The characteristics that completion offers.
  private(set) var characteristics: [GATTCharacteristic] = []
  private unowned let shell: Shell
  private var keeper: Task<Void, Never>?

  init(_ link: DeviceConnection, _ shell: Shell) async {
    self.shell = shell
    name = link.info.name ?? "\(link.info.address)"
    address = link.info.address
    device = ProfileSubject(link.info)
    live = LiveDevice(link, shell.context, console: shell.console, isTerse: false)
    live.willDisconnect = { [weak self] in self?.stopKeeping() }
    characteristics = (try? await link.services().flatMap(\.characteristics)) ?? []
    keep()
  }

  private static let signs: (open: String, closed: String) = {
    setlocale(LC_CTYPE, "")
    return String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8" ? ("●", "○") : ("*", "-")
  }()

  var prompt: String { "\(TerminalSafe.escaped(name)) \(isOpen ? Self.signs.open : Self.signs.closed)> " }

  /// Checks the link after a command, which may have opened or closed it.
  func refresh() async {
    isOpen = (try? await live.link.peripheral.info)?.isConnected ?? false
    if isOpen, keeper == nil {
      characteristics = (try? await live.link.services().flatMap(\.characteristics)) ?? []
      keep()
    }
  }

  func close() async {
    stopKeeping()
    await live.close()
  }

  private func stopKeeping() {
    keeper?.cancel()
    keeper = nil
  }

  /// Reopens the link and its subscriptions after each loss.
  private func keep() {
    keeper = shell.context.loop.spawn { [weak self] in
      while !Task.isCancelled, let self { await healOnce() }
    }
  }

  private func healOnce() async {
    try? await live.link.peripheral.waitUntilDisconnected()
    if Task.isCancelled { return }
    isOpen = false
    let commands = live.subscriptions.map(\.command)
    await live.endSubscriptions()
    shell.note("the link to \(name) is lost; it is opened again when the device is back")
    var options = shell.context.options
    options.quiet = true  // Progress would be drawn over the prompt.
    let silent = shell.context.line(options, over: nil, console: shell.console, isTerse: true)
    do {
      try await Reconnector(policy: ReconnectPolicy(), context: silent).reopen(live.link)
      isOpen = true
      for command in commands { try await live.begin(command) }
      shell.note("connected to \(name) again")
    } catch {
      guard !Task.isCancelled,
        let known = ErrorReport.understood(error, device: live.link.title, on: options.onlyHost)
      else { return }
      ErrorReport.print(known, verbosity: options.verbose, on: shell.console)
      // Without a device or a bus, `connect` or `use` is the next attempt.
      keeper?.cancel()
      keeper = nil
    }
  }
}
