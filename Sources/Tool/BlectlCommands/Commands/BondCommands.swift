// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct UnpairCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair", _superCommandName: Blectl.name,
    abstract: "Delete the bond with a device, and forget the device.",
    discussion: """
      blectl simulate -- sh -c 'blectl pair Piano; blectl unpair Piano'
      blectl simulate -- sh -c 'blectl connect Piano; blectl forget Piano --json'

      The link is closed, and the services that BlueZ remembers are deleted as well. The device is not informed: to pair \
      again, it may have to forget this machine too.
      """, aliases: ["forget"])

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let info = try await target.locator(in: context).known(for: "unpair", hint: "blectl devices")
    let timeout = context.timeout
    try await context.showingProgress("unpairing") { try await info.peripheral.unpair(timeout: timeout) }
    try context.report(
      FlagRecord(event: .unpaired, address: info.address),
      info.isPaired ? "unpaired and forgotten" : "forgotten (it was not paired)", of: info)
  }
}

struct TrustCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust", _superCommandName: Blectl.name,
    abstract: "Let a device use services of this machine without asking.",
    discussion: """
      blectl trust 'Heart Strap' --simulate
      blectl trust 'Heart Strap' --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    try await DeviceFlag.set(.trusted, on: target, in: context) { try await $0.setTrusted(true, timeout: $1) }
  }
}

struct UntrustCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "untrust", _superCommandName: Blectl.name,
    abstract: "Stop trusting a device.",
    discussion: """
      blectl simulate -- sh -c 'blectl trust Piano; blectl untrust Piano'
      blectl simulate -- sh -c 'blectl trust Piano; blectl untrust Piano --json'
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    try await DeviceFlag.set(.untrusted, on: target, ifKnownTo: "untrust", in: context) {
      try await $0.setTrusted(false, timeout: $1)
    }
  }
}

struct BlockCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", _superCommandName: Blectl.name,
    abstract: "Block a device: its link is closed, and it cannot connect.",
    discussion: """
      blectl block 'Heart Strap' --simulate
      blectl block 'Heart Strap' --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    try await DeviceFlag.set(.blocked, on: target, in: context) { try await $0.setBlocked(true, timeout: $1) }
  }
}

struct UnblockCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock", _superCommandName: Blectl.name,
    abstract: "Let a blocked device connect again.",
    discussion: """
      blectl simulate -- sh -c 'blectl block Piano; blectl unblock Piano'
      blectl simulate -- sh -c 'blectl block Piano; blectl unblock Piano --json'
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    try await DeviceFlag.set(.unblocked, on: target, ifKnownTo: "unblock", in: context) {
      try await $0.setBlocked(false, timeout: $1)
    }
  }
}

private enum DeviceFlag {
  /// Changes a flag; `verb` is for the error about an unknown device; if nil, a scan may find it.
  static func set(
    _ event: FlagRecord.Event, on target: TargetOptions, ifKnownTo verb: String? = nil,
    in context: CommandContext,
    _ change: @Sendable (Peripheral, Duration?) async throws -> Void
  ) async throws {
    let locator = try await target.locator(in: context)
    let info =
      if let verb { try await locator.known(for: verb, hint: "blectl devices") } else {
        try await locator.find()
      }
    try await change(info.peripheral, context.timeout)
    try context.report(FlagRecord(event: event, address: info.address), event.rawValue, of: info)
  }
}
