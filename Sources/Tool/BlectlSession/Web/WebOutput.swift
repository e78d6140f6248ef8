// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import Glibc
internal import TerminalOutput
package import ValueStreams
package import WebModel

/// The page, as an output: the records go to `blectl-web`, which is started again if it ends.
///
/// Used by one thread at a time: at first by that of the command, then by that of its ``OutputWorker``.
package final class WebOutput: OutputSink {
  package let name = "the page"
  /// A page that is drawn more often shows nothing more.
  package let interval = Duration.milliseconds(50)
  package let batchCost = 256 * 1024
  package let progress: OutputProgress? = OutputProgress()

  private var setup: WebSetup
  private var process: WebProcess?
  private var json = EventJSON()
  private let report: @Sendable (String) -> Void
  /// The write access of the page; nil if it may write nothing.
  private let control: ControlAccess?
  /// The history from before the command began; nil if there is none.
  private let past: WebHistory?
  /// The earliest time of the next start, and the pause after that.
  private var restart = ContinuousClock.now
  private var pause = WebOutput.shortestPause
  private var started = ContinuousClock.now
  private var dropped = 0

  private static let startTime = Duration.seconds(10)
  private static let endTime = Duration.milliseconds(700)
  private static let shortestPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(30)

  private init(
    _ setup: WebSetup, past: WebHistory?, control: ControlAccess?,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.setup, self.past, self.control, self.report) = (setup, past, control, report)
  }

  /// Starts the page, which shows what `past` has, too, and says where it is.
  ///
  /// - Throws: ``CommandError`` if it cannot be served, such as for a port that is taken.
  package static func open(
    _ address: WebAddress, _ setup: WebSetup, past: WebHistory? = nil, control: ControlAccess? = nil,
    in context: CommandContext
  ) async throws -> WebOutput {
    var setup = setup
    (setup.controls, setup.awaitsPast) = (control?.words ?? [], past != nil)
    (setup.host, setup.port, setup.names, setup.session) = (
      address.host, address.port, address.names, WebSecret.random()
    )
    let output = WebOutput(setup, past: past, control: control, report: context.console.warn)
    // Here and not on another thread, with which the program would end.
    let process = try WebProcess(setup)
    let outcome = Promise<Result<UInt16, CommandError>>()
    WorkerThread.start { [setup, progress = output.progress] in
      outcome.fulfil(greet(process, setup, progress))
    }
    let end = await outcome.value(ifCancelled: .failure(WebProcess.failure("it was interrupted")))
    try Task.checkCancellation()
    output.setup.port = try end.get()
    output.process = process
    output.listen(to: process)
    output.recall(for: process)
    context.remark("the page is at \(address.link(output.setup.port))")
    return output
  }

  /// Tells a new process what to do, and waits until it listens; returns its port.
  private static func greet(
    _ process: WebProcess, _ setup: WebSetup, _ progress: OutputProgress?
  ) -> Result<UInt16, CommandError> {
    let limit = ContinuousClock.now + Self.startTime
    guard process.send(setup.line, isOver: { ContinuousClock.now >= limit }) else {
      return .failure(WebProcess.failure("\(WebProcess.program) has ended"))
    }
    switch process.answer(until: limit, isOver: { progress?.isEnding ?? false }) {
    case .message(.listening(let port)): return .success(port)
    case .message(.failed(let reason)):
      let place = ServerAddress.text(setup.host, setup.port)
      return .failure(
        CommandError(
          status: .failed, message: "cannot serve the page on \(place): \(TerminalSafe.escaped(reason))"))
    case .message, .ended: return .failure(WebProcess.failure("\(WebProcess.program) has ended"))
    case .late: return .failure(WebProcess.failure("\(WebProcess.program) does not answer"))
    }
  }

  /// Sends what is known of the time before, while records go on.
  private func recall(for process: WebProcess) {
    past?.send(to: process, report: report) { [progress] in
      process.hasEnded || progress?.isEnding == true
    }
  }

  /// Carries out what the page asks for, until the process ends.
  private func listen(to process: WebProcess) {
    guard let control else { return }
    WorkerThread.start {
      while true {
        switch process.answer(until: nil) {
        case .message(.write(let write)):
          let request = RemoteRequest(.write(write.value), write.characteristic, of: write.address)
          control.perform(request) { outcome in
            // The loop does not wait for the page.
            WorkerThread.start {
              let message = WebMessage.written(id: write.id, error: outcome.problem)
              _ = process.send(message.line) { process.hasEnded }
            }
          }
        case .message, .late: continue
        case .ended: return
        }
      }
    }
  }

  // MARK: The thread

  package func write(_ events: [StreamEvent]) {
    var bytes: [UInt8] = []
    for event in events { json.append(event, to: &bytes) }
    revive()
    guard let process else { return lose(events) }
    if dropped > 0 {
      let lost: StreamEvent = .dropped(DroppedRecord(time: .now, count: dropped))
      dropped = 0
      var line: [UInt8] = []
      json.append(lost, to: &line)
      bytes = line + bytes
    }
    let isSent = process.send(bytes) { [progress] in progress?.isEnding ?? false }
    if !isSent { lose(events) }
  }

  private func lose(_ events: [StreamEvent]) { dropped += events.recordCount }

  /// Looks every second whether the page is there.
  package func sync() -> Bool {
    revive()
    return false
  }

  /// Starts the program again if it has ended, after pauses that grow while it does so at once.
  private func revive() {
    if let process, process.hasEnded {
      self.process = nil
      if started.duration(to: .now) > Self.longestPause { pause = Self.shortestPause }
      restart = .now + pause
      report("the page has ended (\(WebProcess.program)); it is started again")
    }
    guard process == nil, restart <= .now, progress?.isEnding != true else { return }
    started = .now
    pause = min(pause * 2, Self.longestPause)
    do throws(CommandError) {
      let next = try WebProcess(setup)
      _ = try Self.greet(next, setup, progress).get()
      process = next
      listen(to: next)
      recall(for: next)
      report("the page is back")
    } catch {
      restart = .now + pause
      report("\(error.message); trying again")
    }
  }

  package func close() {
    process?.end(within: Self.endTime)
    process = nil
  }
}
