// SPDX-License-Identifier: MIT
import Glibc

@testable import BlueZSimulator

/// Files that are no worlds, and what is said of each.
enum BadWorlds {
  static let all: [(String, String)] = []

  private static let folder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (parts + ["BadWorlds"]).joined(separator: "/")
  }()

  /// What reading a file says, without the folder; nil when it is read.
  static func error(_ name: String) -> String? {
    do throws(WorldFileError) {
      _ = try World(file: "\(folder)/\(name).json")
      return nil
    } catch {
      return error.description.split(separator: folder + "/").joined()
    }
  }

  /// The names of all files.
  static func files() throws -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(String(name.dropLast(5))) }
    }
    return names
  }
}
