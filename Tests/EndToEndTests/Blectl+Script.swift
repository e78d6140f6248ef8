// SPDX-License-Identifier: MIT
internal import TestSupport

extension Blectl {
  /// What scripts have before they begin: a directory of their own, and a function that ends process $2 by signal $1, and
  /// tells its status, and whether that took less than 2 s.
  private static let prelude = """
    set -u; D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cd "$D"
    end() {
      local start=$(date +%s%N); kill -$1 $2; wait $2; echo "status $?"
      [ $(( ($(date +%s%N) - start) / 1000000 )) -lt 2000 ] && echo in time
    }

    """

  /// Runs a shell script in a directory of its own, with `blectl` in `$BLECTL`.
  static func runScript(_ script: String, bus: String? = nil) async throws -> ToolResult {
    try await ToolRun(
      "/bin/bash", ["-c", prelude + script], environment: ["BLECTL": path, "DBUS_SYSTEM_BUS_ADDRESS": bus]
    ).result()
  }
}
