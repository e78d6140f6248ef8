// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import Glibc

struct RunCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", _superCommandName: Blectl.name,
    abstract: "Run a script: many steps over one connection.",
    discussion: """
      echo 'expect 2a37 heart_rate_bpm > 40' | blectl run 'Heart Strap' --simulate
      printf 'read 2a19\\nread 2a24 --as utf8' | blectl run Heart --simulate
      echo 'read 2a28 --as utf8' | blectl run 'MI Band' --repeat 2 --tap --simulate
      echo 'read $WHAT' | blectl run Heart --set WHAT=2a19 --junit a.xml --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Argument(help: "The script; - is stdin. (default: -)", completion: .file())
  var script: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Give a variable a value, in place of the script's. May be repeated.", valueName: "name=value"),
    transform: VariableArgument.init(parsing:))
  var variables: [VariableArgument] = []
  @Flag(help: "Continue after a failure; the status is still that of the first one.")
  var keepGoing = false
  @Option(
    name: .customLong("repeat"), help: ArgumentHelp("Run the script this many times.", valueName: "n"))
  var repetitions: Int?
  @Flag(help: "Run on every matching device that is heard, side by side; each line has its address.")
  var all = false
  @Option(help: ArgumentHelp("With --all, how many devices at once. (default: 4)", valueName: "n"))
  var jobs: Int?
  @Option(help: ArgumentHelp("Write a JUnit report at the end.", valueName: "file"), completion: .file())
  var junit: String?
  @Flag(help: "Print a TAP report; the output of the steps becomes its comments.")
  var tap = false
  @Option(
    help: ArgumentHelp("Write what is sent and received to a new file, as JSON lines.", valueName: "file"),
    completion: .file())
  var record: String?
  @Option(
    help: ArgumentHelp("Check a --record file against the script, without Bluetooth.", valueName: "file"),
    completion: .file())
  var checkOnly: String?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var deviceText: String? { target.device.description }

  func validate() throws {
    if let repetitions, repetitions < 1 { throw ValidationError("--repeat must be at least 1.") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    if jobs != nil, !all { throw ValidationError("--jobs needs --all.") }
    if all, target.pick != nil { throw ValidationError("--pick and --all cannot be used together.") }
    if tap, common.json { throw ValidationError("--tap and --json cannot be used together.") }
    if record != nil, checkOnly != nil {
      throw ValidationError("--record and --check-only cannot be used together.")
    }
    let names = variables.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw ValidationError("--set sets \(name) twice.")
    }
  }

  func run(in context: CommandContext) async throws {
    var run = ScriptRun()
    run.path = script ?? "-"
    try target.requireDevice(before: run.path, "run", "run")
    let word = "\(target.device)"
    if script == nil, FileStatus.exists(word) {
      run.hintIfEmpty = DeviceMistake.typed("run", replacing: [word], with: ["DEVICE", word])
    }
    if run.path == "-", isatty(STDIN_FILENO) == 1 {
      if let hint = run.hintIfEmpty {
        throw CommandError.usage(
          "cannot run \(target.device): it is a file: the device comes first", hint: hint)
      }
      context.remark("reading the script from the terminal; Ctrl-D ends it")
    }
    run.overrides = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
    (run.repetitions, run.keepsGoing) = (repetitions ?? 1, keepGoing)
    if all { run.jobs = jobs ?? ScriptRun.usualJobs }
    (run.junit, run.isTAP, run.record, run.checkOnly) = (junit, tap, record, checkOnly)
    try await run.perform(
      on: DeviceChoice(target.device, pick: target.pick, forAll: DeviceChoice.allOption), Blectl.grammar,
      in: context)
  }
}
