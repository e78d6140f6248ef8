// SPDX-License-Identifier: MIT
internal import Glibc

package enum FileStatus {
  /// Whether a path names something, even a dangling link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
