// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlectlArguments
internal import TerminalOutput
package import ValueStreams
package import WebServer

/// The page, as an output: it gets the records, and never holds them up.
///
/// Used by one thread at a time: at first by that of the command, then by that of its ``OutputWorker``.
package final class WebOutput: OutputSink {
  package let name = "the page"
  /// A page that is drawn more often shows nothing more.
  package let interval = Duration.milliseconds(50)
  package let batchCost = 256 * 1024
  package let progress: OutputProgress? = OutputProgress()

  private let server: PageServer
  private var json = EventJSON()

  /// The time in which clients can take the last records.
  private static let endTime = Duration.milliseconds(700)

  private init(_ server: PageServer) { self.server = server }

  /// Opens the page, which shows what `past` has, too, and says where it is.
  ///
  /// - Throws: ``CommandError`` if it cannot be served, such as for a port that is taken.
  package static func open(
    _ address: WebAddress, _ setup: PageSetup, past: WebHistory? = nil, control: ControlAccess? = nil,
    in context: CommandContext
  ) throws(CommandError) -> WebOutput {
    var setup = setup
    (setup.host, setup.port, setup.names) = (address.host, address.port, address.names)
    (setup.controls, setup.awaitsPast) = (control?.words ?? [], past != nil)
    let server: PageServer
    do throws(PageServer.Failure) {
      server = try PageServer(setup, write: { write, end in Self.perform(write, with: control, end) })
    } catch {
      let place = ServerAddress.text(setup.host, setup.port)
      throw CommandError(
        status: .failed, message: "cannot serve the page on \(place): \(TerminalSafe.escaped(error.reason))",
        hint: "another port; --web 0 takes a free one")
    }
    let output = WebOutput(server)
    past?.send(to: server, report: context.console.warn) { [progress = output.progress] in
      progress?.isEnding == true
    }
    context.remark("the page is at \(address.link(server.port, base: setup.base))")
    return output
  }

  /// Writes what the page asks for, in its turn.
  private static func perform(
    _ write: PageWrite, with control: ControlAccess?, _ end: @escaping @Sendable (PageOutcome) -> Void
  ) {
    guard let control else { return end(.failed("nothing can be written")) }
    control.perform(RemoteRequest(.write(write.value), write.characteristic, of: write.address)) { outcome in
      end(outcome.problem.map { .failed($0) } ?? .written)
    }
  }

  // MARK: The thread

  package func write(_ events: [StreamEvent]) {
    var bytes: [UInt8] = []
    for event in events { json.append(event, to: &bytes) }
    server.take(bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) })
  }

  package func close() { server.close(within: Self.endTime) }
}
