// SPDX-License-Identifier: MIT
internal import AsyncIO
import DBus
import Glibc
import Testing

@testable import BlectlCommands

@Suite("ChildCommand")
struct ChildCommandTests {
  @Test(
    "How a command ended is known",
    arguments: [
      ("exit 0", ChildCommand.Ending.exited(0)), ("exit 200", .exited(200)),
      ("kill -9 $$", .signalled(SIGKILL)),
    ])
  func endings(command: String, ending: ChildCommand.Ending) async throws {
    for leadsGroup in [false, true] {
      let child = try ChildCommand(["/bin/sh", "-c", command], environment: [:], leadsGroup: leadsGroup)
      #expect(try await child.wait(on: .shared) == ending)
    }
  }

  @Test("The end of a child is noticed with a descriptor, and without one where the system has none")
  func withoutDescriptor() async throws {
    var process = pid_t()
    var arguments = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawnp(&process, "true", nil, nil, &arguments, environ) == 0)
    await ProcessEnd.wait(for: process, on: .shared) { _ in -ENOSYS }
    await ProcessEnd.wait(for: process, on: .shared)
    #expect(waitpid(process, nil, WNOHANG) == process)
  }
}
