// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// Prepared writes, which bluetoothd collects and passes on when they are executed.
extension LocalDatabase {
  /// A contiguous part of a value.
  struct PreparedRun {
    let handle: UInt16
    let attribute: ApplicationAttribute
    let offset: Int
    var bytes: [UInt8]
  }

  /// How many runs bluetoothd keeps for a link.
  private static let runLimit = 30

  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping Answer
  ) {
    guard let source = source(of: handle) else { return answer(.failure(.invalidHandle)) }
    guard case .application(let attribute) = source else { return answer(.failure(.writeNotPermitted)) }
    if let refusal = refusalToWrite(attribute, over: link) { return answer(.failure(refusal)) }
    guard offset + bytes.count <= AttributeServer.maximumLength else {
      return answer(.failure(.invalidLength))
    }
    let run = PreparedRun(handle: handle, attribute: attribute, offset: offset, bytes: bytes)
    guard attribute.flags.isAuthorized else { return answer(keep(run, of: link)) }
    askForPermission(attribute, over: link) { [weak self] outcome in
      guard let self else { return }
      answer(outcome.flatMap { _ in self.keep(run, of: link) })
    }
  }

  /// Appends to the last run, or begins another one.
  private func keep(_ run: PreparedRun, of link: any PeripheralLink) -> Result<[UInt8], ATTErrorCode> {
    var runs = preparedRuns[ObjectIdentifier(link)] ?? []
    if let last = runs.last, last.handle == run.handle, last.offset + last.bytes.count == run.offset {
      runs[runs.count - 1].bytes += run.bytes
    } else if runs.count == LocalDatabase.runLimit {
      return .failure(.prepareQueueFull)
    } else {
      runs.append(run)
    }
    preparedRuns[ObjectIdentifier(link)] = runs
    return .success([])
  }

  /// Passes on what was prepared, or drops it.
  ///
  /// Several runs need `reliable-write` on each characteristic. They are passed on one after another; an error ends that,
  /// and what was passed on before stays written.
  func execute(over link: any PeripheralLink, isWritten: Bool, then answer: @escaping Answer) {
    let runs = preparedRuns.removeValue(forKey: ObjectIdentifier(link)) ?? []
    guard isWritten else { return answer(.success([])) }
    guard runs.count <= 1 || runs.allSatisfy(\.attribute.flags.isReliable) else {
      return answer(.failure(.requestNotSupported))
    }
    pass(runs[...], over: link, then: answer)
  }

  private func pass(
    _ runs: ArraySlice<PreparedRun>, over link: any PeripheralLink, then answer: @escaping Answer
  ) {
    guard let run = runs.first else { return answer(.success([])) }
    pass(run.bytes, at: run.offset, to: run.attribute, isPrepared: true, over: link) { [weak self] outcome in
      guard let self, case .success = outcome else { return answer(outcome) }
      pass(runs.dropFirst(), over: link, then: answer)
    }
  }
}
