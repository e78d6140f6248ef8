// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Dialogues of a pairing on a terminal")
struct PairingDialogueTests {
  private static let device = "Lamp (C0:00:00:00:00:01)"

  /// Runs `pair Lamp`: waits for a question, types an answer, and prints the lines, and then the status.
  private func dialogue(_ pairing: String, _ steps: String, name: String = "Lamp") async throws -> [String] {
    let script = """
      terminal = Terminal("pair", "C0:00:00:00:00:01")
      \(steps)
      shown, status = terminal.end()
      for line in lines(shown): print(line)
      print("wide" if any(len(line) > 80 for line in lines(shown) if not line.startswith(("blectl: ", "hint: "))) else "fits", status)
      """
    let result = try await PairingScript.run(PairingScript.world(pairing, name: name), script)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines.filter { !$0.isEmpty }
  }

  @Test("A passkey is asked for; after one of seven digits, again")
  func passkey() async throws {
    let lines = try await dialogue(
      PairingScript.shows,
      """
      terminal.wait("Passkey: ")
      terminal.type("1234567\\n")
      terminal.wait("six digits.")
      terminal.type("042017\\n")
      """)
    #expect(
      lines == [
        "\(Self.device) shows a passkey.", "25 s left; Ctrl-C cancels", "Passkey: 1234567",
        "A passkey has up to six digits.", "Passkey: 042017",
        "paired: \(Self.device)", "passkey: links are encrypted, and no device is in between", "fits 0",
      ])
  }

  @Test("The remaining time is redrawn, and keeps the typed text")
  func time() async throws {
    let lines = try await dialogue(
      PairingScript.shows,
      """
      terminal.wait("Passkey: ")
      terminal.type("0420")
      terminal.wait("23 s left")
      terminal.type("17\\n")
      """)
    #expect(lines.contains("Passkey: 042017"))
    #expect(lines.last == "fits 0")
  }

  @Test("A wrong passkey is an error")
  func wrongPasskey() async throws {
    let lines = try await dialogue(
      PairingScript.shows,
      """
      terminal.wait("Passkey: ")
      terminal.type("1\\n")
      """)
    #expect(
      lines.suffix(5) == [
        "blectl: cannot pair with C0:00:00:00:00:01: the passkey is wrong, or the device", "  refused",
        "hint: blectl pair C0:00:00:00:00:01, with the passkey that it shows or is", "  labelled with",
        "fits 1",
      ])
  }

  @Test("A passkey is shown, to be typed into the device")
  func shown() async throws {
    let lines = try await dialogue(PairingScript.types, "")
    #expect(lines.first?.wholeMatch(of: /Type \d{6} into Lamp \(C0:00:00:00:00:01\)\./) != nil, "\(lines)")
    #expect(lines.last == "fits 0")
  }

  @Test("A comparison is asked for, and accepted")
  func comparison() async throws {
    let lines = try await dialogue(
      PairingScript.compares,
      """
      terminal.wait("Yes or no: ")
      terminal.type("yes\\n")
      """)
    #expect(
      lines.first?.wholeMatch(of: /Does Lamp \(C0:00:00:00:00:01\) show \d{6}\?/) != nil, "\(lines)")
    #expect(
      lines.suffix(3) == [
        "paired: \(Self.device)", "numeric comparison: links are encrypted, and no device is in between",
        "fits 0",
      ])
  }

  @Test("A comparison is rejected")
  func rejected() async throws {
    let lines = try await dialogue(
      PairingScript.compares,
      """
      terminal.wait("Yes or no: ")
      terminal.type("no\\n")
      """)
    #expect(
      lines.suffix(3) == [
        "blectl: cannot pair with C0:00:00:00:00:01: it was refused on this side",
        "hint: blectl pair C0:00:00:00:00:01, and answer its question", "fits 1",
      ])
  }

  @Test("The end of the input, Ctrl-D, refuses")
  func endOfInput() async throws {
    let lines = try await dialogue(
      PairingScript.compares,
      """
      terminal.wait("Yes or no: ")
      terminal.type("\\x04")
      """)
    #expect(lines.last == "fits 1")
  }

  @Test("Text typed before a question does not answer it")
  func typedAhead() async throws {
    let lines = try await dialogue(
      PairingScript.compares,
      """
      terminal.type("yes\\n")
      terminal.wait("Yes or no: ")
      terminal.type("no\\n")
      """)
    #expect(lines.last == "fits 1")
  }

  @Test("A name from the air moves no cursor, and fits on the line")
  func hostileName() async throws {
    let name = String(repeating: "x", count: 60) + "\\u001b[2J"
    let lines = try await dialogue(
      PairingScript.compares,
      """
      terminal.wait("Yes or no: ")
      terminal.type("yes\\n")
      """, name: "\\u001b[2J" + name)
    #expect(lines.last?.hasSuffix(" 0") == true)
    #expect(lines.first.map { $0.count <= 79 } == true)
    #expect(lines.first?.hasPrefix(#"Does \u{1b}[2Jxxx"#) == true, "\(lines)")
  }

  @Test("Read --pair asks on the terminal, and reads on")
  func onDemand() async throws {
    let script = """
      terminal = Terminal("read", "Lamp", "2a19", "--pair")
      terminal.wait("Passkey: ")
      terminal.type("042017\\n")
      shown, status = terminal.end()
      print(lines(shown)[-2], status)
      """
    let result = try await PairingScript.run(PairingScript.world(PairingScript.shows), script)
    #expect(result.lines == ["87 %  57 0"], "\(result.errorText) \(result.lines)")
  }

  /// Two devices that show a passkey, when something of theirs is used.
  private static func two(_ content: String) -> String {
    let devices = (1...2).map {
      #"{"address": "C0:00:00:00:00:1\#($0)", "name": "Lamp \#($0)", "pairing": {\#(PairingScript.shows)}, \#(content)}"#
    }
    return #"{"peripherals": [\#(devices.joined(separator: ", "))]}"#
  }

  @Test(
    "Two devices that are paired with together ask one after the other, and neither waits for a request that is lost",
    arguments: [
      (
        #""subscribe", "Lamp*", "2a19", "--all", "--pair", "--read-first", "--count", "2", "--timeout", "25s""#,
        two(
          #""services": [{"uuid": "180f", "characteristics": [{"uuid": "2a19", "value": "57", "#
            + #""properties": ["read", "notify"], "security": "encrypted"}]}]"#)
      ),
      (
        #""update", "Lamp*", "new.bin", "--all", "--pair", "--timeout", "25s""#,
        two(#""mtu": 247, "smp": {"version": "1.2.3", "security": "authenticated"}"#)
      ),
    ])
  func together(command: String, world: String) async throws {
    let script = """
      open("new.bin", "wb").write(subprocess.check_output([TOOL, "simulate", "--firmware", "smp"]))
      terminal = Terminal(\(command))
      for _ in range(2):
          terminal.wait("Passkey: ")
          terminal.shown = b""
          terminal.type("042017\\n")
      shown, status = terminal.end()
      print(status)
      """
    let result = try await PairingScript.run(world, script)
    #expect(result.lines == ["0"], "\(result.errorText) \(result.lines)")
  }

  @Test("Agent asks whether a device may pair that begins by itself")
  func agent() async throws {
    let script = """
      terminal = Terminal("agent", "--count", "1", "--trust")
      terminal.wait("press Ctrl-C to stop")
      reading = subprocess.Popen([TOOL, "read", "Lamp", "2a19"], stdout=subprocess.PIPE, text=True)
      terminal.wait("Yes or no: ")
      terminal.type("yes\\n")
      shown, status = terminal.end()
      print([line for line in lines(shown) if line.startswith(("Let", "paired"))], status)
      print(reading.communicate()[0].strip())
      print("trusted" in blectl("devices", "--trusted"))
      """
    let result = try await PairingScript.run(PairingScript.world(""), script)
    #expect(
      result.lines == [
        "['Let \(Self.device) pair, without a number?', 'paired: \(Self.device)'] 0", "57", "True",
      ], "\(result.errorText)")
  }
}
