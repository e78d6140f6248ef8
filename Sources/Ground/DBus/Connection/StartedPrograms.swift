// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Collects the exit statuses of programs that libdbus starts; otherwise they would remain as zombies.
enum StartedPrograms {
  /// Runs a body that may start programs on this thread.
  static func collected<Result>(_ body: () -> Result) -> Result {
    let before = children
    let result = body()
    for program in children.subtracting(before) {
      NativeThread.start {
        while waitpid(program, nil, 0) < 0, errno == EINTR {}
      }
    }
    return result
  }

  /// The child processes of this thread; none if the kernel does not list them.
  private static var children: Set<pid_t> {
    guard let file = fopen("/proc/thread-self/children", "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Set(
      bytes.prefix(count).split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
      })
  }
}
