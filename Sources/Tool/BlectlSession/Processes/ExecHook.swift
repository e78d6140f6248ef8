// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import JSON
internal import TerminalOutput
package import ValueStreams

/// The command of `--exec`: the shell runs it once per event, with the record on its standard input.
package struct ExecHook: Sendable {
  package let command: String
  /// The bus for a blectl within the command; nil leaves the environment unchanged.
  package let busAddress: String?
  package let context: CommandContext

  package init(command: String, busAddress: String?, context: CommandContext) {
    self.command = command
    self.busAddress = busAddress
    self.context = context
  }

  /// Creates the hook of a command, with the bus of `context`; nil without a command.
  package init?(_ command: String?, in context: CommandContext) async throws {
    guard let command else { return nil }
    self.init(command: command, busAddress: try await context.bus.childBusAddress(), context: context)
  }

  /// Runs the command for one event to its end; warns of a status but 0, and of a lost event.
  ///
  /// - Throws: `CancellationError`, after ending the command and its children with SIGTERM and, a second
  ///   later, SIGKILL; ``CommandError`` when there is no shell.
  package func run(_ record: some HookRecord) async throws {
    let input: OwnedDescriptor
    do throws(ErrorNumber) {
      input = try ExecHook.file(with: record)
    } catch {
      // The next one may find space again.
      return context.console.warn(
        "cannot pass an event to the command: \(error)")
    }
    let child = try ChildCommand(
      ["/bin/sh", "-c", command], environment: environment(record), input: input.raw, group: .own)
    switch try await child.wait(on: context.loop, limit: .seconds(1)) {
    case .exited(0): break
    case .exited(let status): report("ended with status \(status)", record)
    case .signalled(let number): report("was killed by signal \(number)", record)
    }
  }

  private func report(_ ending: String, _ record: some HookRecord) {
    let name = record.hookVariables["BLECTL_NAME"].flatMap { $0.isEmpty ? nil : TerminalSafe.escaped($0) }
    let device = (name ?? record.hookAddress?.description).map { " of \($0)" } ?? ""
    context.console.note("blectl: the command for '\(record.hookEvent)'\(device) \(ending)")
  }

  private func environment(_ record: some HookRecord) -> [String: String] {
    var variables = record.hookVariables
    variables["BLECTL_EVENT"] = record.hookEvent
    variables["BLECTL_ADDRESS"] = record.hookAddress?.description ?? ""
    if let busAddress { variables["DBUS_SYSTEM_BUS_ADDRESS"] = busAddress }
    return variables
  }

  /// The record in an unlinked file: a pipe could fill up before the command reads it.
  private static func file(with record: some HookRecord) throws(ErrorNumber) -> OwnedDescriptor {
    var json = JSONWriter()
    json.object { record.write(to: &$0) }
    json.endRecord()
    let directory = Console.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var path = Array("\(directory)/blectl-event-XXXXXX".utf8CString)
    let file = OwnedDescriptor(adopting: mkstemp(&path))
    if file.raw >= 0 {
      unlink(path)
      _ = fcntl(file.raw, F_SETFD, FD_CLOEXEC)
    }
    guard file.raw >= 0, write(file.raw, json.bytes, json.bytes.count) == json.bytes.count,
      lseek(file.raw, 0, SEEK_SET) == 0
    else { throw ErrorNumber(code: errno) }
    return file
  }
}
