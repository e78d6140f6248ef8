// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEMeaning
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
    named = Self.options(in: arguments) + variable
    let config = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0 }
    folder = (config ?? home.map { "\($0)/.config" }).map { "\($0)/blectl/profiles" }
  }

  /// The values of `--profile`: names must be known before the arguments are parsed.
  private static func options(in arguments: [String]) -> [String] {
    var files: [String] = []
    var isValue = false
    for argument in arguments {
      if isValue {
        files.append(argument)
        isValue = false
      } else if argument == "--" {
        break
      } else if argument == "--profile" {
        isValue = true
      } else if argument.hasPrefix("--profile=") {
        files.append(String(argument.dropFirst("--profile=".count)))
      }
    }
    return files
  }

  /// The files in the folder, by name; none if it cannot be read.
  package var inFolder: [String] {
    guard let folder, let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }

  /// Reads a file completely.
  ///
  /// - Throws: an error with status usage that lists the mistakes.
  package static func profile(_ path: String) throws(CommandError) -> Profile {
    do throws(ProfileError) {
      return try Profile(parsing: try bytes(path), source: path)
    } catch {
      throw CommandError(error)
    }
  }

  /// What the message of every error about a file begins with.
  fileprivate static let refusal = "cannot use a profile: "

  /// The mistake alone of an error that ``profile(_:)`` throws.
  package static func mistake(_ error: CommandError) -> String {
    String(error.message.dropFirst(refusal.count))
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
      switch error {
      case .system(let number): throw ProfileError(path, cause: String(cString: strerror(number)))
      case .tooLong: throw ProfileError(path, cause: "is larger than \(sizeLimit >> 20) MiB")
      }
    }
  }

  /// Reads the named files, and makes them and the folder the vocabulary of this process.
  ///
  /// The folder is read when a name or a layout is first needed. `warn` is then told which of its files have mistakes; they
  /// count as empty.
  ///
  /// - Throws: an error with status usage about a named file.
  package func install(warn: @escaping @Sendable (_ lines: [String]) -> Void) throws(CommandError) {
    var profiles: [Profile] = []
    for path in named { profiles.append(try Self.profile(path)) }
    let (named, files) = (profiles, self)
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
    self = .usage("\(ProfileFiles.refusal)\(error)", hint: "blectl help profiles")
    details = error.mistakes
  }
}
