// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Cleans up after buses whose owner was killed: their directories are no longer locked.
///
/// Their daemons die with the owner, so the next bus removes the directories.
enum AbandonedBuses {
  /// Removes the directories of dead buses that belong to our user.
  static func remove(from parent: String, files: [String]) {
    guard let listing = opendir(parent) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(PrivateDirectory.prefix) else { continue }
      let path = "\(parent)/\(name)"
      // An owner locks its directory before it writes the first file.
      guard let first = files.first, access("\(path)/\(first)", F_OK) == 0 else { continue }
      let directory = OwnedDescriptor(
        adopting: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
      var status = stat()
      guard fstat(directory.raw, &status) == 0, status.st_uid == geteuid(),
        flock(directory.raw, LOCK_EX | LOCK_NB) == 0
      else { continue }
      for file in files { unlink("\(path)/\(file)") }
      rmdir(path)
    }
  }
}
