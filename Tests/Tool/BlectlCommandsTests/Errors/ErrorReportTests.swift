// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlArguments
@testable import BlectlCommands

@Suite("Error reports")
struct ErrorReportTests {
  @Test("Text that an error quotes is escaped once")
  func sentences() {
    let quoted = ArgumentError("a\\b\u{1b}", "is nothing").description
    #expect(quoted == #"'a\\b\u{1b}' is nothing"#)
    let lines = ErrorReport.lines(CommandError(status: .usage, message: quoted, hint: "C:\\\n"), verbosity: 0)
    #expect(lines == [#"blectl: 'a\\b\u{1b}' is nothing"#, #"hint: C:\\n"#])
  }
}
