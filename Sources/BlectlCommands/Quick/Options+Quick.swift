// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

extension CommonOptions {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    adapter = try arguments.option("-i", "--adapter") { $0 }
    bus = try arguments.option("--bus") { $0 }
    timeout =
      try arguments.option("--timeout", as: DurationArgument.init(parsing:)) ?? DurationArgument(.seconds(20))
    color = try arguments.option("--color", as: ColorMode.init(rawValue:)) ?? .auto
    simulate = try arguments.isSet("--simulate")
    world = nil
    json = try arguments.isSet("--json")
    quiet = try arguments.isSet("-q", "--quiet")
    verbose = arguments.flag("-v", "--verbose")
  }
}

extension TargetOptions {
  /// Takes the option, then all words that are left, of which the first is the device.
  ///
  /// - Parameters:
  ///   - arguments: with the command's own options taken out.
  ///   - others: the words behind the device.
  /// - Throws: when there is no device, or an option is left.
  init(plain arguments: inout PlainArguments, others: inout ArraySlice<String>) throws {
    self.init()
    pick = try arguments.option("--pick", as: PickRule.init(rawValue:))
    others = try arguments.rest()[...]
    guard let word = others.popFirst() else { throw PlainArguments.NotPlain() }
    device = try DeviceArgument(parsing: word)
  }
}

extension ReconnectOptions {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    reconnect = try arguments.isSet("--reconnect")
    delay = try arguments.option("--reconnect-delay", as: DurationArgument.init(parsing:))
    limit = try arguments.option("--reconnect-limit", as: DurationArgument.init(parsing:))
    try validate()
  }
}

extension LogOptions {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    logs = try arguments.options("--log", as: LogArgument.init(parsing:))
    rotation = try arguments.option("--log-rotate", as: LogRotation.init(parsing:))
    buffer = try arguments.option("--buffer", as: SizeArgument.init(parsing:)) ?? SizeArgument(16 << 20)
    try validate()
  }
}

extension PlotOptions {
  init(plain arguments: inout PlainArguments) throws {
    self.init()
    plot = try arguments.isSet("--plot")
    svg = try arguments.option("--plot-svg") { $0 }
    window = try arguments.option("--plot-window", as: DurationArgument.init(parsing:))
    try validate()
  }
}
