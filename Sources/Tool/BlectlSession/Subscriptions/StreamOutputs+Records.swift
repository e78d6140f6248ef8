// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

extension StreamOutputs {
  /// The output of a command that prints only now and then, and whose work must not wait for the reader.
  ///
  /// Records are printed with `--json` only, lines always.
  package static func ofRecords(in context: CommandContext) -> StreamOutputs {
    StreamOutputs(
      printer: RecordOutput(context.console, isJSON: context.options.json), [], buffer: SizeArgument(1 << 20),
      context: context)
  }
}
