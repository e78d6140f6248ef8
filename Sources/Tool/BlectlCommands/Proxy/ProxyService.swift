// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import BluetoothProxy
internal import TerminalOutput
internal import ValueStreams

/// The proxy of one adapter, over the outages of its bus, bluetoothd and the adapter itself; confined to the loop.
final class ProxyService {
  struct Options {
    /// For people; that on the network follows from it.
    var name: String
    var key: ProxyKey?
    var maxConnections = 5
    var isAnnounced = true

    init(name: String) { self.name = name }
  }

  private let options: Options
  /// Its place among the proxies of the process, from 0 on.
  private let number: Int
  private let adapter: String?
  private let port: UInt16
  private let outputs: StreamOutputs
  private let context: CommandContext
  /// The bus of the links that are noted.
  private var bus = ""

  init(
    _ options: Options, number: Int, on adapter: String?, port: UInt16, outputs: StreamOutputs,
    context: CommandContext
  ) {
    (self.options, self.number, self.adapter, self.port) = (options, number, adapter, port)
    (self.outputs, self.context) = (outputs, context)
  }

  /// Serves clients until the task is cancelled.
  func run() async throws {
    let found = try await findAdapter()
    // Another adapter may have its name later; clients know this proxy by the address.
    let context = try await self.context.using(adapter: found.address)
    do {
      try await serve(found, context)
    } catch {
      await context.bus.close()
      throw error
    }
    await context.bus.close()
  }

  /// Waits for the adapter.
  private func findAdapter() async throws -> Adapter {
    let context = try await self.context.using(adapter: adapter)
    var found: Adapter?
    let keeper = BusKeeper(Reconnector(policy: ReconnectPolicy(), context: context), in: context) { _ in }
    do {
      try await keeper.run { central, _, _ in
        let adapter = try await central.currentAdapter()
        bus = await central.busID
        found = adapter
        return true
      }
    } catch {
      await context.bus.close()
      throw error
    }
    await context.bus.close()
    guard let found else { throw CancellationError() }
    return found
  }

  private func serve(_ adapter: Adapter, _ context: CommandContext) async throws {
    guard let address = BluetoothAddress(adapter.address) else {
      throw CommandError(
        status: .unavailable, message: "cannot use \(adapter.id): its address is \(adapter.address)")
    }
    let identity = try identity(of: address)
    let server = ProxyServer(identity, key: options.key, on: context.loop) {
      try await context.bus.central()
    } report: { [outputs] event in
      let record = ProxyRecord(event, of: identity.name.text)
      outputs.report(record.logged, as: context.options.json ? nil : record.line(in: context.console))
    }
    let chosen: UInt16
    do throws(SocketError) {
      chosen = try server.listen(on: port)
    } catch {
      throw CommandError(
        status: .failed, message: "cannot listen on port \(port): \(error)", hint: "--port N, if it is in use"
      )
    }
    let journal = LinkJournal(of: address)
    let left = journal.links(onBus: bus)
    server.note = { [unowned self] in journal.note($0, onBus: bus) }
    server.closeLinks(to: left) { address, error in
      context.console.warn(
        "a link to \(address) that an earlier proxy has left stays open for now: \(error.message)")
    }
    context.remark(
      "\(identity.name) is a proxy for Home Assistant on port \(chosen), with \(adapter.id) (\(address))")
    do {
      try await run(server, identity, port: chosen, context)
    } catch {
      await server.close()
      throw error
    }
    await server.close()
  }

  private func identity(of address: BluetoothAddress) throws(CommandError) -> ProxyIdentity {
    let suffix = number == 0 ? "" : "-\(number + 1)"
    // What has no letter of theirs has been refused, but for the name of a machine.
    let base = ProxyName(from: options.name) ?? ProxyName(from: "blectl")
    let text = (base?.text.prefix(31 - suffix.utf8.count)).map(String.init) ?? ""
    guard let name = ProxyName(text + suffix) else {
      throw .usage("cannot use the name \(options.name)", hint: "--name N")
    }
    return ProxyIdentity(
      name: name, friendlyName: number == 0 ? options.name : "\(options.name) \(number + 1)",
      address: address,
      maxConnections: options.maxConnections, version: ReleaseVersion.number)
  }

  /// Listens with the adapter, for as long as the task lasts.
  private func run(
    _ server: ProxyServer, _ identity: ProxyIdentity, port: UInt16, _ context: CommandContext
  ) async throws {
    let reception = Reception(
      ScanFilter(), mode: .active, reportsDuplicates: true,
      reconnector: Reconnector(policy: ReconnectPolicy(), context: context), context: context)
    let follow = context.loop.confined { [unowned self] (record: ReceptionRecord) in
      switch record.event {
      case .started, .resumed:
        server.scanner(is: .running)
        context.loop.spawn { [self] in bus = await (try? context.bus.central())?.busID ?? bus }
      case .interrupted: server.scanner(is: .failed)
      // BlueZ scans all the while.
      case .recovering, .recovered, .silent, .heard, .begun, .away: break
      }
    }
    var bodies = [
      context.loop.confinedWork {
        try await reception.run(record: follow) { events in
          server.heard(events)
          return true
        }
      }
    ]
    if options.isAnnounced {
      let service = Announcement.Service(
        name: identity.name.text, port: port, texts: identity.texts(isEncrypted: options.key != nil))
      let announcement = Announcement(service, on: context.loop) { context.remark($0) }
      bodies.append(context.loop.confinedWork { await announcement.run() })
    }
    try await context.loop.race(bodies)
  }
}
