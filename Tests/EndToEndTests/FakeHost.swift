// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// A host that `-H` reaches through an `ssh` of ours, whose other end is the bus of a simulation.
final class FakeHost {
  private let folder: ScratchDirectory
  private let bus: String

  /// Leads to `DBUS_SYSTEM_BUS_ADDRESS`, after it has noted its number, and printed what the login prints.
  private static let program = """
    #!/usr/bin/env python3
    import os, select, socket, sys
    sys.stdout.write(os.environ.get('FAKE_LOGIN', ''))
    sys.stdout.flush()
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(os.environ['DBUS_SYSTEM_BUS_ADDRESS'].split('=', 1)[1].split(',')[0])
    note = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'number')
    with open(note + '.new', 'w') as file:
        file.write(str(os.getpid()))
    os.rename(note + '.new', note)
    while True:
        for source in select.select([0, bus], [], [])[0]:
            data = os.read(0, 65536) if source == 0 else bus.recv(65536)
            if not data:
                sys.exit()
            if source == 0:
                bus.sendall(data)
            else:
                os.write(1, data)
    """

  init(bus: String) throws {
    (folder, self.bus) = (try ScratchDirectory(), bus)
    try folder.write("ssh", Array(FakeHost.program.utf8))
    try #require(chmod("\(folder.path)/ssh", 0o755) == 0)
  }

  /// Starts blectl, for which the host has any name; `login` is what a login prints there.
  func start(_ arguments: [String], login: String = "", limit: Duration = .seconds(60)) throws -> ToolRun {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return try Blectl(bus: bus).start(
      arguments, environment: ["PATH": "\(folder.path):\(path)", "FAKE_LOGIN": login, "BLECTL_HOST": nil],
      limit: limit)
  }

  /// Sends a signal to the newest ssh.
  func signal(_ number: Int32) throws {
    let process = try #require(pid_t(folder.read("number")))
    try #require(kill(process, number) == 0)
  }
}
