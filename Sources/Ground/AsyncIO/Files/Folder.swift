// SPDX-License-Identifier: MIT
internal import Glibc

/// Folders, listed on the calling thread.
package enum Folder {
  /// The names in a folder, sorted, without `.` and `..`.
  package static func names(in path: String) throws(ErrorNumber) -> [String] {
    guard let listing = opendir(path) else { throw ErrorNumber(code: errno) }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
