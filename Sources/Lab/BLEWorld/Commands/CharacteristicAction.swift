// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// Something that happens to a characteristic of a peripheral.
package typealias CharacteristicAction = ScopedCommand<CharacteristicScope>

package enum CharacteristicScope {
  static let commands: [any Command.Type] = [
    SetValue.self, RepeatCharacteristic.self, SlowAnswer.self, NoAnswer.self, AnswerError.self,
    HealCharacteristic.self,
  ]
}

/// The effect of a command on a characteristic.
package enum CharacteristicEffect {
  case setValue([UInt8])
  case repeatProperties
  case begin(AnswerFault)
  case heal
}

protocol CharacteristicCommand: Command {
  var effect: CharacteristicEffect { get }
}

/// A command that starts a faulty answer.
protocol AnswerCommand: CharacteristicCommand {
  var fault: AnswerFault { get }
}

extension AnswerCommand {
  static var isStanding: Bool { true }
  var undoing: (any Command)? { HealCharacteristic() }
  var limit: String? { fault.operation == .subscribe ? "BlueZ answers subscriptions by itself" : nil }
  var effect: CharacteristicEffect { .begin(fault) }
}

extension CharacteristicAction {
  package var effect: CharacteristicEffect? { (command as? any CharacteristicCommand)?.effect }

  /// The faulty answer that it starts, if any.
  package var answerFault: AnswerFault? { (command as? any AnswerCommand)?.fault }
}

private struct SetValue: CharacteristicCommand {
  static let word = "set-value"
  static let about = "Sets the value and notifies subscribed clients."
  static let keys: [Field<Self>] = [.required("value", \.value, .value, "The value.")]
  var limit: String? { nil }
  var value: [UInt8] = []
  var effect: CharacteristicEffect { .setValue(value) }
}

private struct RepeatCharacteristic: CharacteristicCommand {
  static let word = "repeat-characteristic"
  static let about = "The daemon signals all its properties again although none has changed."
  var limit: String? { "only a simulated BlueZ signals properties again" }
  var effect: CharacteristicEffect { .repeatProperties }
}

private struct SlowAnswer: AnswerCommand {
  static let word = "slow-answer"
  static let about = "Requests are answered late."
  static let keys: [Field<Self>] = [.delay(\.delay), .operation(\.operation), .times(\.times)]
  var delay = Duration.zero
  var operation: AnswerFault.Operation?
  var times: Int?
  var fault: AnswerFault { AnswerFault(.late(delay), to: operation, times: times) }
}

private struct NoAnswer: AnswerCommand {
  static let word = "no-answer"
  static let about = "Requests are never answered."
  static let keys: [Field<Self>] = [.operation(\.operation), .times(\.times)]
  var operation: AnswerFault.Operation?
  var times: Int?
  var fault: AnswerFault { AnswerFault(.never, to: operation, times: times) }
}

private struct AnswerError: AnswerCommand {
  static let word = "att-error"
  static let about = "Requests are answered with an ATT error."
  static let keys: [Field<Self>] = [
    .required("code", \.code, .attError, "The error code."), .operation(\.operation), .times(\.times),
  ]
  var code: UInt8 = 0
  var operation: AnswerFault.Operation?
  var times: Int?
  var fault: AnswerFault { AnswerFault(.error(code), to: operation, times: times) }
}

private struct HealCharacteristic: CharacteristicCommand {
  static let word = "heal-characteristic"
  static let about = "Requests are answered normally again."
  var limit: String? { nil }
  var effect: CharacteristicEffect { .heal }
}

extension CharacteristicAction {
  package static func setValue(_ value: [UInt8]) -> Self { Self(SetValue(value: value)) }
  package static var repeatProperties: Self { Self(RepeatCharacteristic()) }
  package static var heal: Self { Self(HealCharacteristic()) }
  package static func answer(_ fault: AnswerFault) -> Self {
    switch fault.answer {
    case .late(let delay): Self(SlowAnswer(delay: delay, operation: fault.operation, times: fault.times))
    case .never: Self(NoAnswer(operation: fault.operation, times: fault.times))
    case .error(let code): Self(AnswerError(code: code, operation: fault.operation, times: fault.times))
    }
  }
}

/// A characteristic of a peripheral.
package struct CharacteristicReference: Sendable, Equatable {
  /// The address of the peripheral.
  package var device: String
  /// The service that contains it; nil for any.
  package var service: BluetoothUUID?
  /// Stands for the first characteristic with this UUID.
  package var uuid: BluetoothUUID

  package init(device: String, service: BluetoothUUID? = nil, uuid: BluetoothUUID) {
    self.device = device
    self.service = service
    self.uuid = uuid
  }
}
