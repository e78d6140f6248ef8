// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// The one agent that the manager registers with bluetoothd, and the people behind it.
///
/// Confined to the manager, which passes itself to what calls BlueZ.
final class AgentSession {
  /// Who answers questions, about one device or about all.
  final class Answerer {
    /// Why a pairing has failed on our side.
    enum Failure {
      case rejected
      case unanswered
      case cancelled
    }

    let agent: any PairingAgent
    /// The device that it pairs with; nil answers for every device.
    let devicePath: String?
    /// Whether it also wants the questions of pairings that no program began.
    let isDefault: Bool
    /// The last question that showed how the devices pair.
    var method: PairingMethod?
    var failure: Failure?
    /// Whether a question was refused or withdrawn, which ends the pairing.
    var isRefused = false
    /// The work of the pairing.
    var task: Task<Result<PairingOutcome, BLEError>, Never>?
    /// Whether the link is opened for it, and has to be closed if it fails.
    var opensLink = false
    /// Whether BlueZ has been asked to pair, and has not answered.
    var isAsked = false

    init(_ agent: any PairingAgent, for devicePath: String?, isDefault: Bool = false) {
      self.agent = agent
      self.devicePath = devicePath
      self.isDefault = isDefault
    }
  }

  /// What bluetoothd knows of our agent.
  struct Registration: Equatable {
    let capability: PairingCapability
    let isDefault: Bool
  }

  static let path = "/blectl/pairing/agent"
  static let root = "/blectl/pairing"

  /// The pairing under way: one at a time, since an agent gets one question at a time.
  private(set) var pairing: Answerer?
  /// Who answers whatever comes.
  private(set) var standing: Answerer?
  /// The turns of pairings.
  let pairings = SerialQueue()
  /// The turns of calls that register and unregister.
  let registering = SerialQueue()
  var registration: Registration?
  private(set) var questions: [AgentQuestion] = []
  private var lastNumber = 0

  /// The registration that is needed now; nil for none.
  var wanted: Registration? {
    guard let answerer = pairing ?? standing else { return nil }
    return Registration(capability: answerer.agent.capability, isDefault: standing?.isDefault ?? false)
  }

  func begin(pairing answerer: Answerer) { pairing = answerer }

  func endPairing() { pairing = nil }

  /// BlueZ has answered the call to pair with a device.
  func answered(_ devicePath: String) { if pairing?.devicePath == devicePath { pairing?.isAsked = false } }

  /// - Returns: false when somebody answers already.
  func begin(standing answerer: Answerer) -> Bool {
    guard standing == nil else { return false }
    standing = answerer
    return true
  }

  func endStanding() { standing = nil }

  /// Who answers a question about a device; nil refuses it.
  func answerer(for devicePath: String) -> Answerer? {
    pairing.flatMap { $0.devicePath == devicePath ? $0 : nil } ?? standing
  }

  /// A number that no other question has had.
  var nextNumber: Int { lastNumber + 1 }

  func add(_ question: AgentQuestion) {
    questions.append(question)
    lastNumber = question.number
  }

  /// An open question.
  func question(_ number: Int) -> AgentQuestion? { questions.first { $0.number == number } }

  func remove(_ question: AgentQuestion) { questions.removeAll { $0 === question } }
}
