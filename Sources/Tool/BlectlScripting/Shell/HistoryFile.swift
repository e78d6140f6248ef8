// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import Glibc

/// The file of the history, in the state directory of the user.
struct HistoryFile {
  /// Nil without a home.
  let path: String?

  init(environment: (String) -> String?) {
    path = UserFolder.state.path(of: "history", environment)
  }

  /// Creates the file, readable by its owner only, and lets it be read.
  func prepare(_ read: (String) -> Void) {
    guard let path else { return }
    FileStatus.makeFolder(of: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    Glibc.close(descriptor)
    read(path)
  }

  /// Lets the file be changed, by one shell at a time.
  func save(_ write: (String) -> Void) {
    guard let path else { return }
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    // A shell that is stopped meanwhile does not hold up others.
    var attempts = 50
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EINTR || errno == EWOULDBLOCK, attempts > 0 {
      attempts -= 1
      usleep(10_000)
    }
    let mask = umask(0o077)
    write(path)
    umask(mask)
  }
}
