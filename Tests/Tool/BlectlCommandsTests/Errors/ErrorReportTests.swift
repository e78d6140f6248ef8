// SPDX-License-Identifier: MIT
import BLECentral
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

  @Test("The hint of each error says on which host it helps", arguments: [nil, "attic", "cellar"])
  func hosts(host: String?) throws {
    let place = host.map { "on \($0): " } ?? ""
    let failure = BLEError(.serviceUnavailable, during: .scan, "bluetoothd is not running")
    let error = try #require(ErrorReport.understood(failure, device: nil, on: host))
    #expect(ErrorReport.lines(error, verbosity: 0).last == "hint: \(place)sudo systemctl start bluetooth")
    // The first to know the host is right.
    let later = try #require(ErrorReport.understood(error, device: nil, on: "roof"))
    #expect(later == error || host == nil)
  }
}
