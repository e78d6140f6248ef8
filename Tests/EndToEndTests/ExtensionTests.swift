// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Extensions", .timeLimit(.minutes(5)))
struct ExtensionTests {
  /// Runs a test with programs in PATH.
  private func withPrograms(
    _ programs: [String: String], _ body: (ToolFolder) async throws -> Void
  ) async throws {
    try await ToolFolder.with { folder in
      for (name, text) in programs {
        try folder.write(text, to: name)
        try #require(chmod("\(folder.path)/\(name)", 0o755) == 0)
      }
      try await body(folder)
    }
  }

  /// The programs of docs/extending.md, by their names.
  private func documented() throws -> [String: String] {
    let text = try #require(RecordedFile.read(RecordedFile.path("docs/extending.md")))
    let blocks = text.matches(of: /(?s)```\w+\n(#!.*?)```/).map { String($0.1) }
    return Dictionary(
      uniqueKeysWithValues: blocks.compactMap { block in
        block.firstMatch(of: /(blectl[a-z_]*-[a-z]+):/).map { (String($0.1), block) }
      })
  }

  @Test("The status and the end by a signal are those of the extension, and so are the words")
  func status() async throws {
    let script = "#!/bin/sh\n[ \"$1\" = end ] && kill -9 $$\nprintf '<%s>' \"$@\"; exit 42\n"
    try await withPrograms(["blectl-mine": script]) { folder in
      let result = try await folder.run("blectl mine 'a b' --json -- ''")
      #expect(result.status == 42)
      #expect(result.text == "<a b><--json><--><>")
      let killed = try await folder.run("true\nblectl mine end & wait $!")
      #expect(killed.status == 137)
    }
  }

  @Test("An extension takes the place of blectl, in the same process, and knows the path of blectl")
  func place() async throws {
    let script = "#!/bin/sh\necho $$ \"$BLECTL\"; \"$BLECTL\" --version\n"
    try await withPrograms(["blectl-mine": script]) { folder in
      let result = try await folder.run("true\nBLECTL=elsewhere blectl mine & echo $!; wait $!")
      let tool = try #require(realpath(Blectl.path, nil))
      defer { free(tool) }
      #expect(result.lines.count == 3)
      #expect(result.lines.contains { $0.hasPrefix("blectl ") || $0.first?.isNumber == true })
      let process = try #require(result.lines.first)
      #expect(result.lines.contains("\(process) \(String(cString: tool))"))
    }
  }

  @Test("Commands of blectl win, and what cannot be the name of an extension runs nothing")
  func precedence() async throws {
    let script = "#!/bin/sh\necho run\n"
    let names = ["uuid", "notify", "help", "web", "-x", ".hidden"]
    try await withPrograms(
      Dictionary(uniqueKeysWithValues: names.map { ("blectl-\($0)", script) })
    ) { folder in
      #expect(try await folder.run("blectl uuid 2a19").text.contains("Battery Level"))
      for word in ["web", "./uuid", ".hidden", "x/../uuid", "-- -x"] {
        let result = try await folder.run("blectl \(word)")
        #expect(result.status == 64 && result.output.isEmpty, "\(word)")
      }
      let help = try await folder.run("blectl help")
      #expect(!help.text.contains("EXTENSIONS"))
    }
  }

  @Test("A file of the current folder is not run, even if PATH has the folder in relative form")
  func relative() async throws {
    try await withPrograms(["blectl-mine": "#!/bin/sh\necho run\n"]) { folder in
      let result = try await folder.run("T=$PWD/blectl && PATH=.::/usr/bin:/bin && $T mine")
      #expect(result.status == 64 && result.output.isEmpty)
    }
  }

  @Test(
    "Help lists what was found, by name, the first in PATH once; help NAME asks it",
    arguments: ["help", "--help"])
  func help(_ word: String) async throws {
    let script = "#!/bin/sh\necho \"usage of $0: $*\"\n"
    try await withPrograms(["blectl-zoo": script, "blectl-ant": script]) { folder in
      _ = try await folder.run(
        "mkdir other && cp blectl-ant other/ && touch blectl-plain && mkdir blectl-folder")
      let result = try await folder.run("PATH=$PATH:$PWD/other blectl \(word)")
      #expect(result.status == 0)
      let lines = result.lines.drop { $0 != "EXTENSIONS:" }.dropFirst().prefix { $0.hasPrefix("  ") }
      let shown = lines.map { $0.split(separator: " ").map(String.init) }
      #expect(shown == [["ant", "\(folder.path)/blectl-ant"], ["zoo", "\(folder.path)/blectl-zoo"]])
      let page = try await folder.run("blectl help zoo")
      #expect(page.text == "usage of \(folder.path)/blectl-zoo: --help\n")
    }
  }

