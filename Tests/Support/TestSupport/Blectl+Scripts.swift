// SPDX-License-Identifier: MIT

extension Blectl {
  /// The beginning of scripts: a directory of their own, and functions.
  ///
  /// `end SIGNAL PROCESS` prints the status, and whether the end came within 10 s; `full FIFO` waits until nothing more
  /// can be written to it, `taken FIFO` until a byte that it writes has been read; `fill FIFO` leaves no room in it, and a
  /// reader, which never reads, must be there.
  private static let prelude = """
    set -u; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cd "$D"
    end() {
      local start=$(date +%s%N); kill -$1 $2; wait $2; echo "status $?"
      [ $(( ($(date +%s%N) - start) / 1000000 )) -lt 10000 ] && echo in time
    }
    full() {
      python3 -c 'import os, select, sys, time
    pipe = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
    while select.select([], [pipe], [], 0)[1]: time.sleep(0.05)' $1
    }
    taken() {
      python3 -c 'import os, select, sys, time
    pipe = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
    os.write(pipe, b"0")
    while select.select([pipe], [], [], 0)[0]: time.sleep(0.05)' $1
    }
    fill() {
      python3 -c 'import os, sys
    pipe = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
    for size in 4096, 1:
      try:
        while True: os.write(pipe, b"0" * size)
      except BlockingIOError: pass' $1
    }

    """

  /// Runs a shell script in a directory of its own, with `blectl` in `$BLECTL`.
  package static func runScript(_ script: String, bus: String? = nil) async throws -> ToolResult {
    try await startScript(script, bus: bus, input: []).result()
  }

  /// Starts one; without `input`, standard input stays open.
  package static func startScript(_ script: String, bus: String?, input: [UInt8]? = nil) throws -> ToolRun {
    try ToolRun(
      "/bin/bash", ["-c", prelude + script], environment: ["BLECTL": path, "DBUS_SYSTEM_BUS_ADDRESS": bus],
      input: input)
  }

  /// Gives a command about a device to `serve --control`, and returns whether it was carried out.
  package static func say(_ command: String, of device: String, to path: String) async throws -> Bool {
    let program = """
      import json, socket, sys
      control = socket.socket(socket.AF_UNIX)
      control.connect(sys.argv[1])
      control.sendall(json.dumps({"do": sys.argv[2], "device": sys.argv[3]}).encode() + b"\\n")
      print(json.loads(control.makefile("r").readline())["ok"])
      """
    let words = ["python3", "-c", program, path, command, device]
    return try await ToolRun("/usr/bin/env", words).result().lines == ["True"]
  }
}
