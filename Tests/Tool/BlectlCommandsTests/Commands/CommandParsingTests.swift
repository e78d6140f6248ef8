// SPDX-License-Identifier: MIT
import ArgumentParser
internal import BLECentral
internal import Testing

@testable internal import BlectlArguments
@testable internal import BlectlCommands

@Suite("Parsing of command lines")
struct CommandParsingTests {
  /// Every option of the commands that are often run in loops, in several orders and forms.
  private static let correct = [
    "read Bench 2a19", "read Bench 2a19 --as=hex", "read Bench 2a19 -vv", "read -- Bench 2a19",
    "read F0:F1:F2:F3:F4:F5 180f/2a19 @002a 2a29 --json --simulate",
    "read --as u16be Bench --every 10s --count 3 2a6e --timeout 500ms",
    "read Bench 2a19 --offset 0", "read Bench --offset=512 2a19 2a29 --every 1s --as utf8",
    "read Bench 2a19 --descriptor 2901 --pick strongest -i hci1 -q --color never -v -v",
    "write Piano ffe3 f03d u8:2 utf8:x --reply ffe2 --as hex --timeout 0",
    "write Piano ffe3 --from values.txt --no-response --json", "write Piano ffe3 -",
    "write Piano ffe3 --descriptor 2901 utf8:name --bus unix:path=/x",
    "scan", "scan --duration 0 --duplicates --count 1000 --passive -q --simulate", "scan --name=MI*",
    "scan --service 180d --service heart-rate --name MI* --name Piano --address F0:F1:F2:F3:F4:F5",
    "scan --manufacturer 004c --rssi -70 --rssi-at-1m 59 --path-loss 2.5 --timeout 3s",
    "notify Bench 2a37 180f/2a19 --count 5 --json", "subscribe --all Th* 2a6e --as i16",
    "subscribe Bench 2a37 --duration 0 --via socket --pick first --buffer 1M",
    "subscribe Bench 2a37 --reconnect --reconnect-delay 5s --reconnect-limit 1h --via signal",
    "subscribe Bench 2a37 --log a.csv --log b.ndjson --log-rotate 24h",
    "subscribe Bench 2a37 --plot --plot-svg a.svg --plot-window 5m", "devices --connected --paired",
    "proxy", "proxy --name Attic -i hci0 -i hci1 --port 7000 --max-connections 3 --no-mdns --plaintext",
    "update Bench new.bin", "update Bench* new.zip --all --jobs 3 --count 4 --wait --json --confirm never",
    "update Bench - --protocol secure-dfu --dry-run --force --image 1 --pair --passkey 042017",
    "smp Bench images test 00ff", "smp Bench reset --force --boot-mode 1",
    "smp Bench raw 64 1 {} --write --json",
    "smp Bench shell -- log -v",
    "firmware new.bin", "firmware - --json",
    "connect Bench --stay --pick first", "disconnect Bench", "uuid --kind company Apple Inc",
  ]

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  /// Everything that a command holds, including its property wrappers.
  private func dumped(_ command: Any) -> String {
    var text = ""
    dump(command, to: &text)
    return text
  }

  @Test("A command parsed alone equals the one that the whole tree parses", arguments: correct)
  func alone(line: String) throws {
    let alone = try CommandLineTool.parse(words(line))
    #expect(dumped(alone) == dumped(try CommandLineTool.parseInTree(words(line))))
  }

