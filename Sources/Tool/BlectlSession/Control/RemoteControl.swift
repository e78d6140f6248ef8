// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// Reads and writes for others than the user of the command, over the links that it has: those of a device one after the other,
/// in the order in which they came.
package final class RemoteControl: Sendable {
  private struct State {
    /// The open links.
    var links: [BluetoothAddress: DeviceConnection] = [:]
    /// The requests that wait; a device that is being asked has an entry.
    var waiting: [BluetoothAddress: [ControlJob]] = [:]
    /// The requests under way.
    var current: [BluetoothAddress: ControlJob] = [:]
    var observers: [@Sendable (DeviceConnection, [GATTCharacteristic]) -> Void] = []
    var isOver = false
  }

  private let state = Lock(State())
  private let loop: EventLoop

  /// Less than a page waits for an answer, and than BlueZ for a device.
  private static let timeout = Duration.seconds(12)
  /// The maximum number of requests that wait for a device.
  private static let mostWaiting = 1000
  static let ending = "blectl is ending"

  package init(in context: CommandContext) { loop = context.loop }

  // MARK: Links

  func add(_ link: DeviceConnection, _ characteristics: [GATTCharacteristic]) {
    let observers = state.withLock { state in
      state.links[link.info.lastingAddress] = link
      return state.observers
    }
    for observer in observers { observer(link, characteristics) }
  }

  func remove(_ link: DeviceConnection) {
    // Released without the lock.
    _ = state.withLock { $0.links.removeValue(forKey: link.info.lastingAddress) }
  }

  /// Calls `body` for each link that is added.
  func observeLinks(_ body: @escaping @Sendable (DeviceConnection, [GATTCharacteristic]) -> Void) {
    state.withLock { $0.observers.append(body) }
  }

  // MARK: Requests

  /// Carries out a request in its turn; `answer` gets the outcome once, on any thread.
  func perform(
    _ request: RemoteRequest, for access: ControlAccess,
    _ answer: @escaping @Sendable (RemoteOutcome) -> Void
  ) {
    let job = ControlJob(request, access, answer)
    guard let address = BluetoothAddress(request.address) else {
      return job.finish(.failed("\(TerminalSafe.escaped(request.address)) is no address of a device"))
    }
    enum Verdict {
      case first, queued
      case refused(String)
    }
    let verdict = state.withLock { state -> Verdict in
      if state.isOver { return .refused(Self.ending) }
      guard let count = state.waiting[address]?.count else {
        state.waiting[address] = [job]
        return .first
      }
      guard count < Self.mostWaiting else {
        return .refused("\(Self.mostWaiting) requests for \(address) wait already")
      }
      state.waiting[address]?.append(job)
      return .queued
    }
    switch verdict {
    case .first: Task(executorPreference: loop) { await self.serve(address) }
    case .queued: break
    case .refused(let reason): job.finish(.failed(reason))
    }
  }

  private func serve(_ address: BluetoothAddress) async {
    while let job = next(for: address) { job.finish(await outcome(of: job, on: address)) }
  }

  private func next(for address: BluetoothAddress) -> ControlJob? {
    state.withLock { state in
      state.current[address] = nil
      guard let first = state.waiting[address]?.first else {
        state.waiting[address] = nil
        return nil
      }
      state.waiting[address]?.removeFirst()
      state.current[address] = first
      return first
    }
  }

  /// Answers what is left, and begins nothing any more; what is under way may happen.
  package func close() {
    let (waiting, current) = state.withLock { state in
      state.isOver = true
      defer { for address in state.waiting.keys { state.waiting[address] = [] } }
      return (state.waiting.values.flatMap(\.self), Array(state.current.values))
    }
    for job in current { job.finish(job.mayHappen ? .unknown(Self.ending) : .failed(Self.ending)) }
    for job in waiting { job.finish(.failed(Self.ending)) }
  }

  // MARK: Carrying out

  private func outcome(of job: ControlJob, on address: BluetoothAddress) async -> RemoteOutcome {
    let link = state.withLock { $0.links[address] }
    do {
      guard let link else {
        throw CommandError(status: .failed, message: "there is no link to \(address)")
      }
      let argument = try CharacteristicArgument(parsing: job.request.characteristic)
      let found = try await link.characteristics([argument])[0]
      guard job.access.allows(found) else {
        throw CommandError(status: .failed, message: "\(job.access.option) does not name \(found.title)")
      }
      switch job.request.action {
      case .read: return .done(try await read(found, over: link))
      case .write(let text): return try await write(text, to: found, over: link, job)
      }
    } catch {
      return .failed(Self.reason(error, link?.title))
    }
  }

  private func read(
    _ characteristic: GATTCharacteristic, over link: DeviceConnection
  ) async throws -> RemoteValue {
    let bytes = try await link.request {
      try await link.peripheral.readValue(for: characteristic, timeout: Self.timeout)
    }
    let origin = ValueOrigin(link.info, characteristic, via: .read)
    return RemoteValue(bytes, decoded: origin.meaning?.decode(bytes))
  }

  private func write(
    _ text: String, to characteristic: GATTCharacteristic, over link: DeviceConnection, _ job: ControlJob
  ) async throws -> RemoteOutcome {
    let value = try ValueArgument(parsing: text)
    switch value {
    case .standardInput, .file:
      throw ArgumentError(text, "is a file or the input of this machine; give the value itself")
    case .bytes, .checksum, .standard, .fields: break
    }
    let identity = AttributeIdentity(characteristic, of: ProfileSubject(link.info))
    let bytes = try ValueSource.payloads([value], from: nil, for: identity).map(\.bytes)
    let type = characteristic.surestWriteType
    if type == .withoutResponse { try await link.pairBeforehand() }
    job.begin()
    do {
      try await link.request {
        try await link.peripheral.writeValues(bytes, for: characteristic, type: type, timeout: Self.timeout)
      }
      return type == .withResponse ? .done() : .handedOver
    } catch let error as BLEError where error.mayHaveTakenEffect {
      return .unknown(Self.reason(error, link.title))
    }
  }

  private static func reason(_ error: any Error, _ device: String?) -> String {
    ErrorReport.understood(error, device: device, on: nil)?.message ?? "\(error)"
  }
}
