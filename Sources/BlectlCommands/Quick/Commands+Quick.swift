// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

extension ReadCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    format = try arguments.option("--as", as: ValueFormat.init(typed:))
    descriptor = try arguments.option("--descriptor", as: BluetoothUUID.init(parsingDescriptor:))
    every = try arguments.option("--every", as: DurationArgument.init(parsing:))
    count = try arguments.option("--count") { Int($0) }
    common = try CommonOptions(plain: &arguments)
    var words: ArraySlice<String> = []
    target = try TargetOptions(plain: &arguments, others: &words)
    characteristics = try words.map { try CharacteristicArgument(parsing: $0) }
  }
}

extension WriteCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    from = try arguments.option("--from") { $0 }
    noResponse = try arguments.isSet("--no-response")
    descriptor = try arguments.option("--descriptor", as: BluetoothUUID.init(parsingDescriptor:))
    reply = try arguments.option("--reply", as: CharacteristicArgument.init(parsing:))
    format = try arguments.option("--as", as: ValueFormat.init(typed:))
    common = try CommonOptions(plain: &arguments)
    var words: ArraySlice<String> = []
    target = try TargetOptions(plain: &arguments, others: &words)
    guard let word = words.popFirst() else { throw PlainArguments.NotPlain() }
    characteristic = try CharacteristicArgument(parsing: word)
    values = try words.map { try ValueArgument(parsing: $0) }
  }
}

extension DevicesCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    connected = try arguments.isSet("--connected")
    paired = try arguments.isSet("--paired")
    common = try CommonOptions(plain: &arguments)
  }
}

extension ConnectCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    stay = try arguments.isSet("--stay")
    common = try CommonOptions(plain: &arguments)
    var words: ArraySlice<String> = []
    target = try TargetOptions(plain: &arguments, others: &words)
    if !words.isEmpty { throw PlainArguments.NotPlain() }
  }
}

extension DisconnectCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    common = try CommonOptions(plain: &arguments)
    var words: ArraySlice<String> = []
    target = try TargetOptions(plain: &arguments, others: &words)
    if !words.isEmpty { throw PlainArguments.NotPlain() }
  }
}

extension ScanCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    service = try arguments.options("--service", as: BluetoothUUID.init(parsingService:))
    name = try arguments.options("--name") { $0 }
    address = try arguments.options("--address", as: BluetoothAddress.init(parsing:))
    manufacturer = try arguments.options("--manufacturer", as: ScanCommand.company(parsing:))
    rssi = try arguments.option("--rssi") { Int($0) }
    rssiAtOneMetre = try arguments.option("--rssi-at-1m") { Int($0) }
    pathLoss = try arguments.option("--path-loss") { Double($0) } ?? 2
    duplicates = try arguments.isSet("--duplicates")
    passive = try arguments.isSet("--passive")
    duration =
      try arguments.option("--duration", as: DurationArgument.init(parsing:))
      ?? DurationArgument(.seconds(10))
    count = try arguments.option("--count") { Int($0) }
    common = try CommonOptions(plain: &arguments)
  }
}

extension SubscribeCommand: QuickCommand {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    format = try arguments.option("--as", as: ValueFormat.init(typed:))
    all = try arguments.isSet("--all")
    count = try arguments.option("--count") { Int($0) }
    duration = try arguments.option("--duration", as: DurationArgument.init(parsing:))
    via = try arguments.option("--via") { NotificationTransport(rawValue: $0) } ?? .signal
    reconnecting = try ReconnectOptions(plain: &arguments)
    log = try LogOptions(plain: &arguments)
    plotting = try PlotOptions(plain: &arguments)
    common = try CommonOptions(plain: &arguments)
    var words: ArraySlice<String> = []
    target = try TargetOptions(plain: &arguments, others: &words)
    characteristics = try words.map { try CharacteristicArgument(parsing: $0) }
  }
}
