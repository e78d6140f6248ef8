// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Charts")
struct PlotTests {
  /// A path in a folder of its own, which is removed at the end.
  private func withFile(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/blectl-plot-XXXXXX\0".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["chart.svg", "log.ndjson"] { unlink("\(folder)/\(name)") }
      // Fails, and is noticed, when anything else was left there.
      #expect(rmdir(folder) == 0)
    }
    try await body(folder)
  }

  private func read(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("A chart that cannot be drawn is refused before anything is done", arguments: [[], ["--json"]])
  func refused(more: [String]) async throws {
    let result = try await Blectl().start(
      ["subscribe", "Heart Strap", "2a37", "--plot", "--simulate"] + more
    ).result()
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    let reason = more.isEmpty ? "not a terminal" : "--plot and --json cannot be used together"
    #expect(result.errorText.contains(reason))
    if more.isEmpty { #expect(result.errorText.contains("hint: --plot-svg FILE")) }
    let dumb = try await Blectl().onTerminal(
      ["subscribe", "Heart Strap", "2a37", "--plot", "--simulate"], environment: ["TERM": "dumb"])
    #expect(dumb.status == 64)
  }

  @Test("A chart takes the terminal, gives it back, and leaves the last picture")
  func terminal() async throws {
    let keys = "q end  p pause  +- window"
    let result = try await Blectl().onTerminal(
      ["subscribe", "Heart Strap", "2a37", "--plot", "--simulate"],
      until: { $0.contains(keys) && $0.contains("heart_rate_bpm") })
    #expect(result.status == 0, "\(result.text)")
    let parts = result.text.split(separator: "\u{1b}[?1049l", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    #expect(parts[0].contains("\u{1b}[?1049h") && parts[0].contains(keys))
    #expect(parts[0].hasSuffix("\u{1b}[?25h"))
    #expect(parts[1].contains(/\d+ values? in/) && parts[1].contains("heart_rate_bpm"))
    #expect(!parts[1].contains("\u{1b}[?"))
  }

  @Test("The chart in a file stands beside records and logs")
  func file() async throws {
    try await withFile { folder in
      let result = try await Blectl().run(
        "subscribe", "Heart Strap", "2a37", "--count", "3", "--simulate", "--json", "--log",
        "\(folder)/log.ndjson", "--plot-svg", "\(folder)/chart.svg")
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try result.records.filter { $0["event"]?.text == "value" }.count == 3)
      #expect(read("\(folder)/log.ndjson") == result.text)
      let chart = read("\(folder)/chart.svg")
      #expect(chart.contains("3 values in") && chart.hasSuffix("</svg>\n"))
    }
  }

  @Test("A signal ends the stream, and the chart is written", arguments: [SIGINT, SIGTERM])
  func signal(_ number: Int32) async throws {
    try await withFile { folder in
      let running = try Blectl().start(
        ["subscribe", "Heart Strap", "2a37", "--simulate", "--plot-svg", "\(folder)/chart.svg"])
      #expect(await running.waitForLines(2))
      running.send(signal: number)
      #expect(await running.result().signal == number)
      #expect(read("\(folder)/chart.svg").hasSuffix("</svg>\n"))
    }
  }

  @Test("A file that cannot be written is reported before anything is done")
  func unwritable() async throws {
    let result = try await Blectl().run(
      "subscribe", "Heart Strap", "2a37", "--simulate", "--plot-svg", "/nonexistent/chart.svg")
    #expect(result.status == 1)
    #expect(
      result.errorText == "blectl: cannot write /nonexistent/chart.svg: No such file or directory\n")
  }
}
