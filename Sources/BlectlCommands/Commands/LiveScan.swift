// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus

/// A scan on a terminal: a table that is drawn again as devices come, and stays at the end.
struct LiveScan {
  let session: Session
  /// End after this many devices.
  let maximum: Int?
  /// What distances are guessed from.
  let pathLoss: PathLoss

  private static let frameTime = Duration.milliseconds(200)
  /// How many devices are shown beyond their end: whoever makes up addresses must not fill the memory.
  private static let patience = 10_000

  private struct State {
    var devices: [Peripheral: PeripheralInfo] = [:]
    var region = LiveRegion()
    var hasChanged = true

    /// Forgets a device that is gone, when there are very many: the table keeps the others that are.
    mutating func forget(_ device: Peripheral) {
      guard devices.count > LiveScan.patience else { return }
      devices[device] = nil
      hasChanged = true
    }

    /// The strongest first; those without a strength at the end.
    var sorted: [PeripheralInfo] {
      devices.values.sorted { ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address) }
    }
  }

  func run(_ events: ScanResults, for duration: Duration?) async throws {
    let state = Lock(State())
    let (session, maximum) = (session, maximum)
    let drawing = Task(executorPreference: session.loop) {
      while !Task.isCancelled {
        try draw(state)
        try await session.loop.sleep(for: LiveScan.frameTime)
      }
    }
    let outcome: Result<Void, any Error>
    do {
      try await session.limited(to: duration) {
        for try await event in events {
          let count = state.withLock { state in
            if event.kind == .lost {
              state.forget(event.info.peripheral)
              return state.devices.count
            }
            state.devices[event.info.peripheral] = event.info
            state.hasChanged = true
            return state.devices.count
          }
          if count >= maximum ?? .max { return }
        }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    drawing.cancel()
    _ = await drawing.result
    try finish(state)
    try outcome.get()
    if state.withLock({ $0.devices.isEmpty }) { session.remark("no devices") }
  }

  private func lines(_ state: State) -> [String] {
    let output = session.console.output
    let rows = state.sorted.map { DeviceTable.scannedCells($0, pathLoss) }
    return DeviceTable.scanned.lines(rows: rows, width: output.size?.columns, style: output.style)
  }

  private func draw(_ state: Lock<State>) throws {
    let bytes = state.withLock { state -> [UInt8] in
      guard state.hasChanged else { return [] }
      state.hasChanged = false
      let count = state.devices.count
      let lines = self.lines(state) + ["scanning, \(count) device\(count == 1 ? "" : "s"); Ctrl-C ends"]
      return state.region.redraw(lines, size: session.console.output.size ?? .standard)
    }
    try session.console.write(bytes: bytes)
  }

  /// Leaves the whole table, however long, where the live one was; nothing of an empty one.
  private func finish(_ state: Lock<State>) throws {
    let (cleared, lines) = state.withLock { state in
      (state.region.clear(), state.devices.isEmpty ? [] : self.lines(state))
    }
    try session.console.write(bytes: cleared)
    try session.console.write(lines: lines)
  }
}
