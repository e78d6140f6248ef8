// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

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
        "--control - and COMMAND exclude each other: both read standard input\nhint: "))
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/blectl-control-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer { rmdir(folder) }
    try await body(folder)
  }
}
