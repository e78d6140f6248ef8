// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
package import BLEPeripheral
internal import BlectlArguments
package import BlectlSession
internal import TerminalOutput

/// A serial port of this machine, which centrals use: a Nordic UART Service.
package final class SerialServer: Sendable {
  /// The back end of the port.
  package enum End: Sendable {
    /// Other programs, or a pseudo-terminal.
    case port(any SerialPort)
    /// A command, started for each central.
    case command([String])
  }

  private let end: End
  private let security: AccessSecurity.Level
  private let limit: Int
  private let drops: Bool
  private let manager: PeripheralManager
  private let context: CommandContext
  private let peer = Lock<CentralSerial?>(nil)
  private let arrivals = BatchChannel<any SerialPeer>()
  /// True if a central uses the channel, which has room for one.
  private let isBusy = Lock(false)
  /// The number of times the advertisement has come back after an outage.
  ///
  /// The kernel may have lost the channel meanwhile.
  private let returns = Watched(0)

  /// `limit` is how many bytes may wait in each direction; `drops` drops what comes without a central.
  package init(
    _ end: End, security: AccessSecurity.Level, limit: Int, drops: Bool, by manager: PeripheralManager,
    in context: CommandContext
  ) {
    (self.end, self.security, self.limit, self.drops) = (end, security, limit, drops)
    (self.manager, self.context) = (manager, context)
  }

  /// Publishes and advertises the port under a name, and serves it until the task is cancelled.
  package func run(as name: String, _ began: @escaping @Sendable () -> Void) async throws {
    let events = await manager.events()
    let known = SerialService.nordic
    let access = AccessSecurity(write: security, subscribe: security)
    let service = LocalService(
      known.uuid,
      [
        LocalCharacteristic(
          known.rx, [.write, .writeWithoutResponse], security: access,
          writing: .immediate { [self] request throws(ATTError) in peer.withLock { $0 }?.write(request) }),
        LocalCharacteristic(known.tx, [.notify], security: access),
      ])
    let published = try await manager.add(service, timeout: context.timeout)
    try await manager.startAdvertising(
      Advertisement(name: name, services: [known.uuid]), timeout: context.timeout)
    began()
    let tx = published.characteristics[1]
    try await context.loop.race({ try await self.follow(events, tx) }, { try await self.serve() })
  }

  /// Offers the port as an L2CAP channel, 0 for a free number, and serves it until the task is cancelled.
  package func run(
    as name: String, channel psm: UInt16, _ began: @escaping @Sendable (UInt16) -> Void
  ) async throws {
    let events = await manager.events()
    let offer = try await publishChannel(psm)
    try await manager.startAdvertising(Advertisement(name: name), timeout: context.timeout)
    began(offer.psm)
    try await context.loop.race(
      { try await self.keepOffering(offer) }, { try await self.follow(events) }, { try await self.serve() })
  }

  private func publishChannel(_ psm: UInt16) async throws -> PublishedChannel {
    let level: L2CAPSecurity = security == .none ? .none : .authenticated
    return try await manager.publishChannel(psm: psm, security: level, timeout: context.timeout)
  }

  /// Accepts centrals, and offers the channel anew after each outage.
  private func keepOffering(_ first: PublishedChannel) async throws {
    var offer = first
    while true {
      let seen = returns.withLock { $0 }
      try await accept(from: offer, untilReturn: seen + 1)
      try Task.checkCancellation()
      // The kernel gives a number only once.
      await offer.close()
      offer = try await publishAgain(offer.psm)
      context.remark("blectl: the serial port is offered again, L2CAP channel \(offer.psm)")
    }
  }

  private func publishAgain(_ psm: UInt16) async throws -> PublishedChannel {
    while true {
      let seen = returns.withLock { $0 }
      do {
        return try await publishChannel(psm)
      } catch let error as BLEError where error.isRecoverable {
        context.console.warn("\(error)")
        guard await returns.wait(until: { $0 > seen }) else { throw error }
      }
    }
  }

  /// Accepts centrals until the advertisement has come back so many times.
  private func accept(from offer: PublishedChannel, untilReturn count: Int) async throws {
    try await context.loop.race(
      { [self] in
        while let channel = try await offer.accept() {
          if isBusy.exchange(true) {
            await channel.close()
            context.console.warn("a central was refused: another one uses the serial port")
            continue
          }
          context.remark("a central uses the serial port")
          arrivals.send(ChannelSerial(channel) { CentralLeft() })
        }
      }, { [self] in _ = await returns.wait { $0 >= count } })
  }

  /// Follows what happens, until the connection to the bus is lost; `tx` is nil for a channel.
  private func follow(_ events: PeripheralEvents, _ tx: PublishedCharacteristic? = nil) async throws {
    var isOut = false
    let state = tx == nil ? "advertised" : "published"
    for try await event in events {
      switch event.kind {
      case .state(let bluetooth):
        guard let outage = bluetooth.outage else { continue }
        isOut = true
        context.remark("blectl: \(outage); the serial port is \(state) again when it is back")
      case .restored where isOut:
        isOut = false
        context.remark("blectl: the serial port is \(state) again")
        returns.change { $0 += 1 }
      case .subscribed(let characteristic) where characteristic == tx && peer.withLock({ $0 == nil }):
        let central = CentralSerial(characteristic, on: context.loop, report: context.console.warn)
        peer.exchange(central)
        arrivals.send(central)
        context.remark("a central uses the serial port")
      case .unsubscribed(let characteristic) where characteristic == tx:
        peer.exchange(nil)?.leave()
        context.remark("no central uses the serial port any more")
      case .failed(let error): context.console.warn("\(error)")
      default: break
      }
    }
  }

  // MARK: The near end

  private func serve() async throws {
    switch end {
    case .port(let port):
      let pump = BytePump(limit: limit, report: context.console.warn)
      try await PortExchange(port, pump, drops: drops).run(on: context.loop) { [self] in
        while let (centrals, _) = await arrivals.next() {
          for central in centrals {
            try await serve(central, pump)
            served(central)
          }
        }
      }
    case .command(let command):
      while let (centrals, _) = await arrivals.next() {
        for central in centrals {
          try await serve(central, command)
          served(central)
        }
      }
    }
  }

  /// Lets the next central open the channel.
  private func served(_ central: any SerialPeer) {
    guard central is ChannelSerial else { return }
    isBusy.exchange(false)
    context.remark("no central uses the serial port any more")
  }

  /// Returns when the central has left.
  private func serve(_ central: any SerialPeer, _ pump: BytePump) async throws {
    do {
      try await pump.run(over: central, quiet: nil, on: context.loop)
    } catch is CentralLeft {}
  }

  /// Runs the command, and again when it has ended, until the central has left.
  private func serve(_ central: any SerialPeer, _ command: [String]) async throws {
    let port = CommandPort(command, on: context.loop)
    let pump = BytePump(limit: limit, report: context.console.warn)
    let exchange = PortExchange(port, pump, drops: false)
    do {
      try await exchange.run(on: context.loop) { [self] in try await serve(central, pump) }
    } catch {
      await port.waitUntilEnded()
      throw error
    }
    await port.waitUntilEnded()
  }
}
