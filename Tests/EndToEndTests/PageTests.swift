// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Page")
struct PageTests {
  /// A command with a page on a free port.
  private struct Served: Sendable {
    let run: ToolRun
    let port: UInt16

    var probe: HTTPProbe { HTTPProbe(port: port) }

    /// Starts a command, with few descriptors if `descriptors` says so.
    init(_ arguments: [String], descriptors: Int? = nil) async throws {
      let words = arguments + ["--web", "0", "--simulate"]
      if let descriptors {
        run = try ToolRun("/usr/bin/prlimit", ["--nofile=\(descriptors)", Blectl.path] + words)
      } else {
        run = try Blectl().start(words)
      }
      #expect(await run.waitForErrors { $0.contains(/the page is at http:\/\/\S+:\d+\//) })
      let link = await run.errorsSoFar().firstMatch(of: /the page is at http:\/\/[^ ]+:(\d+)\//)
      port = UInt16(link?.1 ?? "") ?? 0
    }

    static let stream = Array("GET /api/records?after=x-0 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    /// The records of the stream, until they are right.
    func records(until areRight: @escaping @Sendable (String) -> Bool = { _ in false }) async -> String {
      String(
        decoding: await probe.exchange(Self.stream) { areRight(String(decoding: $0, as: UTF8.self)) },
        as: UTF8.self)
    }

    /// The devices, once the stream has a record.
    func devices(after wanted: String) async -> String {
      #expect(await records { $0.contains(wanted) }.contains(wanted))
      return await probe.ask("/api/devices").body
    }

    /// Waits until nothing of the time before is on its way any more.
    func knowsThePast() async {
      while await probe.ask("/api/devices").body.contains(#""history":"loading""#) { await Task.yield() }
    }

    func end() async -> ToolResult {
      kill(run.process, SIGINT)
      return await run.result()
    }
  }

  @Test(
    "Every command that follows something has a page of what it prints",
    arguments: [
      (["listen", "Garden"], #""temperature_celsius":25.06"#), (["scan"], #""name":"Heart Strap""#),
      (["subscribe", "Heart Strap", "2a37"], #""heart_rate_bpm":"#),
      (["monitor", "--scan"], #""name":"Piano""#),
    ])
  func commands(arguments: [String], wanted: String) async throws {
    let served = try await Served(arguments)
    let devices = await served.devices(after: wanted)
    #expect(devices.contains(wanted), "\(devices)")
    #expect(devices.contains(#""command":"\#(arguments[0])""#))
    #expect(await served.end().signal == SIGINT)
  }

  @Test("With a database as a log, the page begins with what came before the command")
  func past() async throws {
    try await ToolFolder.with { folder in
      let log = folder.path + "/log.sqlite"
      let first = try await Blectl().run(
        "subscribe", "Heart Strap", "2a37", "--count", "2", "--log", log, "--simulate")
      #expect(first.status == 0, "\(first.errorText)")
      let served = try await Served(["listen", "Garden", "--log", log])
      await served.knowsThePast()
      let values = await served.probe.ask("/api/values?field=heart_rate_bpm").body
      let wanted = #""address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap","source":"2a37""#
      #expect(values.contains(wanted), "\(values)")
      #expect(await served.end().signal == SIGINT)
      // The page of its characteristics, which listen does not need.
      _ = try await folder.run(
        "tr '\\0' '\\377' </dev/zero | head -c 4096 | dd of=log.sqlite bs=4096 seek=3 conv=notrunc")
      let damaged = try await Served(["listen", "Garden", "--log", log])
      let problem = "cannot show what \(log) has of the time before: database disk image is malformed\n"
      let isReported = await damaged.run.waitForErrors { $0.contains(problem) }
      #expect(isReported)
      #expect(await damaged.devices(after: "temperature_celsius").contains("Garden"))
      await damaged.knowsThePast()
      #expect(await damaged.end().signal == SIGINT)
    }
  }

  @Test("A served device has its centrals on the page")
  func serve() async throws {
    let served = try await Served(["serve", "Heart Strap"])
    #expect(await served.devices(after: "Heart Strap").contains("Heart Strap"))
    #expect(await served.end().signal == SIGINT)
  }

  @Test("The page of a scan has each advertisement, and the output only what is new")
  func advertisements() async throws {
    let served = try await Served(["scan", "--json"])
    let heard = await served.records { $0.matches(of: /"address":"F0:F1:F2:F3:F4:F5"/).count >= 10 }
    #expect(heard.matches(of: /"address":"F0:F1:F2:F3:F4:F5"/).count >= 10)
    let devices = await served.probe.ask("/api/devices").body
    #expect(devices.contains(/"address":"F0:F1:F2:F3:F4:F5"[^{]*"packets":[1-9]\d/))
    let result = await served.end()
    #expect(result.lines.count { $0.contains("F0:F1:F2:F3:F4:F5") } < 5)
  }

  @Test("A port that is taken, and addresses that others reach, are refused before anything begins")
  func refusals() async throws {
    let served = try await Served(["listen"])
    let taken = try await Blectl().run("listen", "--web", "\(served.port)", "--simulate")
    #expect(taken.status == 1)
    #expect(
      taken.errorText == """
        blectl: cannot serve the page on 127.0.0.1:\(served.port): Address already in use
        hint: another port; --web 0 takes a free one

        """
    )
    _ = await served.end()
    for address in ["0.0.0.0:0", "[::]:0"] {
      let open = try await Blectl().run("listen", "--web", address, "--simulate")
      #expect(open.status == 64)
      #expect(open.errorText.contains("others could read it\nhint: add --web-token FILE, or --web-open"))
    }
    let wanted = try await Blectl().run(
      "listen", "--web", "0.0.0.0:0", "--web-open", "--duration", "1s", "--simulate")
    #expect(wanted.status == 0)
    for option in [
      ["--web-open"], ["--web-token", "x"], ["--web-name", "x"], ["--web-base", "/x"], ["--history", "1h"],
    ] {
      let result = try await Blectl().start(["listen", "--simulate"] + option).result()
      #expect(result.status == 64)
      #expect(result.errorText.contains("\(option[0]) needs --web"))
    }
    for base in ["ble", "/", "/ble/", "/a b", "/../x", "//x"] {
      let result = try await Blectl().run("listen", "--web", "0", "--web-base", base, "--simulate")
      #expect(result.status == 64, "\(base)")
      #expect(result.errorText.contains("--web-base is a path such as /ble"), "\(base)")
    }
    for (base, path) in [("/api", "/api/records"), ("/health", "/health"), ("/app.js", "/app.js")] {
      let result = try await Blectl().run("listen", "--web", "0", "--web-base", base, "--simulate")
      #expect(result.status == 64, "\(base)")
      #expect(result.errorText.contains("--web-base \(base) would hide \(path) of the page"), "\(base)")
    }
  }

  @Test("A token is taken from a file that only its owner may read")
  func tokens() async throws {
    try await ToolFolder.with { folder in
      try folder.write("0123456789abcdef\n", to: "token")
      _ = try await folder.run("chmod 644 token")
      let readable = try await folder.run("blectl listen --web 0 --web-token token --simulate")
      #expect(readable.status == 64)
      #expect(
        readable.errorText
          == "blectl: cannot use the token in token: others can read or change it (mode 644)\nhint: chmod 600 token\n"
      )
      _ = try await folder.run("chmod 600 token")
      let right = try await folder.run("blectl listen --web 0 --web-token token --duration 1s --simulate")
      #expect(right.status == 0, "\(right.errorText)")
      try folder.write("short\n", to: "token")
      #expect(try await folder.run("blectl listen --web 0 --web-token token --simulate").status == 64)
      #expect(try await folder.run("blectl listen --web 0 --web-token none --simulate").status == 64)
    }
  }

  @Test("However the command ends, its page ends with it")
  func ends() async throws {
    for signal in [SIGINT, SIGTERM, SIGKILL] {
      let served = try await Served(["listen"])
      let stream = HTTPConnectionProbe(port: served.port)
      await stream.send(Served.stream)
      kill(served.run.process, signal)
      _ = await served.run.result()
      #expect(await stream.ends(), "after signal \(signal)")
      #expect(await served.probe.ask("/").status == 0, "after signal \(signal)")
    }
  }

  @Test("Connections without end, and few descriptors, harm neither the page nor the output")
  func crowd() async throws {
    let served = try await Served(
      ["subscribe", "Heart Strap", "2a37", "--json"], descriptors: 128)
    let stream = HTTPConnectionProbe(port: served.port)
    await stream.send(Served.stream)
    _ = await stream.read { String(decoding: $0, as: UTF8.self).contains(#""event":"value""#) }
    let idle = (0..<400).map { _ in HTTPConnectionProbe(port: served.port) }
    let before = await served.run.outputSoFar().count { $0 == UInt8(ascii: "\n") }
    #expect(await served.run.waitForLines(before + 3))
    #expect(await stream.read { String(decoding: $0, as: UTF8.self).contains(#""event":"value""#) }.count > 0)
    #expect(idle.count == 400)
    #expect(await served.end().signal == SIGINT)
  }

  @Test("Clients of the stream get the last records before it ends")
  func end() async throws {
    let served = try await Served(["subscribe", "Heart Strap", "2a37", "--json"])
    let stream = HTTPConnectionProbe(port: served.port)
    await stream.send(Served.stream)
    let first = await stream.read { String(decoding: $0, as: UTF8.self).contains(#""event":"value""#) }
    async let others = stream.read()
    let printed = try await served.end().records.filter { $0["event"]?.text == "value" }
    let streamed = String(decoding: await first + others, as: UTF8.self)
    #expect(!printed.isEmpty && streamed.matches(of: /"event":"value"/).count == printed.count)
  }

  @Test(
    "The page writes to the characteristics that were named, over the link of the command, and to no other")
  func control() async throws {
    try await ToolFolder.with { try await control(token: $0) }
  }

  private func control(token folder: ToolFolder) async throws {
    try folder.write("0123456789abcdef\n", to: "token")
    _ = try await folder.run("chmod 600 token")
    let open = try await Blectl().run(
      "subscribe", "Piano", "ffe2", "--web", "0", "--web-control", "ffe3", "--simulate")
    #expect(open.status == 64)
    #expect(open.errorText.contains("cannot let the page write without a token"))
    let served = try await Served(
      [
        "subscribe", "Piano", "ffe2", "--json", "--web-control", "ffe3", "--web-token",
        folder.path + "/token",
      ])
    let bearer = ["Authorization": "Bearer 0123456789abcdef"]
    #expect(await served.run.waitForOutput { $0.contains(#""event":"connected""#) })
    let devices = await served.probe.ask("/api/devices", headers: bearer).body
    #expect(devices.contains(#""controls":["ffe3"]"#))
    func write(
      _ characteristic: String, _ value: String, from origin: String = "http://localhost"
    ) async -> HTTPProbe.Answer {
      await served.probe.ask(
        "/api/write", method: "POST", headers: bearer.merging(["Origin": origin]) { $1 },
        body: #"{"address":"D0:B5:C2:0A:0B:0C","characteristic":"\#(characteristic)","value":"\#(value)"}"#)
    }
    let written = await write("ffe3", "f03d3d0002f7")
    #expect(written.status == 200, "\(written.body)")
    // The piano answers a key.
    #expect(await served.run.waitForOutput { $0.contains(#""value":"9f5400""#) })
    let unnamed = await write("ffe2", "01")
    #expect(unnamed.body == #"{"status":"failed","error":"--web-control does not name ffe2"}"# + "\n")
    #expect(await write("ffe3", "@/etc/passwd").body.contains("is a file or the input of this machine"))
    #expect(await write("ffe3", "zz").status == 502)
    #expect(await write("ffe3", "f03d3d0002f7", from: "http://evil.example").status == 403)
    let anonymous = await served.probe.ask(
      "/api/write", method: "POST", headers: ["Origin": "http://localhost"])
    #expect(anonymous.status == 401)
    _ = await served.end()
    let listening = try await Blectl().run("listen", "--web", "0", "--web-control", "ffe3", "--simulate")
    #expect(listening.status == 64)
    let closed = try await Served(["subscribe", "Piano", "ffe2"])
    let refused = await closed.probe.ask(
      "/api/write", method: "POST", headers: ["Origin": "http://localhost"],
      body: #"{"address":"D0:B5:C2:0A:0B:0C","characteristic":"ffe3","value":"00"}"#)
    #expect(refused.status == 405)
    _ = await closed.end()
  }
}
