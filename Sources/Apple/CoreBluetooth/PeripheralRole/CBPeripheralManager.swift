// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
public import Foundation

/// Offers services of this machine to centrals, and advertises them.
///
/// A manager reports everything on its queue. While Bluetooth is off, services stay and advertising pauses.
/// In a state below `poweredOff`, such as after the end of bluetoothd, both are forgotten: the program must
/// offer them again when the state is `poweredOn`.
///
/// It is Sendable because its state is locked.
open class CBPeripheralManager: CBManager, @unchecked Sendable {
  private struct Contents {
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var isAdvertising = false
    /// The number of the last request to advertise.
    var lastRequest = 0
    /// The request that the program has not taken back; nil if there is none.
    var request: Int?
    /// The values that wait to be sent.
    var updates = CBPeripheralManager.noUpdates
    /// Counts how many times these were forgotten.
    var round = 0
  }

  private static let noUpdates = Credits(limit: 16)

  let session: ServingSession
  private let contents = Lock(Contents())

  /// Returns the program's permission to act as a peripheral.
  @available(*, deprecated, message: "use CBManager.authorization")
  open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    authorization == .denied ? .denied : .authorized
  }

  /// Makes a manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Makes a manager.
  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Makes a manager, which connects to BlueZ in the background and then reports its state.
  ///
  /// - Parameters:
  ///   - delegate: the delegate, held weakly.
  ///   - queue: the queue for reports; nil means the main queue.
  ///   - options: `blectl.bus` selects a bus by its address, `blectl.adapter` an adapter by its name or
  ///     address.
  public init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    session = ServingSession(EngineKey(options), queue: queue)
    super.init(state: .unknown)
    contents.withLock { $0.delegate = delegate }
    session.begin(for: self)
  }

  deinit { session.end() }

  /// The delegate, held weakly.
  open weak var delegate: (any CBPeripheralManagerDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  /// True if the manager advertises; false while Bluetooth is off, and true again afterwards.
  open var isAdvertising: Bool { state == .poweredOn && contents.withLock { $0.isAdvertising } }

  func radioChanged(to radio: CBManagerState) {
    setState(radio)
    guard radio != .poweredOn else { return }
    contents.withLock { contents in
      if !radio.keepsServices { (contents.isAdvertising, contents.request) = (false, nil) }
      contents.updates = CBPeripheralManager.noUpdates
      contents.round += 1
    }
  }

  // MARK: Services

  /// Publishes a service; `didAdd` follows.
  ///
  /// The manager retains the service. Included services are published first, or with it. A service that includes
  /// published ones replaces them: connected centrals discover them again, and subscribe again.
  ///
  /// BlueZ: GattManager1.RegisterApplication, one for services that inclusion connects.
  open func add(_ service: CBMutableService) {
    guard requirePower(), let serving = session.serving else { return }
    let definitions: [ServiceDefinition]
    do throws(CBError) {
      definitions = try service.definitions(in: session)
    } catch {
      return session.reportAdded(service, error)
    }
    session.commands.add { [session] in
      do throws(BLEError) {
        try await session.services.publish(definitions, of: service, with: serving, in: session)
        session.reportAdded(service, nil)
      } catch {
        if error.code == .invalidDefinition { Misuse.notice("\(error)") }
        session.reportAdded(service, CBError(error.codeOfPublishing(service)))
      }
    }
  }

  /// Removes a published service; `didUnsubscribeFrom` follows for each of its subscribers.
  ///
  /// Services that include it must be removed first. The service may be removed while Bluetooth is off.
  open func remove(_ service: CBMutableService) {
    guard requireServices(), let serving = session.serving else { return }
    session.commands.add { [session] in
      await session.services.remove(service, with: serving, in: session)
    }
  }

  /// Removes all services, as ``remove(_:)`` does.
  open func removeAllServices() {
    guard requireServices() else { return }
    session.commands.add { [session] in
      let removed = session.services.removeAll()
      session.reportNoSubscribers(of: removed)
      await removed.end()
    }
  }

  /// Reports misuse if Bluetooth is neither on nor off: then there are no services and advertisements.
  private func requireServices() -> Bool { state == .poweredOff || requirePower() }

  // MARK: Advertising

  /// Starts advertising; `peripheralManagerDidStartAdvertising` follows.
  ///
  /// BlueZ: LEAdvertisingManager1.RegisterAdvertisement. The name is sent in the scan response.
  ///
  /// - Parameter advertisementData: name and services, and, unlike on macOS, also manufacturer data, service
  ///   data and the transmit power. Excess data is omitted, with a notice on standard error.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard requirePower(), let serving = session.serving else { return }
    let request = contents.withLock { contents -> Int? in
      guard contents.request == nil else { return nil }
      contents.lastRequest += 1
      contents.request = contents.lastRequest
      return contents.request
    }
    guard let request else {
      return session.report { manager, delegate in
        delegate?.peripheralManagerDidStartAdvertising(manager, error: CBError(.alreadyAdvertising))
      }
    }
    let wanted = AdvertisementDictionary(advertisementData ?? [:])
    session.commands.add { [session] in
      var failure: CBError?
      do throws(BLEError) {
        session.started(request, try await serving.start(wanted), by: serving)
      } catch {
        failure = CBError(error.codeOfAdvertising)
      }
      let error = failure
      session.report { manager, delegate in
        manager.concluded(request, error)
        delegate?.peripheralManagerDidStartAdvertising(manager, error: error)
      }
    }
  }

  /// Handles the outcome of a request to advertise, which the program may have taken back.
  private func concluded(_ request: Int, _ error: CBError?) {
    let isWanted = contents.withLock { contents in
      guard contents.request == request else { return false }
      if error == nil { contents.isAdvertising = true } else { contents.request = nil }
      return true
    }
    if error == nil, !isWanted { session.stopAdvertising(request) }
  }

  /// Stops advertising, also while Bluetooth is off.
  open func stopAdvertising() {
    guard requireServices() else { return }
    let request = contents.withLock { contents in
      contents.isAdvertising = false
      return contents.request.take()
    }
    if let request { session.stopAdvertising(request) }
  }

  // MARK: Requests and values

  /// Answers a request; the answer to the first of several writes answers all of them.
  ///
  /// It must come within 500 ms; after that the central gets an error.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    if !request.respond(result) { Misuse.report("\(request) was answered before, or too late") }
  }

  /// Sends a value to the subscribed centrals.
  ///
  /// The value goes to all of them: signals of BlueZ reach every subscriber.
  ///
  /// - Parameters:
  ///   - value: the value; each central gets its `maximumUpdateValueLength` and at most 512 bytes.
  ///   - characteristic: a characteristic of a published service.
  ///   - centrals: nil for all; other centrals get the value, too.
  /// - Returns: whether there was room; if not, `peripheralManagerIsReady` follows.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard requirePower() else { return false }
    guard let published = session.services.published(characteristic) else {
      Misuse.report("\(characteristic) is not of a published service")
      return false
    }
    // BlueZ may notify a central that is not known to be subscribed.
    guard session.services.track({ $0.isNotified(published) }) else { return true }
    let subscribers = characteristic.subscribedCentrals ?? []
    if let centrals, !subscribers.allSatisfy({ centrals.contains($0) }) {
      Misuse.noticeOnce("values go to all centrals that have subscribed, whichever are named")
    }
    let round = contents.withLock { $0.updates.take() ? $0.round : nil }
    guard let round else { return false }
    session.updates.add { [session, weak self] in
      do throws(BLEError) {
        // While bluetoothd hangs, there is no room.
        try await published.send(Array(value.prefix(512)), timeout: nil)
      } catch {
        // With the service, its subscribers end.
        if ![.notFound, .cancelled].contains(error.code), !error.isOutage { Misuse.notice("\(error)") }
      }
      let isRoomAwaited = self?.contents.withLock { $0.round == round && $0.updates.giveBack() }
      guard isRoomAwaited == true else { return }
      session.report { manager, delegate in
        delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager)
      }
    }
    return true
  }

  // MARK: Channels

  /// Offers an L2CAP channel; `didPublishL2CAPChannel` follows, with its number, then `didOpen` for each central that
  /// opens it.
  ///
  /// BlueZ: none of its calls. The channel is a socket of the kernel, which chooses a number of 128 to 255.
  ///
  /// - Parameter encryptionRequired: whether the link must be encrypted, so that the devices must pair.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard requirePower(), let serving = session.serving else { return }
    session.commands.add { [session] in
      do throws(BLEError) {
        let offer = try await serving.publishChannel(security: encryptionRequired ? .encrypted : .none)
        session.report { manager, delegate in
          delegate?.peripheralManager(manager, didPublishL2CAPChannel: offer.psm, error: nil)
        }
        session.offers.begin(offer, in: session)
      } catch {
        let code = error.cbCode
        session.report { manager, delegate in
          delegate?.peripheralManager(manager, didPublishL2CAPChannel: 0, error: CBError(code))
        }
      }
    }
  }

  /// Offers a channel no longer; `didUnpublishL2CAPChannel` follows.
  ///
  /// Channels that are open stay.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard requirePower() else { return }
    session.commands.add { [session] in
      let error = await session.offers.end(PSM) ? nil : CBError(.invalidParameters)
      session.report { manager, delegate in
        delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: PSM, error: error)
      }
    }
  }

  // MARK: What BlueZ does not have

  /// Does nothing: BlueZ does not let programs choose the latency of a link.
  open func setDesiredConnectionLatency(
    _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
  ) {
    Misuse.noticeOnce("BlueZ does not let programs choose the latency of a link")
  }
}

