// SPDX-License-Identifier: MIT
package import BLEWorld
package import BlectlArguments
internal import ValueStreams

extension World {
  /// Reads a world file; errors say "cannot `verb`", have status usage, and list the file's mistakes.
  package init(given file: String, to verb: String) throws(CommandError) {
    do throws(WorldFileError) {
      try self.init(file: file) { name, kind in
        let uuids = Vocabulary.known.ownUUIDs(named: name, kind)
        return uuids.count == 1 ? uuids[0] : nil
      }
    } catch {
      var usage = CommandError.usage("cannot \(verb): \(error)")
      usage.details = error.mistakes
      throw usage
    }
  }
}
