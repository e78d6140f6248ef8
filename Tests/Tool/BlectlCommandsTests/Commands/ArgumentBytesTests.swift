// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import Testing

@testable internal import BlectlCommands

@Suite("Words of the command line")
struct ArgumentBytesTests {
  @Test("Words in UTF-8 are accepted, and others named, whatever Swift would make of them")
  func words() {
    #expect(ArgumentBytes.problem(in: []) == nil)
    #expect(ArgumentBytes.problem(in: [Array("read".utf8), Array("Café 日本".utf8), []]) == nil)
    let problem = ArgumentBytes.problem(in: [Array("write".utf8), [0x41, 0xff], [0xc3]])
    #expect(problem?.status == .usage)
    #expect(problem?.message == #"cannot read the command line: 'A\xff' is not UTF-8"#)
  }
}
