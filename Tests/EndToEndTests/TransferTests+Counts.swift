// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

extension TransferTests {
  @Test("Values with response of which one is refused leave no doubt about the next ones")
  func refusedValue() async throws {
    let result = try await run("printf '01\\n020304050607\\n03\\n' | blectl write Board fff4 --from -")
    #expect(
      result.lines == [
        "blectl: cannot write fff4 of Board: the device refuses (ATT 0x0d invalid attribute value length): the value has 6 bytes",
        "  at line 2; 1 of 3 values were written", "status 1",
      ])
  }

  @Test("A file without bytes gets no answer of the device")
  func nothing() async throws {
    let result = try await run(
      "blectl send Board fff4 /dev/null --json | sed 's/.*\"bytes\":0,\"seconds\".*/nothing/'")
    #expect(result.lines == ["nothing"])
  }

  @Test("What has come before a disk is full is counted to the last byte")
  func fullDisk() async throws {
    let result = try await run(
      """
      trap '' XFSZ
      (ulimit -f 1; blectl receive Board fff2 --to x --request fff5:u16:500 --until-length 10000 --json) >out
      grep -o '"event":"interrupted"\\|"bytes":[0-9]*\\|[0-9]* of 10000 bytes' out
      stat -c %s x
      """)
    #expect(
      result.lines == [#""event":"interrupted""#, #""bytes":1024"#, "1024 of 10000 bytes", "1024"],
      "\(result.output) \(result.errorText)")
  }
}
