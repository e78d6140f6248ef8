// SPDX-License-Identifier: MIT
package import BLEWorld
package import BlectlArguments

extension World {
  /// The world of a file on the command line.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - verb: what it is for, in errors.
  /// - Throws: ``CommandError`` with status usage and the mistakes of the file.
  package init(given file: String, to verb: String) throws(CommandError) {
    do throws(WorldFileError) {
      try self.init(file: file)
    } catch {
      var usage = CommandError.usage("cannot \(verb): \(error)")
      usage.details = error.mistakes
      throw usage
    }
  }
}
