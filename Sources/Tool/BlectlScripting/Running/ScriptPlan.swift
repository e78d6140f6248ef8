// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

/// The runs on each device, and their results.
struct ScriptPlan: Sendable {
  let loaded: LoadedScript
  let repetitions: Int
  let keepsGoing: Bool
  /// True if the output of the steps becomes comments of a TAP report.
  let isTAP: Bool
  let results: ResultStore

  /// Runs the script as often as planned, or until the first failure, and returns that.
  ///
  /// Reports and errors call the device `title`, if it has one.
  func repeated(
    on device: any ScriptDevice, _ address: String, named title: String? = nil, _ options: GlobalOptions,
    _ console: Console
  ) async throws -> CommandError? {
    var first: CommandError?
    let goOn: ((CommandError) -> Void)? =
      keepsGoing ? { ErrorReport.print($0, verbosity: options.verbose, on: console) } : nil
    let interpreter = ScriptInterpreter(
      loaded, options: options, address: address, named: title, device: device, goOn: goOn)
    for repetition in 1...repetitions {
      let start = Timestamp.now
      let begin = LoopClock.now
      func keep(obstacle: CommandError?) {
        results.add(
          DeviceResult(
            device: title ?? address, address: address, repetition: repetition, start: start,
            time: LoopClock.now - begin, lines: interpreter.results, obstacle: obstacle))
      }
      do {
        try await interpreter.run()
      } catch {
        guard !Task.isCancelled, let failure = error as? CommandError else {
          keep(obstacle: ResultStore.understood(error, title ?? address, on: options.onlyHost))
          throw error
        }
        first = first ?? failure
      }
      keep(obstacle: nil)
      if first != nil, !keepsGoing { break }
    }
    return first
  }
}