extension ServingSession {
  fileprivate func reportAdded(_ service: CBMutableService, _ error: CBError?) {
    report { manager, delegate in delegate?.peripheralManager(manager, didAdd: service, error: error) }
  }
}

extension PeripheralManager {
  /// Advertises the part that fits.
  fileprivate func start(_ wanted: AdvertisementDictionary) async throws(BLEError) -> Advertising {
    var wanted = wanted
    while true {
      do throws(BLEError) {
        return try await startAdvertising(wanted.advertisement)
      } catch {
        guard error.code == .invalidLength, wanted.dropService() else { throw error }
      }
    }
  }
}

extension BLEError {
  fileprivate var codeOfAdvertising: CBError.Code {
    switch code {
    case .notPermitted, .invalidLength: .outOfSpace
    default: cbCode
    }
  }

  /// Programs cannot publish BlueZ's own services.
  fileprivate func codeOfPublishing(_ service: CBMutableService) -> CBError.Code {
    let uuids = [service.uuid] + (service.characteristics ?? []).map(\.uuid)
    let own = [CBUUID(string: "1800"), CBUUID(string: "1801")]
    return uuids.contains { own.contains($0) } ? .uuidNotAllowed : cbCode
  }
}

/// The latency of a link, which determines how often a central asks for data.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Often.
  case low = 0
  /// Less often.
  case medium
  /// Seldom, to save power.
  case high
}
