// SPDX-License-Identifier: MIT
internal import Glibc

package enum FileStatus {
  /// Returns whether a path names something, even a dangling link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes the folders of an absolute path that are missing, for their owner only; the use of the path reports failures.
  package static func makeFolder(of path: String) {
    guard path.hasPrefix("/") else { return }
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o700)
    }
  }
}
