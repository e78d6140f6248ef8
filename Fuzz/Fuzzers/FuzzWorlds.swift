// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlectlSession
internal import JSON

@testable internal import BlectlArguments
@testable internal import BlectlCommands
@testable internal import BlectlScripting
@testable internal import TerminalOutput

/// Feeds any text to the reader of JSON, and to those of world files and of keys.
///
/// A world that is read is written and read again: both must be the same, and have a place for each attribute.
func fuzzWorlds(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  checkKeys(bytes)
  do throws(JSONError) {
    checkPlaces(try JSONReader.read(bytes))
  } catch {
    precondition(error.place.line > 0 && error.place.column > 0 && !error.description.isEmpty)
    return
  }
  do throws(WorldFileError) {
    let world = try World(json: bytes, name: "world.json", load: log)
    let json = world.json
    let copy = try World(json: json, name: "copy.json", load: log)
    precondition(copy == world && copy.json == json)
  } catch {
    precondition(error.description.hasPrefix("world.json:"), "written, but not read: \(error)")
  }
}

/// Keys that are read are written and read again; an error repeats nothing that may be one.
private func checkKeys(_ bytes: [UInt8]) {
  do throws(JSONError) {
    let ring = try KeysDocument.keys(in: bytes)
    precondition((try? KeysDocument.keys(in: KeysDocument.text(of: ring))) == ring)
  } catch {
    for mistake in [error] + error.others {
      let digits = mistake.description.split { $0.hexDigitValue == nil }.map(\.count).max() ?? 0
      precondition(digits < 8, mistake.description)
    }
  }
}

/// Values stand in the text in the order in which they are in the tree.
private func checkPlaces(_ node: JSONNode) {
  let inner = node.elements ?? node.members?.map(\.value) ?? []
  var last = (node.place.line, node.place.column)
  for value in inner {
    let place = (value.place.line, value.place.column)
    precondition(last < place, "\(value.pointer) stands at \(value.place)")
    last = place
    checkPlaces(value)
  }
}

/// A log for every path.
private func log(_ path: String) throws(WorldFileError) -> [UInt8] {
  Array(
    """
    {"event":"value","time":"2026-04-12T12:34:41.000000Z","characteristic":"2a37","value":"0048"}
    {"event":"value","time":"2026-04-12T12:34:42.5Z","characteristic":"2a37","value":"004a"}
    """.utf8)
}

/// Feeds any text to the parser of scripts, and to all that checks a script before it runs.
///
/// A script has mistakes at places that exist, in order and harmless for a terminal; or its lines mean the same when they are
/// typed one by one.
func fuzzScripts(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  let text = String(decoding: bytes, as: UTF8.self)
  let (script, mistakes) = ScriptParser.parse(text)
  let lineCount = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
  var last = ScriptPlace(line: 0, column: 0)
  for mistake in mistakes {
    precondition(last <= mistake.place && (1...lineCount).contains(mistake.place.line), "\(mistake)")
    precondition(mistake.place.column > 0 && !mistake.reason.isEmpty, "\(mistake)")
    last = mistake.place
  }
  if mistakes.isEmpty { checkTyped(text, script) }
  guard let options = (try? CommandLineTool.parse(["run", "X"]))?.common.values else {
    preconditionFailure("a command without options is refused")
  }
  do throws(CommandError) {
    let loaded = try LoadedScript(
      bytes, named: "a.ble", Blectl.grammar, overriding: [:], options)
    precondition(mistakes.isEmpty && loaded.script == script)
  } catch {
    precondition(error.status == .usage)
    for line in ErrorReport.lines(error, verbosity: 0) {
      precondition(!line.unicodeScalars.contains { $0.isHarmful }, "harmful: \(line.debugDescription)")
    }
  }
}

/// The lines one by one are the same statements.
private func checkTyped(_ text: String, _ script: Script) {
  var parser = ScriptParser()
  var typed: [ScriptStatement] = []
  var number = 0
  for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
    number += 1
    var line = line
    if line.last == "\r" { line.removeLast() }
    do throws(ScriptMistake) {
      typed += try parser.typed(String(Substring(line)), number: number)
    } catch {
      preconditionFailure("refused when typed: \(error)")
    }
  }
  precondition(typed == script.statements && !parser.isInLoop, "typed differently: \(text.debugDescription)")
}
