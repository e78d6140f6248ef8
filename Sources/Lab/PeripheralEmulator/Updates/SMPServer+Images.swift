// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The group of images.
extension SMPServer {
  /// The bytes at the end of a slot in which the boot loader keeps its notes.
  private static let trailer = 0x1000

  mutating func performImage(_ request: SMPMessage) throws(Failure) -> CBORMap? {
    switch (request.command, request.operation) {
    case (0, .read): return imageStates
    case (0, .write): return try choose(request.payload)
    case (1, .write): return try take(request.payload)
    case (5, .write): return try erase(request.payload)
    case (6, .read): return slotSizes
    default: throw .unsupported
    }
  }

  // MARK: States

  private var imageStates: CBORMap {
    var states: [CBORValue] = []
    for (number, image) in images.enumerated() {
      for (index, slot) in image.slots.enumerated() {
        guard let content = slot.image else { continue }
        var map: CBORMap = [:]
        if images.count > 1 { map["image"] = CBORValue(number) }
        map["slot"] = CBORValue(index)
        map["version"] = .text(content.version.description)
        map["hash"] = .bytes(content.hash)
        map["bootable"] = true
        map["pending"] = .bool(image.isPending(index))
        map["confirmed"] = .bool(image.isKept(index))
        map["active"] = .bool(index == image.active && (number == 0 || spec.activeImages == .each))
        map["permanent"] = .bool(slot.isPermanent && image.isPending(index))
        states.append(.map(map))
      }
    }
    return ["images": .array(states), "splitStatus": 0]
  }

  /// Tests or confirms an image; without a hash, confirms the one that runs.
  private mutating func choose(_ payload: CBORMap) throws(Failure) -> CBORMap {
    let confirms = payload["confirm"]?.flag ?? false
    if confirms, let code = spec.faults.refusesConfirm { throw .image(code) }
    if !confirms, let code = spec.faults.refusesTest { throw .image(code) }
    guard spec.mode != .directXIP else { throw .unsupported }
    guard let hash = payload["hash"]?.bytes else {
      guard confirms else { throw .image(24) }
      images[0].confirmRunning()
      return imageStates
    }
    for number in images.indices {
      let image = images[number]
      if image.running?.hash == hash {
        guard confirms else { throw .image(33) }
        if number > 0, spec.activeImages == .application { throw Failure(1) }
        images[number].confirmRunning()
        return imageStates
      }
      if image.slots[image.spare].image?.hash == hash {
        // The firmware before the one on trial comes back by itself.
        if image.isOnTrial { throw .image(28) }
        images[number].choose(isPermanent: confirms)
        return imageStates
      }
    }
    throw .image(8)
  }

  private var slotSizes: CBORMap {
    [
      "images": .array(
        images.enumerated().map { number, image in
          let slots = [0, 1].map { slot in
            var map: CBORMap = ["slot": CBORValue(slot), "size": CBORValue(spec.slotSize)]
            if slot == image.spare { map["upload_image_id"] = CBORValue(number) }
            return CBORValue.map(map)
          }
          return [
            "image": CBORValue(number), "slots": .array(slots),
            "max_image_size": CBORValue(spec.slotSize - Self.trailer),
          ]
        })
    ]
  }

  private mutating func erase(_ payload: CBORMap) throws(Failure) -> CBORMap {
    let slot = payload["slot"]?.int ?? images[0].spare
    guard slot >= 0, slot / 2 < images.count else { throw .image(14) }
    let (number, index) = (slot / 2, slot % 2)
    let image = images[number]
    guard index != image.active, !image.isPending(index), !image.isOnTrial else { throw .image(9) }
    images[number].erase(index)
    if upload?.image == number { upload = nil }
    before.append(.pause(spec.eraseTime))
    return [:]
  }

  // MARK: Uploads

  private mutating func take(_ payload: CBORMap) throws(Failure) -> CBORMap? {
    guard let offset = payload["off"]?.int, let data = payload["data"]?.bytes, offset >= 0 else {
      throw .invalid
    }
    uploadPackets += 1
    if let interval = spec.faults.busyEvery, uploadPackets % interval == 0 {
      throw Failure(10, offset: upload?.offset ?? 0)
    }
    if offset == 0 {
      let number = payload["image"]?.int ?? 0
      let size = try checkBeginning(payload, data, image: number)
      let digest = payload["sha"]?.bytes
      if let upload, upload.image == number, upload.size == size, upload.digest == digest, digest != nil,
        upload.offset > 0
      {
        return ["off": CBORValue(upload.offset)]
      }
      images[number].erase(images[number].spare)
      upload = Upload(image: number, size: size, digest: digest)
      if spec.eraseTime > .zero { before.append(.pause(spec.eraseTime)) }
    }
    // Unknown or out of order: the answer tells the byte that is wanted.
    guard let upload, offset == upload.offset else { return ["off": CBORValue(upload?.offset ?? 0)] }
    guard offset + data.count <= upload.size else { throw .image(31) }
    switch faults.take(offset..<offset + data.count, &before) {
    case .lost, .hungUp: return nil
    case .stored: return store(data, upload)
    }
  }

  /// Checks the first packet of an upload, and returns the size of the firmware.
  private func checkBeginning(_ payload: CBORMap, _ data: [UInt8], image number: Int) throws(Failure) -> Int {
    if let code = spec.faults.refusesUpload { throw .image(code) }
    guard let size = payload["len"]?.int, size > 0 else { throw .image(21) }
    guard images.indices.contains(number) else { throw .image(9) }
    if let digest = payload["sha"]?.bytes, digest.count != 32 { throw .invalid }
    guard data.count >= min(size, 32) else { throw .image(22) }
    guard let version = MCUbootImage.version(inHeader: data) else { throw .image(23) }
    guard size <= spec.slotSize - Self.trailer else { throw .image(30) }
    let image = images[number]
    if image.isPending(image.spare) { throw .image(28) }
    // The other slot has the firmware that comes back unless the running one is confirmed.
    if image.isOnTrial { throw .image(9) }
    if payload["upgrade"]?.flag == true, let running = image.running, version <= running.version {
      throw .image(27)
    }
    return size
  }

  private mutating func store(_ data: [UInt8], _ current: Upload) -> CBORMap {
    let slot = images[current.image].spare
    images[current.image].slots[slot].bytes += faults.stored(data, at: current.offset)
    var next = current
    next.offset += data.count
    upload = next
    if spec.writeTime > .zero { before.append(.pause(spec.writeTime)) }
    var answer: CBORMap = ["off": CBORValue(next.offset)]
    if next.offset == next.size {
      upload = nil
      if let digest = next.digest {
        let stored = try? SHA256.digest(of: images[current.image].slots[slot].bytes)
        answer["match"] = .bool(stored == digest)
      }
    }
    return answer
  }
}
