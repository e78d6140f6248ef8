// SPDX-License-Identifier: MIT
import BLEFormats
internal import BLEWorld
import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// The message and the exit status of each fault.
@Suite("Faults")
struct FaultTests {
  /// A command of blectl under some faults.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let faults: [ControlCommand]
    let arguments: [String]
    let status: Int32
    /// A part of what is said on standard error; nothing may be said where it is empty.
    let error: String
    var testDescription: String { name }

    init(
      _ name: String, _ faults: ControlCommand..., running arguments: String, status: Int32 = 0,
      error: String = ""
    ) {
      self.name = name
      self.faults = faults
      self.arguments = arguments.split(separator: " ").map(String.init)
      self.status = status
      self.error = error
    }
  }

  private static let strap = Address.strap
  private static let location = BluetoothUUID(0x2A38)
  private static let control = BluetoothUUID(0x2A39)
  private static let rate = BluetoothUUID(0x2A37)

  private static func answer(
    _ uuid: BluetoothUUID, _ answer: AnswerFault.Answer, times: Int? = nil
  ) -> ControlCommand {
    .characteristic(uuid, of: strap, .answer(AnswerFault(answer, times: times)))
  }

  static let cases: [Case] = [
    Case(
      "refused twice, then tried again", .peripheral(strap, .refuseConnect(times: 2)),
      running: "read \(strap) 2a38"),
    Case(
      "refused with an error that does not pass",
      .peripheral(strap, .refuseConnect(BlueZError("org.bluez.Error.Failed", "le-connection-refused"))),
      running: "read \(strap) 2a38", status: 1,
      error: "cannot connect to \(strap): the connection could not be made (le-connection-refused)"),
    Case(
      "attempt that hangs", .peripheral(strap, .hangConnect()),
      running: "connect \(strap) --timeout 5s", status: 5, error: "no connection before the timeout"),
    Case("link that is not signalled", .peripheral(strap, .hideConnected()), running: "read \(strap) 2a38"),
    Case(
      "link that drops during a read", .peripheral(Address.thermometer, .dropAfterOperations(1)),
      .characteristic(BluetoothUUID(0x2A6F), of: Address.thermometer, .answer(AnswerFault(.never))),
      running: "read \(Address.thermometer) 2a6f", status: 1, error: "the link was lost"),
    Case(
      "link that drops after the first operation", .peripheral(strap, .dropAfterOperations(1)),
      running: "read \(strap) 2a38 --every 50ms", status: 1, error: "\(strap): the link was lost"),
    Case(
      "services that come late", .peripheral(strap, .delayServices(.milliseconds(300))),
      running: "read \(strap) 2a38"),
    Case(
      "services that do not come", .peripheral(strap, .delayServices(.seconds(3600))),
      running: "services \(strap) --timeout 5s", status: 5, error: "does not know the services yet"),
    Case(
      "services after ServicesResolved", .peripheral(strap, .orderServices(.objectsLate(.milliseconds(300)))),
      running: "read \(strap) 2a38"),
    Case("slow answer", answer(location, .late(.milliseconds(300))), running: "read \(strap) 2a38"),
    Case(
      "no answer", answer(location, .never), running: "read \(strap) 2a38 --timeout 5s", status: 5,
      error: "before the timeout"),
    Case(
      "ATT error at a read", answer(location, .error(0x85)), running: "read \(strap) 2a38", status: 1,
      error: "ATT 0x85"),
    Case(
      "ATT error at a write", answer(control, .error(0x80)), running: "write \(strap) 2a39 01", status: 1,
      error: "ATT 0x80"),
    Case(
      "ATT error at subscribing", answer(rate, .error(0x80)),
      running: "subscribe \(strap) 2a37 --count 1", status: 1, error: "cannot subscribe to 2a37"),
    Case(
      "lost advertisements", .peripheral(strap, .loseAdverts()),
      running: "read \(strap) 2a38 --timeout 5s", status: 4, error: "not found before the timeout"),
    Case(
      "lost advertisements for a while", .peripheral(strap, .loseAdverts(), for: .milliseconds(500)),
      running: "read \(strap) 2a38"),
    Case(
      "lost names", .peripheral(strap, .loseNames(times: 2)),
      running: "scan --name Heart* --count 1 --duration 60s"),
    Case(
      "out of reach", .peripheral(strap, .vanish), running: "read \(strap) 2a38 --timeout 5s",
      status: 4, error: "not found before the timeout"),
    Case("adapter off", .adapter(.switchOff), running: "scan", status: 3, error: "the adapter hci0 is off"),
    Case("adapter gone", .adapter(.remove), running: "scan", status: 3, error: "no Bluetooth adapter"),
    Case("radio blocked", .adapter(.block), running: "adapter on", status: 3, error: "rfkill"),
    Case("no daemon", .daemon(.kill), running: "devices", status: 3, error: "org.bluez"),
    Case(
      "hanging daemon", .daemon(.freeze), running: "devices --timeout 5s", status: 3,
      error: "does not answer"),
    Case("daemon that hangs for a while", .daemon(.freeze, for: .milliseconds(300)), running: "devices"),
    Case(
      "busy at StartDiscovery", .daemon(.failCalls(CallFault("StartDiscovery", times: 1))),
      running: "scan --count 1 --duration 60s"),
    Case(
      "busy at Connect", .daemon(.failCalls(CallFault("Connect", times: 1))), running: "read \(strap) 2a38"),
    Case(
      "busy at ReadValue", .daemon(.failCalls(CallFault("ReadValue", times: 1))),
      running: "read \(strap) 2a38"),
    Case("doubled signals", .daemon(.doubleSignals()), running: "read \(strap) 2a38"),
    Case(
      "signals of a device that is not there", .peripheral(strap, .repeatProperties),
      running: "read \(strap) 2a38"),
    Case(
      "filter of another program", .otherClient(.scan(OtherClientFilter(rssi: -50))),
      running: "read \(strap) 2a38"),
  ]

  @Test("A fault gives its message and status", arguments: cases)
  func fault(_ test: Case) async throws {
    try await withSimulator { simulated in
      for fault in test.faults { try await simulated.simulator.perform(fault) }
      let result = try await Blectl(bus: simulated.address).start(test.arguments).result()
      #expect(result.status == test.status, "\(result.errorText)")
      if test.error.isEmpty {
        #expect(result.errorText == "")
      } else {
        #expect(result.errorText.contains(test.error))
      }
    }
  }
}

