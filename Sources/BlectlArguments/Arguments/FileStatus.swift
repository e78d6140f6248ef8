// SPDX-License-Identifier: MIT
internal import Glibc

/// Questions about files.
package enum FileStatus {
  /// Whether a path names something, even a link that leads nowhere.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
