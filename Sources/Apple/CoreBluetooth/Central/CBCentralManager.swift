// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
public import Foundation

/// Scans for peripherals and connects to them.
///
/// All managers of a process share one connection to BlueZ. A manager reports everything on its queue, and
/// changes the state that the program sees only there.
///
/// It is Sendable because its state is locked.
open class CBCentralManager: CBManager, @unchecked Sendable {
  /// An optional ability of a machine.
  public struct Feature: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: UInt

    /// Makes a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Scanning for and connecting to devices that advertise on other channels.
    public static let extendedScanAndConnect = Feature(rawValue: 1 << 0)
  }

  private struct Contents {
    weak var delegate: (any CBCentralManagerDelegate)?
    var scan: Task<Void, Never>?
    /// Counts the scans: events of an earlier one are not reported.
    var scanNumber = 0
  }

  /// The pause before a scan that failed begins again, which doubles with each failure.
  private static let shortestPause = Duration.seconds(0.5)
  private static let longestPause = Duration.seconds(30)
  /// The longest delay of a connection in seconds; a longer one does not end in anybody's life.
  private static let longestDelay = 1e10

  let session: CentralSession
  private let contents = Lock(Contents())

  /// Returns whether the adapter has an ability; always false, since BlueZ decides by itself.
  open class func supports(_ features: Feature) -> Bool { false }

  /// Makes a manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Makes a manager.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Makes a manager, which connects to BlueZ in the background and then reports its state.
  ///
  /// - Parameters:
  ///   - delegate: the delegate, held weakly.
  ///   - queue: the queue for reports; nil means the main queue.
  ///   - options: `blectl.bus` selects a bus by its address, `blectl.adapter` an adapter by its name or
  ///     address.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil)
  {
    session = CentralSession(EngineKey(options), queue: queue)
    super.init(state: .unknown)
    contents.withLock { $0.delegate = delegate }
    session.begin(for: self)
  }

  deinit {
    contents.withLock { $0.scan }?.cancel()
    for peripheral in session.peripherals { peripheral.managerReleased() }
  }

  /// The delegate, held weakly.
  open weak var delegate: (any CBCentralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  // MARK: Scanning

  /// True if the manager is scanning.
  open var isScanning: Bool { contents.withLock { $0.scan != nil } }

  /// Scans; replaces an earlier scan of this manager.
  ///
  /// BlueZ: Adapter1.StartDiscovery, shared by all managers of the process.
  ///
  /// - Parameters:
  ///   - serviceUUIDs: report only peripherals that advertise any of these services; nil or none reports all.
  ///   - options: ``CBCentralManagerScanOptionAllowDuplicatesKey``.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard requirePower(), let central = session.engine.central else { return }
    let reportsDuplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
    if options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] != nil {
      Misuse.noticeOnce("BlueZ does not report solicited services: scans cannot look for them")
    }
    let filter = ScanFilter(services: (serviceUUIDs ?? []).map(\.value))
    let former = contents.withLock { contents in
      contents.scanNumber += 1
      let former = contents.scan
      contents.scan = scan(contents.scanNumber, with: central) {
        $0.scan(filter, reportsDuplicates: reportsDuplicates)
      }
      return former
    }
    former?.cancel()
  }

  /// Scans, and again after each failure: the program expects a scan to go on until the state changes.
  private func scan(
    _ number: Int, with central: CentralManager, _ begin: @escaping @Sendable (CentralManager) -> ScanResults
  ) -> Task<Void, Never> {
    var events = begin(central)
    return Task(executorPreference: session.engine.loop) { [weak session, weak self] in
      var pause = Self.shortestPause
      while true {
        do {
          var iterator = events.makeAsyncIterator()
          while let batch = try await iterator.nextBatch() {
            session?.found(batch.elements, inScan: number)
            pause = Self.shortestPause
          }
          return
        } catch {
          guard let error = error as? BLEError, await self?.goesOn(number, after: error) == true else {
            return
          }
          if pause == Self.shortestPause, !error.isOutage {
            Misuse.notice("the scan will begin again: \(error)")
          }
        }
        try? await session?.engine.loop.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
        guard !Task.isCancelled, let central = session?.engine.central else { return }
        events = begin(central)
      }
    }
  }

  /// Stops scanning; nothing is reported any more after this returns on the manager's queue.
  open func stopScan() {
    let scan = contents.withLock { contents in
      contents.scanNumber += 1
      return contents.scan.take()
    }
    scan?.cancel()
  }

  func isCurrent(scan number: Int) -> Bool {
    contents.withLock { $0.scanNumber == number && $0.scan != nil }
  }

  /// Returns whether a scan goes on after an error; else it has ended.
  private func goesOn(_ number: Int, after error: BLEError) async -> Bool {
    let isState = await session.engine.reportsAsState(error)
    let (goesOn, _) = contents.withLock { contents -> (Bool, Task<Void, Never>?) in
      guard contents.scanNumber == number, contents.scan != nil else { return (false, nil) }
      return isState || error.code == .cancelled ? (false, contents.scan.take()) : (true, nil)
    }
    return goesOn
  }

  func radioLost() { stopScan() }

  // MARK: Connecting

  /// Connects, however long the peripheral stays away; ``cancelPeripheralConnection(_:)`` ends the attempt.
  ///
  /// BlueZ: Device1.Connect, alternating with scans for the device.
  ///
  /// - Parameters:
  ///   - peripheral: the peripheral; the program must hold it, since its release closes the link.
  ///   - options: ``CBConnectPeripheralOptionEnableAutoReconnect`` and
  ///     ``CBConnectPeripheralOptionStartDelayKey``.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard requirePower(), requireOwn(peripheral) else { return }
    let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    let reconnects = options?[CBConnectPeripheralOptionEnableAutoReconnect] as? Bool ?? false
    peripheral.connect(reconnects: reconnects, after: .seconds(min(max(0, delay), Self.longestDelay)))
  }

  /// Gives up a link, or the attempt to connect.
  ///
  /// The link is closed if this library opened it, and no other manager or program uses it.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard requirePower(), requireOwn(peripheral) else { return }
    peripheral.cancelConnection()
  }

  private func requireOwn(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.session === session { return true }
    Misuse.report("\(peripheral) is not of \(self)")
    return false
  }

  // MARK: Known peripherals

  /// Returns the peripherals that BlueZ knows, or that this program has heard, by their identifiers.
  ///
  /// Of those that BlueZ forgot, the latest thousand are available.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard requirePower() else { return [] }
    return identifiers.compactMap { session.engine.devices[$0] }.map { session.peripheral(for: $0) }
  }

  /// Returns the peripherals with any of some services that any program connected.
  ///
  /// This manager must also connect them before they can be used.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard requirePower() else { return [] }
    return session.engine.devices.connected(with: serviceUUIDs.map(\.value)).map {
      session.peripheral(for: $0)
    }
  }

  /// Reports links of all programs from now on: all links, or those that the options select.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    let filter = options.map {
      ConnectionEventFilter(
        services: $0[.serviceUUIDs] as? [CBUUID] ?? [], identifiers: $0[.peripheralUUIDs] as? [UUID] ?? [])
    }
    session.setConnectionEvents(filter ?? ConnectionEventFilter(services: [], identifiers: []))
  }
}