  @Test(
    "A typo is answered with what was meant, extensions included, and what cannot run with what is missing")
  func mistakes() async throws {
    try await withPrograms(["blectl-battery": "#!/bin/sh\n", "blectl-broken": "no program\n"]) { folder in
      try folder.write("#!/bin/sh\n", to: "blectl-plain")
      for (line, status, text) in [
        ("blectl batery", 64, "no such command; did you mean battery?"),
        ("blectl scam", 64, "no such command; did you mean scan?"),
        ("blectl help batery", 64, "did you mean battery?"),
        ("blectl plain", 64, "\(folder.path)/blectl-plain is not executable"),
        ("blectl plain", 64, "hint: chmod +x \(folder.path)/blectl-plain"),
        ("blectl broken", 1, "blectl-broken: Exec format error"),
        ("blectl broken", 1, "begin \(folder.path)/blectl-broken with a line such as #!/bin/sh"),
        ("blectl nothing-like-it", 64, "cannot run 'nothing-like-it': no such command"),
      ] as [(String, Int32, String)] {
        let result = try await folder.run(line)
        #expect(result.status == status, "\(line)")
        #expect(result.errorText.contains(text), "\(line): \(result.errorText)")
      }
    }
  }

  @Test("A broken profile does not keep an extension from running")
  func profile() async throws {
    try await withPrograms(["blectl-mine": "#!/bin/sh\necho run\n"]) { folder in
      let result = try await folder.run("BLECTL_PROFILE=/nonexistent blectl mine")
      #expect(result.status == 0 && result.text == "run\n")
    }
  }

  @Test("The programs of docs/extending.md do what the page says")
  func documentation() async throws {
    let programs = try documented()
    #expect(programs.keys.sorted() == ["blectl-battery", "blectl-pulse", "blectl_complete-battery"])
    try await withPrograms(programs) { folder in
      let battery = try await folder.run("blectl battery 'Heart Strap' --simulate")
      #expect(battery.status == 0 && battery.text == "Heart Strap: 87 %\n", "\(battery.errorText)")
      #expect(try await folder.run("blectl battery Nobody --simulate --timeout 1s").status == 4)
      let pulse = try await folder.run("blectl pulse 'Heart Strap' --simulate")
      #expect(pulse.status == 0 && pulse.text.wholeMatch(of: /\d\d+\n/) != nil, "\(pulse.errorText)")
      #expect(try await folder.run("blectl pulse Nobody --simulate --timeout 1s").status == 4)
      for name in ["battery", "pulse"] {
        #expect(try await folder.run("blectl help \(name)").text.contains("Usage: blectl \(name) DEVICE"))
      }
      let devices = try await folder.run(
        "blectl simulate -- sh -c 'blectl scan --count 3 -q >/dev/null; SAP_SHELL=fish SAP_SHELL_VERSION=3.6 blectl ---extensions battery \"\"'"
      )
      #expect(devices.lines.contains { $0.wholeMatch(of: /[A-Za-z0-9 ]+/) != nil }, "\(devices.errorText)")
      let options = try await folder.run(
        "SAP_SHELL=fish SAP_SHELL_VERSION=3.6 blectl ---extensions battery Piano -")
      #expect(options.lines == ["--timeout\tTime limit", "--simulate\tSimulated devices"])
    }
  }

  @Test("Completion offers names and harmless words, runs only the program for it, and waits for none")
  func completion() async throws {
    let programs = [
      "blectl-mine": "#!/bin/sh\necho ran >ran\n",
      "blectl-slow": "#!/bin/sh\n",
      "blectl_complete-slow": "#!/bin/sh\necho first; exec sleep 600\n",
      "blectl-evil": "#!/bin/sh\n",
      "blectl_complete-evil": "#!/bin/sh\nprintf '%s\\n' 'a$(reboot)' '--ok' '-$x' good '`x`' \"$#:$2\"\n",
    ]
    try await withPrograms(programs) { folder in
      let names = try await folder.run("SAP_SHELL=bash SAP_SHELL_VERSION=5 blectl ---extensions")
      #expect(names.lines == ["evil", "mine", "slow"])
      let none = try await folder.run("blectl ---extensions mine x; ls")
      #expect(!none.lines.contains("ran") && none.status == 0)
      let evil = try await folder.run(
        "SAP_SHELL=fish SAP_SHELL_VERSION=3.6 blectl ---extensions evil one tw")
      #expect(evil.lines == ["--ok", "good", "2:tw"])
      #expect(
        try await folder.run("SAP_SHELL=bash SAP_SHELL_VERSION=5 blectl ---extensions slow ''").lines == [
          "first"
        ])
    }
  }
}
