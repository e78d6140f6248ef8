// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
internal import Glibc
internal import ValueStreams

/// The profile files of a process: those of `--profile` and `BLECTL_PROFILE`, and those in the folder of the user.
package struct ProfileFiles: Sendable {
  /// Larger files are refused.
  private static let sizeLimit = 4 << 20

  /// Files that were named, in the order of their precedence.
  package let named: [String]
  /// The folder whose files are always used; nil without a home.
  package let folder: String?

  /// `arguments` are those of the process; `environment` returns a variable.
  package init(arguments: [String], environment: (String) -> String?) {
    let variable = (environment("BLECTL_PROFILE") ?? "").split(separator: ":").map(String.init)
    // Names must be known before the arguments are parsed.
    named = GivenOption.values(of: "--profile", in: arguments) + variable
    folder = UserFolder.configuration.path(of: "profiles", environment)
  }

  /// The files in the folder, by name; none if it cannot be read.
  package var inFolder: [String] {
    guard let folder, let names = try? Folder.names(in: folder) else { return [] }
    return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
  }

  /// Reads a file completely.
  package static func profile(_ path: String) throws(ProfileError) -> Profile {
    try Profile(parsing: try bytes(path), source: path)
  }

  /// Reads files completely; throws an error with status usage that lists the mistakes of the first one that has any.
  package static func profiles(_ paths: [String]) throws(CommandError) -> [Profile] {
    do throws(ProfileError) {
      return try paths.map { path throws(ProfileError) in try profile(path) }
    } catch {
      throw CommandError(error)
    }
  }

  /// Reads a file as far as needed to know its names.
  private static func file(
    _ path: String, report: @escaping @Sendable (ProfileError) -> Void
  ) throws(ProfileError) -> ProfileFile {
    try ProfileFile(try bytes(path), source: path, report: report)
  }

  private static func bytes(_ path: String) throws(ProfileError) -> [UInt8] {
    do throws(WholeFile.Failure) {
      return try WholeFile.read(path, atMost: sizeLimit, flags: O_NONBLOCK)
    } catch {
      throw ProfileError(path, cause: error.cause(limit: sizeLimit))
    }
  }

  /// Reads the named files, and makes them and the folder the vocabulary of this process.
  ///
  /// The folder is read when a name or a layout is first needed. `warn` is then told which of its files have mistakes; they
  /// count as empty.
  ///
  /// - Throws: an error with status usage about a named file.
  package func install(warn: @escaping @Sendable (_ lines: [String]) -> Void) throws(CommandError) {
    let (named, files) = (try Self.profiles(named), self)
    Vocabulary.install {
      let report: @Sendable (ProfileError) -> Void = { error in
        warn(["a profile is ignored: \(error)"] + error.mistakes)
      }
      let rest = files.inFolder.compactMap { path -> ProfileFile? in
        do throws(ProfileError) { return try Self.file(path, report: report) } catch {
          report(error)
          return nil
        }
      }
      return Vocabulary(Profiles(named, files: rest))
    }
  }
}

extension CommandError {
  /// The error about a profile file, with its mistakes.
  package init(_ error: ProfileError) {
    self = .usage("cannot use a profile: \(error)", hint: "blectl help profiles")
    details = error.mistakes
  }
}
