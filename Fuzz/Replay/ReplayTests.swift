// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import TestSupport
internal import Testing

/// The fuzzers without libFuzzer: every seed is played on every run of the unit tests.
///
/// Each corpus has a process of its own: a fuzzer traps when something is wrong, and some count open files. Which seed
/// it was, `Scripts/fuzz.sh 1 NAME` shows.
@Suite("Seeds of the fuzzers")
struct ReplayTests {
  @Test("No seed of Wire traps")
  func wire() async { await #expect(processExitsWith: .success) { try await replay("Wire") } }
  @Test("No seed of Values traps")
  func values() async { await #expect(processExitsWith: .success) { try await replay("Values") } }
  @Test("No seed of Advertisements traps")
  func advertisements() async {
    await #expect(processExitsWith: .success) { try await replay("Advertisements") }
  }
  @Test("No seed of Encoders traps")
  func encoders() async { await #expect(processExitsWith: .success) { try await replay("Encoders") } }
  @Test("No seed of Keys traps")
  func keys() async { await #expect(processExitsWith: .success) { try await replay("Keys") } }
  @Test("No seed of Characteristics traps")
  func characteristics() async {
    await #expect(processExitsWith: .success) { try await replay("Characteristics") }
  }
  @Test("No seed of Firmware traps")
  func firmware() async { await #expect(processExitsWith: .success) { try await replay("Firmware") } }
  @Test("No seed of Management traps")
  func management() async { await #expect(processExitsWith: .success) { try await replay("Management") } }
  @Test("No seed of Worlds traps")
  func worlds() async { await #expect(processExitsWith: .success) { try await replay("Worlds") } }
  @Test("No seed of Profiles traps")
  func profiles() async { await #expect(processExitsWith: .success) { try await replay("Profiles") } }
  @Test("No seed of Bus traps")
  func bus() async { await #expect(processExitsWith: .success) { try await replay("Bus") } }
  @Test("No seed of Requests traps")
  func requests() async { await #expect(processExitsWith: .success) { try await replay("Requests") } }
  @Test("No seed of Pages traps")
  func pages() async { await #expect(processExitsWith: .success) { try await replay("Pages") } }
  @Test("No seed of Proxy traps")
  func proxy() async { await #expect(processExitsWith: .success) { try await replay("Proxy") } }
  @Test("No seed of Scripts traps")
  func scripts() async { await #expect(processExitsWith: .success) { try await replay("Scripts") } }
  @Test("No seed of Arguments traps")
  func arguments() async { await #expect(processExitsWith: .success) { try await replay("Arguments") } }

  @Test("A seed that is not hexadecimal, or a corpus without seeds, is an error")
  func broken() async {
    #expect(throws: BrokenCorpus.self) { try seeds("00ff\n0g") }
    #expect(throws: BrokenCorpus.self) { try seeds("# Nothing.\n") }
    await #expect(throws: BrokenCorpus.self) { try await replay("Nobody") }
  }
}

private struct BrokenCorpus: Error {
  let line: Substring
}

/// Runs a fuzzer on a thread of its own, as libFuzzer does: it may wait for tasks.
private func replay(_ name: String) async throws {
  guard let fuzzer = Fuzzer.all.first(where: { $0.name == name }),
    let text = RecordedFile.read(RecordedFile.path("Fuzz/Corpus/\(name).txt"))
  else { throw BrokenCorpus(line: "") }
  let inputs = try seeds(text)
  let end = Promise<Bool>()
  WorkerThread.start {
    for input in inputs { input.withUnsafeBytes(fuzzer.run) }
    end.fulfil(true)
  }
  _ = await end.value
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
