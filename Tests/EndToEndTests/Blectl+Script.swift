// SPDX-License-Identifier: MIT
internal import TestSupport

extension Blectl {
  /// What scripts have before they begin: a directory of their own, and functions.
  ///
  /// `end SIGNAL PROCESS` prints the status, and whether the end came within 10 s; `full FIFO` waits until nothing more
  /// can be written to it, and `taken FIFO` until a byte that it writes has been read.
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

    """

  /// Runs a shell script in a directory of its own, with `blectl` in `$BLECTL`.
  static func runScript(_ script: String, bus: String? = nil) async throws -> ToolResult {
    try await ToolRun(
      "/bin/bash", ["-c", prelude + script], environment: ["BLECTL": path, "DBUS_SYSTEM_BUS_ADDRESS": bus]
    ).result()
  }
}