  @Test(
    "An error has our form, and ArgumentParser's wording only where it is its own",
    arguments: [
      ("read Bench 2a19 --as u7", "--as: 'u7' is not a format; did you mean u8?"),
      ("write Piano ffe3 f03", "'f03' has an odd number of hexadecimal digits"),
      ("write Piano ffe3 utf7:'x'", "'utf7' is not a format; did you mean utf8?"),
      (
        "scan --duration soon",
        "--duration: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit"
      ),
      ("subscribe Bench 2a37 --via air", "--via: unknown transport 'air'; use signal or socket"),
      ("subscribe Bench 2a37 --via sock", "--via: unknown transport 'sock'; did you mean socket?"),
      ("devices --color blue", "--color: unknown colour mode 'blue'; use auto, always or never"),
      ("adapter lits", "unknown action 'lits'; did you mean list?"),
      ("devices --jsn", "unknown option '--jsn'; did you mean --json?"),
      ("connect Bench --via x", "unknown option '--via'; serial or subscribe has it"),
      ("subscribe Thermometer 2a6e --above 25", "unknown option '--above'"),
      ("read Thermometer 2a6e --log-rotate 24h", "unknown option '--log-rotate'"),
      ("write Piano ffe3 aa --chunk=244 --as u8", "unknown option '--chunk'; send has it"),
      ("read Bench 2a6e --passkey 042017", "--passkey needs --pair"),
      ("subscribe Bench temperature --interval 1m", "unknown option '--interval'; advertise or link has it"),
      ("scan --home-assistant", "unknown option '--home-assistant'; subscribe, listen or monitor has it"),
      ("listen --home-assistant-limit 5 --log mqtt://h/t", "--home-assistant-limit needs --home-assistant"),
      ("subscribe Bench 2a6e --home-assistant-clean", "--home-assistant-clean needs --home-assistant"),
      (
        "listen --home-assistant --home-assistant-limit 0 --log mqtt://h/t",
        "--home-assistant-limit must be at least 1"
      ),
      ("read Bench 2a6e -x 4", "unknown option '-x'"), ("write Piano ffe3 -5", "unknown option '-5'"),
      ("advertise --raw 0201", "unknown option '--raw'"),
      ("advertise a.json Garden Attic", "unexpected argument 'Attic'"),
      ("scan --duration -5", "--duration: '-5' is negative, which no duration is"),
      ("scan --duration -1s", "--duration: '-1s' is negative, which no duration is"),
      ("devices -x", "unknown option '-x'"),
      ("scan Piano", "unexpected argument 'Piano'; did you mean --name Piano?"),
      (
        "scan Heart Strap", "unexpected argument 'Heart', 'Strap'; did you mean --name 'Heart Strap'?"
      ), ("devices Piano", "unexpected argument 'Piano'; 'blectl info Piano' shows one device"),
      ("connect F0:F1:F2:F3:F4:F5 a b", "2 unexpected arguments: 'a', 'b'"),
      ("disconnect H* Strap", "unexpected argument 'Strap'"),
      ("pair Heart --passkye 1", "unknown option '--passkye'; did you mean --passkey?"),
      ("read --simulate w.json Strap 2a19", "--simulate takes its world after '=': --simulate=w.json"),
      (
        "snapshot Strap --compare a.json",
        "unknown option '--compare'; diff compares two files that it has written"
      ),
      (
        "simulate --check a.json",
        "unknown option '--check'; a world is checked as it is read: simulate WORLD.json -- true"
      ), ("read Strap 2a19,2a38", "'2a19,2a38' names several characteristics: put blanks between them"),
      ("decode u16 0102", "'u16' is a format or a layout, which stands behind --as"),
      ("decode a=u8 b=u8*2 0102", "'a=u8' is a format or a layout, which stands behind --as"),
      ("decode --as auto 0102", "--as auto: the standard meaning needs a UUID, without --as"),
      ("decode --as u16 xyz", "'xyz' is not hexadecimal; for text use utf8:xyz"),
      ("decode --as u16", "give either VALUE or --from FILE"),
      ("read Bench", "missing expected argument '<characteristics> ...'"),
      ("scan --name", "missing value for '--name <pattern>'"),
      ("read Bench 2a19 --count 3", "--count needs --every"),
      (
        "read Bench 2a19 --offset 2 --log a.csv",
        "--offset and --log cannot be used together: a log is of whole values"
      ),
      ("write Piano ffe3", "give either VALUE or --from FILE"),
      ("write Piano ffe3 01 --from x", "give either VALUE or --from FILE"),
      ("devices --simulate --bus x", "--simulate and --bus cannot be used together"),
      ("scan --count 0", "--count must be at least 1"),
      ("proxy --plaintext --key-file a.key", "--plaintext and --key-file cannot be used together"),
      (
        "proxy --no-connections --max-connections 2",
        "--no-connections and --max-connections cannot be used together"
      ),
      ("proxy --max-connections 0", "--max-connections must be between 1 and 32, not 0"),
      ("proxy --name ...", "--name needs a letter from a to z, or a digit"),
      ("proxy --port 65535 -i hci0 -i hci1", "--port is too high for so many adapters"),
      ("proxy -i hci0 -i hci0", "-i names hci0 twice"),
      ("serial Piano --pty=", "missing value for '--pty='"),
      ("devices --simulate=", "missing value for '--simulate='"),
      ("serial Piano --pty port", "unexpected argument 'port'; did you mean --pty=port?"),
      ("subscribe Bench 2a37 --buffer 3", "--buffer must be at least 1K"),
      ("subscribe Bench", "missing expected argument '<characteristics> ...'"),
      ("subscribe F0:F1:F2:F3:F4:F5", "missing expected argument '<characteristics> ...'"),
      ("subscribe Bench Piano:ffe2", "'Bench' is not DEVICE:CHAR, such as Strap:2a37"),
      (
        "subscribe Bench:2a37 --start-together",
        "--start-together needs several devices: DEVICE:CHAR DEVICE:CHAR"
      ),
      (
        "subscribe Bench:2a37 Piano:ffe2 --start-together --all",
        "--start-together and --all cannot be used together: name each device, so that it is known how many there are"
      ),
    ])
  func errors(line: String, reason: String) throws {
    let words = words(line)
    let error = try #require(throws: (any Error).self) { try CommandLineTool.parse(words) }
    let report = UsageReport.error(error, words)
    #expect(report.message == "cannot run '\(words[0])': \(reason)")
    #expect(report.status == .usage && report.hint == "blectl \(words[0]) --help")
  }

