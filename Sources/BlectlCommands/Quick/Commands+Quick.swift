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
