// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

/// Files that others may have laid in the place of a log; only root can try that.
@Suite("Logs among strangers", .enabled(if: getuid() == 0))
struct LogDestinationTests {
  private let directory: ScratchDirectory
  private let stranger = uid_t(12345)

  init() throws {
    directory = try ScratchDirectory()
    // As /tmp is, but for its owner.
    #expect(chmod(directory.path, 0o1777) == 0)
  }

  private func reason(_ name: String) throws -> String? {
    let path = directory.path + "/" + name
    do throws(OutputError) {
      if name.hasSuffix(".sqlite") {
        _ = try SQLiteLog(path: path, rotation: nil) { _ in }
      } else {
        _ = try TextLog(path: path, format: EventJSON(), rotation: nil) { _ in }
      }
      return nil
    } catch {
      return error.description
    }
  }

  /// Some kernels are as careful by themselves (fs.protected_symlinks, fs.protected_regular).
  private func expect(
    _ reason: String?, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect([expected, "Permission denied"].contains(reason ?? "none"), sourceLocation: sourceLocation)
  }

  @Test(
    "A stranger's link in a sticky directory is not followed, even if the stranger owns the directory",
    arguments: ["log.ndjson", "log.sqlite"])
  func link(_ name: String) throws {
    let path = directory.path + "/" + name
    for isHisFolder in [false, true] {
      unlink(path)
      #expect(symlink(directory.path + "/target", path) == 0)
      #expect(lchown(path, stranger, stranger) == 0)
      if isHisFolder { #expect(chown(directory.path, stranger, stranger) == 0) }
      expect(try reason(name), "\(name) is a symbolic link of another user")
      #expect(!directory.names.contains("target"))
    }
  }

  @Test("A symlink in a parent directory is not followed")
  func linkOnTheWay() throws {
    let target = try ScratchDirectory()
    #expect(symlink(target.path, directory.path + "/sub") == 0)
    #expect(try reason("sub/log.ndjson") == nil)
    #expect(target.names == ["log.ndjson"])
    #expect(lchown(directory.path + "/sub", stranger, stranger) == 0)
    expect(try reason("sub/other.ndjson"), "sub is a symbolic link of another user")
    #expect(target.names == ["log.ndjson"])
  }

  @Test(
    "A file of a stranger in a sticky directory is not written to", arguments: ["log.ndjson", "log.sqlite"])
  func file(_ name: String) throws {
    try directory.write(name, [])
    #expect(try reason(name) == nil)
    #expect(chown(directory.path + "/" + name, stranger, stranger) == 0)
    expect(try reason(name), "it belongs to another user")
    #expect(chmod(directory.path, 0o777) == 0)
    #expect(try reason(name) == nil)
  }

  @Test(
    "SQLite does not read a file that a stranger laid beside a database",
    arguments: ["-wal", "-shm", "-journal"])
  func companion(_ ending: String) throws {
    #expect(try reason("log.sqlite") == nil)
    let name = "log.sqlite" + ending
    try directory.write(name, Array("made up".utf8))
    #expect(chown(directory.path + "/" + name, stranger, stranger) == 0)
    #expect(try reason("log.sqlite") == "\(name) belongs to another user")
    #expect(directory.read(name) == "made up")
    unlink(directory.path + "/" + name)
    #expect(symlink(directory.path + "/target", directory.path + "/" + name) == 0)
    #expect(try reason("log.sqlite") == "\(name) belongs to another user")
    #expect(!directory.names.contains("target"))
  }
}

@Suite("LogRotation")
struct LogRotationTests {
  @Test("A period ends where the clock crosses a multiple of it")
  func periods() {
    let noon = Timestamp(seconds: 86400 * 10 + 43200, nanoseconds: 0)
    let evening = Timestamp(seconds: 86400 * 11 - 1, nanoseconds: 0)
    let midnight = Timestamp(seconds: 86400 * 11, nanoseconds: 0)
    let daily = LogRotation.period(seconds: 86400)
    #expect(!daily.isDue(size: 1, begin: noon, now: evening))
    #expect(daily.isDue(size: 1, begin: noon, now: midnight))
    #expect(!daily.isDue(size: 0, begin: noon, now: midnight))
  }

  @Test("The time stands before the ending")
  func names() {
    let time = Timestamp(seconds: 1_795_247_928, nanoseconds: 0)
    #expect(LogRotation.name(for: "a.d/strap.csv", at: time) == "a.d/strap-20261121T075848Z.csv")
    #expect(LogRotation.name(for: "strap.csv", at: time, number: 2) == "strap-20261121T075848Z-2.csv")
  }
}
