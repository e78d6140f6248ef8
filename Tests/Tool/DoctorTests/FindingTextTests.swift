// SPDX-License-Identifier: MIT
internal import Doctor
internal import TerminalOutput
internal import Testing

@Suite("The text of a finding")
struct FindingTextTests {
  @Test("Lines break between words at the width of the terminal, and stay indented")
  func wrapping() {
    let finding = Finding(
      .warn, .adapter, "the adapter hci0 is blocked by rfkill until it is unblocked",
      fix: "rfkill unblock bluetooth && bluetoothctl power on")
    #expect(
      FindingText.lines(finding, width: 50, style: .plain) == [
        "warn  adapter     the adapter hci0 is blocked by",
        "                  rfkill until it is unblocked",
        "                  → rfkill unblock bluetooth &&",
        "                    bluetoothctl power on",
      ])
  }

  @Test("Lines stay whole where the width is unlimited")
  func unlimited() {
    let message = Array(repeating: "word", count: 40).joined(separator: " ")
    #expect(
      FindingText.lines(Finding(.ok, .bus, message), width: nil, style: .plain)
        == ["ok    bus         " + message])
  }
}
