// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession

struct SMPCommand: DeviceCommand, PairingCommand, ByteCommand {
  static let configuration = CommandConfiguration(
    commandName: "smp", abstract: "Manage a device with MCUmgr: images, files, settings, shell.",
    discussion: """
      blectl smp Sensor images --simulate=update
      blectl smp Sensor info --json --simulate=update
      blectl smp Sensor shell kernel version --simulate=update
      blectl smp Sensor fs get /lfs/notes.txt --simulate=update
      blectl smp Sensor settings get sensor/interval --simulate=update
      blectl smp Sensor raw 0 0 '{"d": "hi"}' --write --simulate=update

      echo TEXT, info and params ask what the device is; reset lets it start again. stats lists its statistics, or prints those \
      of a group: stats NAME. shell WORDS prints what a command of its shell prints; the status is 1 unless that is 0. Words \
      that begin with a dash stand behind --.

      images lists the images of MCUboot; images test HASH lets one start at the next reset, images confirm [HASH] keeps it, or the \
      one that runs, and images erase [SLOT] erases one. The first digits of a hash are enough.

      fs get PATH [FILE], fs put FILE PATH, fs hash PATH [TYPE] and fs length PATH are for files, settings get NAME, set NAME \
      VALUE, delete NAME, commit, load and save for settings; VALUE is that of 'blectl write'.

      raw GROUP COMMAND [JSON] sends any request, and prints the answer. Bytes are {"$hex": "00ff"}.
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "echo, info, params, images, reset, shell, fs, stats, settings or raw.",
    completion: .list(SMPAction.allWords), transform: { try SMPAction(word: $0, of: "action") })
  var action: SMPAction
  @Argument(help: "The words of the action.", completion: .file())
  var words: [String] = []
  @Flag(help: "With reset: also if the device is busy.")
  var force = false
  @Option(
    help: ArgumentHelp("With reset: what to start, such as 1 for the bootloader, if it can.", valueName: "n"))
  var bootMode: Int?
  @Flag(help: "With raw: send a request that changes something.")
  var write = false
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  private var request: ManagementRequest {
    get throws(ArgumentError) { try ManagementRequest(action, words) }
  }

  var problemOnSeveral: String? {
    switch try? request {
    case .put("-", as: _): CommandGrammar.oneInput
    case .writeSetting(_, let values) where values.contains(.standardInput): CommandGrammar.oneInput
    case .get(_, to: "-"):
      "'fs get' without a file mixes the bytes of several devices: run it on each device by itself"
    default: nil
    }
  }

  func validate() throws {
    try validatePairing()
    do throws(ArgumentError) { _ = try request } catch { throw ValidationError("\(error)") }
    if action != .reset, force { throw ValidationError("--force needs reset.") }
    if action != .reset, bootMode != nil { throw ValidationError("--boot-mode needs reset.") }
    if let bootMode, !(0...255).contains(bootMode) { throw ValidationError("--boot-mode must be 0 to 255.") }
    if action != .raw, write { throw ValidationError("--write needs raw.") }
  }

  func run(in context: CommandContext) async throws {
    let request = try request
    // Before anything is sent.
    let input = try request.input
    let pairing = PairingOnDemand(pairingAnswers, in: context)
    let link = try await DeviceConnection.open(target.choice, in: context, pairing: pairing)
    let limit = context.timeout ?? .seconds(86_400)
    let client = SMPClient(
      link.peripheral, answerTime: limit, eraseTime: max(limit, .seconds(75)),
      pairing: pairing?.ofUpdate(named: "\(target.device)"))
    let session = ManagementSession(
      client: client, title: link.info.name ?? "\(target.device)", address: link.info.lastingAddress,
      context: context)
    do {
      try await session.run(
        request, input, options: .init(isForced: force, bootMode: bootMode, isWrite: write))
    } catch let error as UpdateError {
      if error.code == .cancelled { throw CancellationError() }
      throw CommandError(error, "manage \(session.title)", device: "\(target.device)")
    }
    await client.finish()
  }
}
