// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

extension ConsoleOutputSink {
  /// Prints a value; in lines of text, only one that is of the format that was asked for.
  ///
  /// - Returns: the error for a value that is not; nil for one that is.
  func print(_ value: ReceivedValue, of origin: ValueOrigin) throws(ConsoleError) -> CommandError? {
    let problem = style.format.flatMap { format in
      format.problem(with: value.bytes).map { "as \(format.word): \($0)" }
    }
    if problem == nil || style.isJSON { try print([.values(ValueBatch([value], of: origin))]) }
    return problem.map { problem in
      CommandError(
        status: .failed, message: "cannot show \(origin.attribute) of \(origin.address) \(problem)")
    }
  }
}