  @Test(
    "An offset that no value has is named",
    arguments: ["-1", "513", "65536", "99999999999999999999", "four", "0x10", "+4", "4.0", "١"])
  func offsets(_ text: String) throws {
    for words in [["--offset", text], ["--offset=\(text)"]] {
      let words = ["read", "Bench", "2a19"] + words
      let error = try #require(throws: (any Error).self) { try CommandLineTool.parse(words) }
      let report = UsageReport.error(error, words)
      #expect(
        report.message
          == "cannot run 'read': --offset: '\(text)' is no place in a value, which has at most 512 bytes")
      #expect(report.status == .usage)
    }
  }

  @Test(
    "A name without quotes and one behind the characteristic are recognized, and the mended command is shown",
    arguments: [
      (
        "subscribe Heart Strap 2a37 --count 3", "a name with spaces needs quotes: 'Heart Strap'",
        "blectl subscribe 'Heart Strap' 2a37 --count 3"
      ),
      (
        "write -q MI Band 2 fed3 utf8:hi", "a name with spaces needs quotes: 'MI Band 2'",
        "blectl write 'MI Band 2' -q fed3 utf8:hi"
      ),
      (
        "subscribe Freezer temperature Lamp:ffe2",
        "'temperature' has no device before it: use DEVICE:CHAR for each, or DEVICE CHAR…",
        "blectl subscribe Freezer:temperature Lamp:ffe2"
      ),
      (
        "subscribe Strap:2a37 Trainer:2ad2 temperature -q",
        "'temperature' has no device before it: use DEVICE:CHAR for each, or DEVICE CHAR…",
        "blectl subscribe Strap:2a37 Trainer:2ad2 DEVICE:temperature -q"
      ),
      (
        "pair Heart Strap --passkey 1", "a name with spaces needs quotes: 'Heart Strap'",
        "blectl pair 'Heart Strap' --passkey 1"
      ),
      ("doctor MI Band 2", "a name with spaces needs quotes: 'MI Band 2'", "blectl doctor 'MI Band 2'"),
      (
        "run Heart Strap a.ble", "a name with spaces needs quotes: 'Heart Strap'",
        "blectl run 'Heart Strap' a.ble"
      ),
      (
        "smp Heart Strap echo hi", "a name with spaces needs quotes: 'Heart Strap'",
        "blectl smp 'Heart Strap' echo hi"
      ),
      (
        "write Lamp on", "'on' is no characteristic, which stands before the value",
        "blectl write Lamp CHAR on"
      ),
      (
        "simulate check a.json", "a world is checked as it is read", "blectl simulate a.json -- true"
      ),
      (
        "subscribe 2a6e Thermometer", "the device comes first, then its characteristic",
        "blectl subscribe Thermometer 2a6e"
      ),
      (
        "subscribe Strap:2a37 Trainer -q", "'Trainer' has no characteristic: use DEVICE:CHAR for each",
        "blectl subscribe Strap:2a37 Trainer:CHAR -q"
      ),
      (
        "subscribe H* KICKR 2a37 2ad2 --all", "several devices need a characteristic each: DEVICE:CHAR",
        "blectl subscribe 'H*:2a37' KICKR:2ad2 --all"
      ),
      (
        "receive Strap new 2a37", "the file that is written stands behind --to",
        "blectl receive Strap 2a37 --to new"
      ),
      (
        "receive Heart Strap 2a37 --to new", "a name with spaces needs quotes: 'Heart Strap'",
        "blectl receive 'Heart Strap' 2a37 --to new"
      ),
      (
        "subscribe A B 2a37 --all", "several devices need a characteristic each: DEVICE:CHAR",
        "blectl subscribe A:2a37 B:2a37 --all"
      ),
    ])
  func misplacedDevice(line: String, reason: String, hint: String) throws {
    let words = words(line)
    let error = try #require(throws: (any Error).self) { try CommandLineTool.parse(words) }
    let report = UsageReport.error(error, words)
    #expect(report.message == "cannot run '\(words[0])': \(reason)")
    #expect(report.hint == hint)
  }

  @Test("Help on a command that does not exist is an error", arguments: ["--help", "-h", "--version"])
  func helpOnNothing(option: String) throws {
    let error = try #require(throws: CommandError.self) { try CommandLineTool.parse(["scam", option]) }
    #expect(error.message == "cannot run 'scam': no such command; did you mean scan?")
  }

  @Test("A word for completions names the option that prints them", arguments: ["completion", "completions"])
  func completions(word: String) throws {
    let error = try #require(throws: CommandError.self) { try CommandLineTool.parse([word, "--help"]) }
    #expect(error.message.hasSuffix("no such command; an option prints the completions of bash, zsh or fish"))
    #expect(error.hint == "blectl --generate-completion-script bash")
  }

  @Test(
    "--version prints the version, also after a command", arguments: [["--version"], ["read", "--version"]])
  func version(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try CommandLineTool.parse(arguments) }
    #expect(error.map { Blectl.fullMessage(for: $0) } == Blectl.configuration.version)
  }

  @Test("Pairs name several devices, each with its characteristics")
  func pairs() throws {
    let line = ["subscribe", "Strap:2a37", "F0:F1:F2:F3:F4:F5:2a19", "--count", "3"]
    let subscribe = try #require(CommandLineTool.parse(line) as? SubscribeCommand)
    #expect(subscribe.named.map { "\($0)" } == ["Strap", "F0:F1:F2:F3:F4:F5"])
    #expect(subscribe.characteristics.map { "\($0)" } == ["2a37", "2a19"])
    #expect(subscribe.count == 3)
  }

  @Test("A signal strength may follow its option with its minus sign")
  func negativeStrength() throws {
    let scan = try #require(CommandLineTool.parse(["scan", "--rssi", "-70"]) as? ScanCommand)
    #expect(scan.wanted.rssi == -70)
  }

  @Test("The adapter is named by -i or by --adapter", arguments: ["-i", "--adapter"])
  func adapter(option: String) throws {
    #expect(try CommandLineTool.parse(["devices", option, "hci1"]).common.adapter == ["hci1"])
  }

  @Test("--simulate takes a world after =, but no separate word; arguments after -- belong to the child")
  func simulate() throws {
    let plain = try #require(CommandLineTool.parse(["read", "--simulate", "Piano", "ffe2"]) as? ReadCommand)
    #expect(plain.common.simulate && plain.common.world == nil)
    #expect(plain.target.device.description == "Piano")
    let world = try #require(
      CommandLineTool.parse(["read", "--simulate=a=b.json", "Piano", "ffe2"]) as? ReadCommand)
    #expect(world.common.simulate && world.common.world == "a=b.json")
    let child = try #require(
      CommandLineTool.parse(["simulate", "w.json", "--", "blectl", "scan", "--simulate=x"])
        as? SimulateCommand)
    #expect(child.world == "w.json" && child.command == ["blectl", "scan", "--simulate=x"])
    let bare = try #require(CommandLineTool.parse(["simulate", "--", "true"]) as? SimulateCommand)
    #expect(bare.world == nil && bare.command == ["true"])
  }

  @Test(
    "The help names the command that was asked about",
    arguments: [
      (["scan", "--help"], "blectl scan"), (["help", "write"], "blectl write"),
      (["--help"], "blectl <subcommand>"), (["help"], "blectl <subcommand>"),
    ])
  func help(arguments: [String], usage: String) {
    let error = #expect(throws: (any Error).self) { try CommandLineTool.parse(arguments) }
    let text = error.map { Blectl.fullMessage(for: $0) } ?? ""
    #expect(text.contains("USAGE: \(usage)"), "\(text)")
  }
}
