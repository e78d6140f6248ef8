// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// One pairing over a link, which bluetoothd and the kernel initiate: from the request to the key or a failure.
final class PairingProcess {
  enum Outcome {
    case paired(BondKey)
    /// Our side refused.
    case refused
    /// The peripheral refused, or noticed that the passkeys differ.
    case failed
    case canceled
    /// The peripheral did not answer in time.
    case timedOut
  }

  struct Request {
    /// The agent that is asked; without one, our side refuses.
    let agent: Agent?
    /// True if a client called Pair: "Just Works" then needs no permission.
    let isCalled: Bool
    /// The least security of the key.
    let level: LinkSecurity
  }

  private let request: Request
  private unowned let device: DeviceObject
  private let peer: PairingPeer
  private let daemon: DaemonContext
  private let finish: (Outcome) -> Void
  private var isOver = false
  /// True if the open question of the agent belongs to this pairing.
  private var isAsking = false
  private var deadline: TimerQueue.Token?
  /// The passkeys of the two sides.
  private var ours: UInt32?
  private var theirs: UInt32?

  /// Calls `finish` once.
  init(_ request: Request, with device: DeviceObject, then finish: @escaping (Outcome) -> Void) {
    self.request = request
    self.device = device
    peer = device.peripheral.pairing
    daemon = device.daemon
    self.finish = finish
  }

  func start() {
    guard request.agent != nil else { return end(.refused) }
    deadline = daemon.timers.schedule(after: daemon.timing.pairingTimeout) { [weak self] in
      self?.end(.timedOut)
    }
    after(daemon.timing.pairing) { $0.answered() }
  }

  /// A client cancels it, or the link is lost.
  func cancel() { end(.canceled) }

  private func after(_ delay: Duration, _ action: @escaping (PairingProcess) -> Void) {
    daemon.timers.schedule(after: delay) { [weak self] in if let self, !isOver { action(self) } }
  }

  private func end(_ outcome: Outcome) {
    guard !isOver else { return }
    isOver = true
    daemon.timers.cancel(deadline)
    if isAsking { request.agent?.withdraw(daemon.tree) }
    peer.ended()
    finish(outcome)
  }

  // MARK: The steps

  /// The peripheral has received the request.
  private func answered() {
    switch peer.spec.response {
    case .ignore: break
    case .refuse: end(.failed)
    case .accept:
      peer.decide(on: device.adapter.spec.address) { [weak self] isAccepted in
        guard let self, !isOver else { return }
        if isAccepted { choose() } else { end(.failed) }
      }
    }
  }

  private func choose() {
    guard let capability = request.agent?.capability else { return }
    switch AssociationModel(ours: capability, peer: peer.spec) {
    case .justWorks:
      guard peer.spec.protection != .required else { return end(.failed) }
      guard request.level <= .encrypted else { return end(.refused) }
      guard !request.isCalled else { return succeed(.encrypted) }
      ask("RequestAuthorization") { process, _ in process.succeed(.encrypted) }
    case .comparison: compare()
    case .peripheralShows: askForPasskey()
    case .weShow: showPasskey()
    case .bothType:
      askForPasskey()
      peer.askToType(shown: nil) { [weak self] passkey in self?.typed(theirs: passkey) }
    }
  }

  private func compare() {
    let number = UInt32.random(in: 0...999_999)
    peer.shown = number
    ask("RequestConfirmation", number) { process, _ in
      // Both users have to confirm.
      if process.peer.spec.confirms { process.succeed() } else { process.end(.failed) }
    }
    if !peer.spec.confirms { after(.zero) { $0.end(.failed) } }
  }

  /// Lets our user type what the peripheral shows, or what both type.
  private func askForPasskey() {
    if peer.spec.capability.hasDisplay {
      theirs = peer.spec.passkey ?? UInt32.random(in: 0...999_999)
      peer.shown = theirs
    }
    ask("RequestPasskey") { process, answer in
      if case .passkey(let passkey) = answer { process.typed(ours: passkey) }
    }
  }

  /// Lets the user of the peripheral type what we show.
  private func showPasskey() {
    let passkey = UInt32.random(in: 0...999_999)
    ours = passkey
    request.agent?.display(passkey, of: device.path, in: daemon)
    peer.askToType(shown: passkey) { [weak self] passkey in self?.typed(theirs: passkey) }
  }

  private func typed(ours: UInt32? = nil, theirs: UInt32? = nil) {
    self.ours = ours ?? self.ours
    self.theirs = theirs ?? self.theirs
    guard let ours = self.ours, let theirs = self.theirs else { return }
    after(daemon.timing.pairing) { process in
      if ours == theirs { process.succeed() } else { process.end(.failed) }
    }
  }

  /// The users of both sides were involved.
  private func succeed() { succeed(peer.spec.hasSecureConnections ? .secureConnections : .authenticated) }

  private func succeed(_ security: LinkSecurity) { end(.paired(daemon.medium.makeKey(security))) }

  // MARK: Questions

  private func ask(
    _ member: String, _ number: UInt32? = nil,
    then accepted: @escaping (PairingProcess, Agent.Answer) -> Void
  ) {
    isAsking = true
    let isVital = member == "RequestPasskey" && !request.isCalled
    request.agent?.ask(member, about: device.path, number, isVital: isVital, in: daemon) {
      [weak self] answer in
      guard let self, !isOver else { return }
      isAsking = false
      if case .refused = answer { end(.refused) } else { accepted(self, answer) }
    }
  }
}
