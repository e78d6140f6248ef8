// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// One pairing over a link, which bluetoothd and the kernel initiate: from the request to the key, or to a failure.
final class PairingProcess {
  enum Outcome {
    case paired(BondKey)
    /// Our side has refused.
    case refused
    /// The peripheral has refused, or has noticed that the passkeys differ.
    case failed
    /// It was cancelled, or the link is lost.
    case canceled
    /// The peripheral did not answer in time.
    case timedOut
  }

  /// What a pairing is for.
  struct Request {
    /// The agent that is asked; none refuses.
    let agent: Agent?
    /// Whether a client has called Pair: "Just Works" then asks nobody.
    let isCalled: Bool
    /// The least security of its key.
    let level: LinkSecurity
  }

  private let request: Request
  private let device: String
  private let address: String
  private let peer: PairingPeer
  private let daemon: DaemonContext
  private let finish: (Outcome) -> Void
  private var isOver = false
  /// Whether the agent's open question is of this pairing.
  private var isAsking = false
  private var deadline: TimerQueue.Token?
  /// The passkey of each side, where both type.
  private var ours: UInt32?
  private var theirs: UInt32?

  /// - Parameters:
  ///   - request: what it is for.
  ///   - device: the path of the device.
  ///   - address: our address.
  ///   - peer: the peripheral's side.
  ///   - daemon: the daemon.
  ///   - finish: called once, with the outcome.
  init(
    _ request: Request, of device: String, from address: String, with peer: PairingPeer,
    in daemon: DaemonContext,
    then finish: @escaping (Outcome) -> Void
  ) {
    self.request = request
    self.device = device
    self.address = address
    self.peer = peer
    self.daemon = daemon
    self.finish = finish
  }

  func start() {
    guard request.agent != nil else { return end(.refused) }
    deadline = daemon.timers.schedule(after: daemon.timing.pairingTimeout) { [weak self] in
      self?.end(.timedOut)
    }
    after(daemon.timing.pairing) { $0.answered() }
  }

  /// Ends it from outside: a client has cancelled it, or the link is lost.
  func cancel() { end(.canceled) }

  private func after(_ delay: Duration, _ action: @escaping (PairingProcess) -> Void) {
    daemon.timers.schedule(after: delay) { [weak self] in
      if let self, !isOver { action(self) }
    }
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
      peer.decide(on: address) { [weak self] isAccepted in
        guard let self, !isOver else { return }
        if isAccepted { choose() } else { end(.failed) }
      }
    }
  }

  private func choose() {
    guard let capability = request.agent?.capability else { return }
    let needsUser = request.level > .encrypted
    let model = AssociationModel(ours: capability, isAuthenticated: needsUser, peer: peer.spec)
    switch model {
    case .justWorks:
      guard peer.spec.protection != .required else { return end(.failed) }
      guard !needsUser else { return end(.refused) }
      if request.isCalled { succeed(.encrypted) } else { askForPermission() }
    case .comparison: compare()
    case .peripheralShows: askForPasskey()
    case .weShow: showPasskey()
    case .bothType:
      askForPasskey()
      peer.askToType(shown: nil) { [weak self] passkey in self?.typed(theirs: passkey) }
    }
  }

  private func askForPermission() {
    ask("RequestAuthorization") { process, _ in process.succeed(.encrypted) }
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
    request.agent?.display(passkey, of: device, in: daemon)
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
  private func succeed() {
    succeed(peer.spec.hasSecureConnections ? .secureConnections : .authenticated)
  }

  private func succeed(_ security: LinkSecurity) {
    end(.paired(daemon.medium.makeKey(security)))
  }

  // MARK: Questions

  private func ask(
    _ member: String, _ number: UInt32? = nil,
    then accepted: @escaping (PairingProcess, Agent.Answer) -> Void
  ) {
    isAsking = true
    let isVital = member == "RequestPasskey" && !request.isCalled
    request.agent?.ask(member, about: device, number, isVital: isVital, in: daemon) { [weak self] answer in
      guard let self, !isOver else { return }
      isAsking = false
      if case .refused = answer { end(.refused) } else { accepted(self, answer) }
    }
  }
}
