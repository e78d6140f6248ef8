// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import TestSupport
internal import Testing

/// The fuzzers without libFuzzer: every seed is played on every run of the unit tests.
///
/// Each corpus has a process of its own: a fuzzer traps when something is wrong, and some count open files. Which seed
/// it was, `Scripts/fuzz.sh 1 NAME` shows.
@Suite("Seeds of the fuzzers")
struct ReplayTests {
  @Test("No seed of Wire traps")
  func wire() async { await #expect(processExitsWith: .success) { try replay("Wire") } }
  @Test("No seed of Values traps")
  func values() async { await #expect(processExitsWith: .success) { try replay("Values") } }
  @Test("No seed of Advertisements traps")
  func advertisements() async {
    await #expect(processExitsWith: .success) { try replay("Advertisements") }
  }
  @Test("No seed of Encoders traps")
  func encoders() async { await #expect(processExitsWith: .success) { try replay("Encoders") } }
  @Test("No seed of Keys traps")
  func keys() async { await #expect(processExitsWith: .success) { try replay("Keys") } }
  @Test("No seed of Characteristics traps")
  func characteristics() async {
    await #expect(processExitsWith: .success) { try replay("Characteristics") }
  }
  @Test("No seed of Worlds traps")
  func worlds() async { await #expect(processExitsWith: .success) { try replay("Worlds") } }
  @Test("No seed of Profiles traps")
  func profiles() async { await #expect(processExitsWith: .success) { try replay("Profiles") } }
  @Test("No seed of Bus traps")
  func bus() async { await #expect(processExitsWith: .success) { try replay("Bus") } }
  @Test("No seed of Requests traps")
  func requests() async { await #expect(processExitsWith: .success) { try replay("Requests") } }
  @Test("No seed of Scripts traps")
  func scripts() async { await #expect(processExitsWith: .success) { try replay("Scripts") } }
  @Test("No seed of Arguments traps")
  func arguments() async { await #expect(processExitsWith: .success) { try replay("Arguments") } }

  @Test("A seed that is not hexadecimal, or a corpus without seeds, is an error")
  func broken() {
    #expect(throws: BrokenCorpus.self) { try seeds("00ff\n0g") }
    #expect(throws: BrokenCorpus.self) { try seeds("# Nothing.\n") }
    #expect(throws: BrokenCorpus.self) { try replay("Nobody") }
  }
}

private struct BrokenCorpus: Error {
  let line: Substring
}

private func replay(_ name: String) throws {
  let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(
    separator: "/")
  guard let fuzzer = Fuzzer.all.first(where: { $0.name == name }),
    let text = RecordedFile.read("\(folder)/Corpus/\(name).txt")
  else { throw BrokenCorpus(line: "") }
  for seed in try seeds(text) { seed.withUnsafeBytes(fuzzer.run) }
}

/// The seeds of a corpus: what a line holds before its name.
private func seeds(_ corpus: String) throws -> [[UInt8]] {
  let seeds = try corpus.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    guard let seed = Hex.bytes(line.prefix { $0 != " " }) else { throw BrokenCorpus(line: line) }
    return seed
  }
  guard !seeds.isEmpty else { throw BrokenCorpus(line: "") }
  return seeds
}
