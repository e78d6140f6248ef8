// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Testing

@Suite("Folders")
struct FolderTests {
  @Test("The names in a folder are sorted, without those of itself and of its parent")
  func names() throws {
    let names = try Folder.names(in: "/proc/self")
    #expect(names.contains("status") && !names.contains(".") && !names.contains(".."))
    #expect(names == names.sorted())
  }

  @Test("A folder that cannot be listed fails with the error of the system")
  func missing() {
    let absent = #expect(throws: ErrorNumber.self) { try Folder.names(in: "/nowhere") }
    #expect(absent?.code == ENOENT)
    let device = #expect(throws: ErrorNumber.self) { try Folder.names(in: "/dev/null") }
    #expect(device?.code == ENOTDIR)
  }
}