/// `simulate --control`.
@Suite("Commands to a simulation")
struct ControlTests {
  @Test("Standard input is answered on standard output, and ends the simulation")
  func standardInput() async throws {
    let commands = #"{"do":"adapter-off","for":"1h"}"# + "\n" + #"{"do":"drop-lnk"}"# + "\n"
    let result = try await Blectl().run("simulate", "--control", "-", input: Array(commands.utf8))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(
      Array(result.lines.dropFirst()) == [
        #"{"ok":true}"#,
        #"{"ok":false,"error":"/do: expected the name of a command, found \"drop-lnk\": did you mean \"drop-link\"?","#
          + #""pointer":"/do"}"#,
      ])
  }

  @Test("A command gets the path of the socket, which is gone afterwards")
  func socket() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      let script = """
        import os, socket
        path = os.environ["BLECTL_SIMULATE_CONTROL"]
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        client.sendall(b'{"do":"adapter-off"}\\n')
        print(oct(os.stat(path).st_mode & 0o777), client.recv(4096))
        """
      let result = try await Blectl().run(
        "simulate", "--control", path, "--", "python3", "-c", script)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines == [#"0o600 b'{"ok":true}\n'"#])
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test("A signal removes the socket")
  func interrupted() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      let run = try Blectl().start(["simulate", "--control", path])
      #expect(await run.waitForLines(1))
      #expect(access(path, F_OK) == 0)
      run.send(signal: SIGTERM)
      #expect(await run.result().signal == SIGTERM)
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test("A file that is there already is left alone")
  func existingFile() async throws {
    try await withFolder { folder in
      let path = folder + "/file"
      close(creat(path, 0o600))
      let result = try await Blectl().run("simulate", "--control", path)
      #expect(result.status == 1)
      #expect(
        result.errorText
          == "blectl: cannot create the socket \(path): there is a file already: remove it first\n")
      #expect(unlink(path) == 0)
    }
  }

  @Test("Standard input cannot be shared with a command")
  func sharedInput() async throws {
    let result = try await Blectl().run("simulate", "--control", "-", "--", "true")
    #expect(result.status == 64)
    #expect(
      result.errorText.contains(
        "--control - and COMMAND cannot be used together: both read standard input\nhint: "))
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/blectl-control-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer { rmdir(folder) }
    try await body(folder)
  }
}
