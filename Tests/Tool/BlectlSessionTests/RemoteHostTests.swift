// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BlectlArguments
@testable import BlectlSession

@Suite("Hosts of ssh")
struct RemoteHostTests {
  @Test(
    "A host has a user and a port if they are given; an IPv6 address with a port stands in brackets",
    arguments: [
      ("attic", "attic", nil), ("pi@attic", "pi@attic", nil), ("attic:2222", "attic", 2222),
      ("pi@10.0.0.7:22", "pi@10.0.0.7", 22), ("fe80::1%eth0", "fe80::1%eth0", nil),
      ("pi@[fe80::1]:22", "pi@fe80::1", 22), ("[::1]", "::1", nil),
    ] as [(String, String, UInt16?)])
  func parsed(text: String, destination: String, port: UInt16?) throws {
    let host = try RemoteHost(parsing: text)
    #expect(host.destination == destination)
    #expect(host.port == port)
  }

  @Test(
    "Text that ssh or a shell could misread is not a host",
    arguments: [
      "", "@", "pi@", "@attic", "-oProxyCommand=x", "a b", "a;b", "$(x)", "attic:", "attic:0", "attic:65536",
      "attic:ssh", "a\nb", "a'b", "café",
    ])
  func refused(text: String) {
    #expect(throws: ArgumentError.self) { try RemoteHost(parsing: text) }
  }

  @Test("A banner, however long, does not hide what follows it, and a new connection forgets the last one")
  func banner() async throws {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    let path = "/proc/\(getpid())/fd/\(fileno(file))"
    let banner = String(repeating: "Authorized users only. ", count: 300)
    for word in ["denied", "refused"] {
      let script = "echo '\(banner)' >&2; echo '\(word)' >&2"
      _ = try await ToolRun("/bin/sh", ["-c", RemoteBus.start, path, "sh", "-c", script]).result()
      #expect(RemoteBus.lines(of: fileno(file)) == [word])
    }
    var status = stat()
    #expect(fstat(fileno(file), &status) == 0 && status.st_size < 2 * banner.utf8.count)
  }

  @Test(
    "The last words of ssh decide the reason and the hint",
    arguments: [
      (["pi@attic: Permission denied (publickey)."], "it refuses", "ssh -p 22 attic; ssh-copy-id", false),
      (["Warning", "Host key verification failed."], "its host key", "ssh -p 22 attic, and compare", false),
      (["setpriv: failed to execute ssh: No such file"], "ssh is not installed", "sudo apt install", false),
      (
        ["ssh: connect to host attic port 22: Connection refused"], "ssh: connect to host", "ssh -p 22 attic",
        true
      ),
    ])
  func diagnosed(lines: [String], reason: String, hint: String, isPassing: Bool) throws {
    let host = try RemoteHost(parsing: "attic:22")
    let found = try #require(RemoteBus.diagnose(lines, host: host))
    #expect(found.reason.hasPrefix(reason))
    #expect(found.hint.hasPrefix(hint))
    #expect(found.isPassing == isPassing)
    #expect(RemoteBus.diagnose([], host: host) == nil)
  }
}
