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

  @Test(
    "An error calls a device as it was typed, unless that stands for others too, and hints have its address",
    arguments: [
      ("Heart Strap", "Heart Strap"), ("C0:00:00:00:00:01", "C0:00:00:00:00:01"),
      ("Heart*", "C0:00:00:00:00:01"),
    ])
  func devices(typed: String, shown: String) throws {
    let address = try #require(BluetoothAddress("C0:00:00:00:00:01"))
    let level = BLEError.Attribute(.characteristic, BluetoothUUID(0x2A19), handle: 7, of: address)
    let failure = BLEError(.notPaired, during: .read(level), "the device requires pairing")
    let error = try #require(ErrorReport.understood(failure, device: typed, on: nil))
    #expect(error.message == "cannot read 2a19 of \(shown): the device requires pairing")
    #expect(error.hint == "blectl pair C0:00:00:00:00:01, or add --pair")
    #expect(error.causes == (shown == "\(address)" ? [] : ["\(shown) is C0:00:00:00:00:01"]))
  }

  @Test("A name with a blank is one word in a hint")
  func quoted() throws {
    let failure = BLEError(.notPaired, during: .receiveNotifications, "no")
    let error = try #require(ErrorReport.understood(failure, device: "Heart Strap", on: nil))
    #expect(error.hint == "blectl pair 'Heart Strap', or add --pair")
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
