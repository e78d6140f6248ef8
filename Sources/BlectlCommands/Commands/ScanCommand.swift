// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral

struct ScanCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Show the devices that advertise nearby.",
    discussion: """
      blectl scan --simulate
      blectl scan --service heart-rate --rssi -90 --duration 3s --simulate
      blectl scan --name 'MI Band*' --count 1 --json --simulate
      """)

  @Option(
    help: ArgumentHelp(
      "Only devices that advertise this service: 180d, heart-rate; may be repeated.", valueName: "uuid"),
    completion: LiveCompletion.service, transform: BluetoothUUID.init(parsingService:))
  var service: [BluetoothUUID] = []
  @Option(
    help: ArgumentHelp("Only devices whose name fits a pattern, such as 'MI Band*'.", valueName: "pattern"))
  var name: [String] = []
  @Option(
    help: ArgumentHelp("Only the device with this address; may be repeated.", valueName: "address"),
    completion: LiveCompletion.address, transform: BluetoothAddress.init(parsing:))
  var address: [BluetoothAddress] = []
  @Option(
    help: ArgumentHelp(
      "Only devices with data of this company, in hex: 004c; may be repeated.", valueName: "id"),
    transform: ScanCommand.company(parsing:))
  var manufacturer: [UInt16] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only devices at least this strong, such as -70.", valueName: "dbm"))
  var rssi: Int?
  @Option(
    name: .customLong("rssi-at-1m"), parsing: .unconditional,
    help: ArgumentHelp(
      "The strength at one metre, for distances. (default: what the device tells, else -59)",
      valueName: "dbm"))
  var rssiAtOneMetre: Int?
  @Option(
    help: ArgumentHelp(
      "How fast signals weaken, for distances: 2 in the open, 3 and more between walls.", valueName: "n"))
  var pathLoss = 2.0
  @Flag(help: "Report every advertisement, not only what is new.")
  var duplicates = false
  @Flag(
    help:
      "Only listen, and ask no device for its scan response. bluetoothd must have been started with --experimental."
  )
  var passive = false
  @Option(
    help: ArgumentHelp("How long to scan; 0 is without end. (default: 10s)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(.seconds(10))
  @Option(
    help: ArgumentHelp(
      "End after this many devices; with --duplicates after this many reports.", valueName: "n"))
  var count: Int?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let rssi, !(-127...20).contains(rssi) {
      throw ValidationError("--rssi goes from -127 to 20, not \(rssi).")
    }
    if let rssiAtOneMetre, !(1...127).contains(abs(rssiAtOneMetre)) {
      throw ValidationError("--rssi-at-1m goes from -127 to -1, not \(rssiAtOneMetre).")
    }
    if !(0.5...10).contains(pathLoss) {
      throw ValidationError("--path-loss goes from 0.5 to 10, not \(pathLoss).")
    }
    if let count, count < 1 { throw ValidationError("--count begins at 1.") }
  }

  /// A company identifier: up to four hexadecimal digits.
  static func company(parsing text: String) throws -> UInt16 {
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard digits.count <= 4, let company = UInt16(digits, radix: 16), !digits.hasPrefix("+") else {
      throw ArgumentError(
        text, "is not a company identifier; write up to four hexadecimal digits, such as 004c")
    }
    return company
  }

  private var filter: ScanFilter {
    let patterns = name.map { ShellPattern($0) }
    let fits: @Sendable (String) -> Bool = { name in patterns.contains { $0.matches(name) } }
    return ScanFilter(
      services: service, addresses: address, manufacturers: manufacturer, minimumRSSI: rssi,
      name: patterns.isEmpty ? nil : fits)
  }

  func run(in session: Session) async throws {
    do {
      try await scan(in: session)
    } catch let error as BLEError where passive && error.code == .notSupported {
      var error = CommandError(error)
      error.hint =
        "start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf"
      throw error
    }
  }

  private func scan(in session: Session) async throws {
    let central = try await session.central()
    let (filter, duplicates, count) = (filter, duplicates, count)
    let mode = passive ? ScanMode.passive : .active
    if LiveView.isPossible(on: session.console), !common.json {
      let heard = try await LiveScan(session: session, maximum: count, pathLoss: way)
        .run(central.scan(filter, mode: mode, reportsDuplicates: true), for: duration.limit)
      if heard == 0 { return session.remark("no devices") }
      return remarkIfShort(heard, "devices", session)
    }
    let console = session.console
    let (isJSON, way) = (common.json, way)
    let told = Lock(0)
    try await session.limited(to: duration.limit) {
      var left = count ?? .max
      var events = central.scan(filter, mode: mode, reportsDuplicates: duplicates).makeAsyncIterator()
      var lines = ScanLines(isJSON: isJSON, pathLoss: way)
      while left > 0, let batch = try await events.nextBatch() {
        let wanted = batch.elements.prefix { event in
          guard left > 0 else { return false }
          if event.kind == .found || (duplicates && event.kind != .lost) { left -= 1 }
          return true
        }
        try console.write(bytes: lines.bytes(of: wanted))
        let rest = left
        told.withLock { $0 = (count ?? .max) - rest }
      }
    }
    remarkIfShort(told.withLock { $0 }, duplicates ? "reports" : "devices", session)
  }

  /// The status stays 0, so somebody who has asked for more should hear that it was the time that ended the scan.
  private func remarkIfShort(_ heard: Int, _ what: String, _ session: Session) {
    guard let count, heard < count, !Task.isCancelled else { return }
    session.remark("\(heard) of \(count) \(what) when --duration \(duration) was over")
  }

  /// What distances are guessed from; the strength may be typed without its sign.
  private var way: PathLoss {
    PathLoss(rssiAtOneMetre: rssiAtOneMetre.map { -abs($0) }, exponent: pathLoss)
  }
}
