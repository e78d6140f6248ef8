// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Dispatch
internal import TestSupport
internal import Testing

@Suite("A terminal that takes no more")
struct HeldTerminalTests {
  /// Scans on a terminal until the table is drawn.
  private static let scan = """
    import fcntl, os, signal, struct, subprocess, sys, termios, threading
    screen, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [os.environ["BLECTL"], "scan", "--duration", "0"]
    scan = subprocess.Popen(command, stdin=terminal, stdout=terminal)
    shown = b""
    while b"first" not in shown: shown += os.read(screen, 65536)

    """

  /// Holds it, as Ctrl-S does, until its own input ends.
  private static let hold = """
    termios.tcflow(terminal, termios.TCOOFF)
    print("held", flush=True)
    sys.stdin.read()
    termios.tcflow(terminal, termios.TCOON)
    def read():
        global shown
        while b"last" not in shown: shown += os.read(screen, 65536)
        scan.send_signal(signal.SIGINT)
        try:
            while True: os.read(screen, 65536)
        except OSError: pass
    threading.Thread(target=read, daemon=True).start()
    print(scan.wait(), flush=True)
    """

  private func start(_ script: String, on bus: FakeBlueZ) throws -> ToolRun {
    try ToolRun(
      "/usr/bin/env", ["python3", "-c", Self.scan + script],
      environment: ["BLECTL": Blectl.path, "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "TERM": "xterm"],
      input: nil)
  }

  private static func appear(_ index: Int, _ name: String, on bus: ScriptedBus) {
    let properties = FakeBlueZ.device(index, name: name)
    bus.send(FakeBlueZ.added(FakeBlueZ.devicePath(index), properties), from: FakeBlueZ.name)
  }

  @Test("A scan reads on while its terminal is held, and draws the table when it is let go")
  func held() async throws {
    let (isHeld, isRead) = (DispatchSemaphore(value: 0), Promise<Bool>())
    let fake = try FakeBlueZ(script: { bus in
      Self.appear(0, "first", on: bus)
      isHeld.wait()
      // More than the buffers of a socket take.
      for index in 0..<20_000 {
        let strength = DBusValue.int16(Int16(-50 - index % 40))
        bus.send(FakeBlueZ.changed(FakeBlueZ.devicePath(0), [("RSSI", strength)]), from: FakeBlueZ.name)
      }
      Self.appear(1, "last", on: bus)
      isRead.fulfil(true)
    })
    let run = try start(Self.hold, on: fake)
    #expect(await run.waitForLines(1))
    isHeld.signal()
    #expect(await isRead.value)
    run.send(input: [])
    let result = await run.result()
    #expect(result.lines == ["held", "-2"], "\(result.errorText)")
  }

  @Test("A scan ends when its terminal is gone")
  func gone() async throws {
    let fake = try FakeBlueZ(script: { bus in Self.appear(0, "first", on: bus) })
    let run = try start("os.close(terminal); os.close(screen); print(scan.wait())", on: fake)
    let result = await run.result()
    #expect(result.lines == ["1"])
    #expect(result.errorText == "blectl: cannot write the output: Input/output error\n")
  }
}
