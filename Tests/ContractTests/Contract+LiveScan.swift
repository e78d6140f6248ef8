// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Live scans")
  struct LiveScans {
    /// Scans on a terminal; `press(KEYS, TEXT)` types, and waits until TEXT was drawn after that.
    private static let prelude = #"""
      import fcntl, os, struct, subprocess, sys, termios
      BLECTL = os.environ["BLECTL"]
      screen, terminal = os.openpty()
      fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
      scan = subprocess.Popen([BLECTL, "scan", "--duration", "0", "--name", "Thermometer"],
                              stdin=terminal, stdout=terminal, stderr=terminal)

      def press(keys, text):
          os.write(screen, keys)
          shown = b""
          while text not in shown:
              data = os.read(screen, 65536)
              if not data: sys.exit(f"not shown: {text} in {shown}")
              shown += data

      press(b"", b"Enter show")
      press(b"", b"Thermometer")

      """#

    private func run(_ script: String) async throws -> ToolResult {
      let bus = try await Stages.shared.value.address
      return try await ToolRun(
        "/usr/bin/env", ["python3", "-c", Self.prelude + script],
        environment: [
          "BLECTL": Blectl.path, "DBUS_SYSTEM_BUS_ADDRESS": bus, "TERM": "xterm", "NO_COLOR": "1",
        ]
      ).result()
    }

    @Test("Enter shows a device and then its services; going back closes the link")
    func services() async throws {
      let result = try await run(
        """
        press(b"\\r", b"address type")
        press(b"", b"connected          no")
        press(b"\\r", b"2a6e Temperature")
        press(b"\\x1b", b"connected          no")
        os.write(screen, b"q")
        print(scan.wait())
        """)
      #expect(result.lines == ["0"], "\(result.errorText)")
    }

    @Test("A link that another program has opened is used, and stays")
    func joined() async throws {
      let result = try await run(
        """
        subprocess.run([BLECTL, "connect", "Thermometer"], check=True, capture_output=True)
        press(b"\\r", b"connected          yes")
        press(b"\\r", b"2a6e Temperature")
        press(b"\\x1b", b"address type")
        os.write(screen, b"q")
        print(scan.wait())
        known = subprocess.run([BLECTL, "devices", "--connected"], capture_output=True, text=True).stdout
        print("Thermometer" in known)
        subprocess.run([BLECTL, "disconnect", "Thermometer"], check=True, capture_output=True)
        """)
      #expect(result.lines == ["0", "True"], "\(result.errorText)")
    }
  }
}
