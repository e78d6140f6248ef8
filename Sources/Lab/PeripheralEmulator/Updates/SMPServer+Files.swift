// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The groups of files, settings, counters and the shell.
extension SMPServer {
  // MARK: Files

  mutating func performFiles(_ request: SMPMessage) throws(Failure) -> CBORMap {
    let payload = request.payload
    switch (request.command, request.operation) {
    case (0, .read):
      let (file, offset) = (try file(payload), payload["off"]?.int ?? 0)
      guard (0...file.count).contains(offset) else { throw .file(12) }
      // Room for the header and the keys.
      let end = min(file.count, offset + max(1, spec.bufferSize - 64))
      var map: CBORMap = ["off": CBORValue(offset), "data": .bytes(Array(file[offset..<end]))]
      if offset == 0 { map["len"] = CBORValue(file.count) }
      return map
    case (0, .write): return try storeFile(payload)
    case (1, .read): return ["len": CBORValue(try file(payload).count)]
    case (2, .read): return try hash(payload)
    case (3, .read):
      return [
        "types": [
          "crc32": ["format": 0, "size": 4], "sha256": ["format": 1, "size": 32],
        ]
      ]
    case (4, .write): return [:]
    default: throw .unsupported
    }
  }

  private func name(_ payload: CBORMap) throws(Failure) -> String {
    guard let name = payload["name"]?.text, !name.isEmpty else { throw .invalid }
    return name
  }

  private func file(_ payload: CBORMap) throws(Failure) -> [UInt8] {
    let name = try name(payload)
    guard let file = files.first(where: { $0.name == name }) else { throw .file(3) }
    return file.bytes
  }

  private mutating func storeFile(_ payload: CBORMap) throws(Failure) -> CBORMap {
    let name = try name(payload)
    guard name.hasPrefix("/") else { throw .file(2) }
    guard let offset = payload["off"]?.int, let data = payload["data"]?.bytes else { throw .invalid }
    var index = files.firstIndex { $0.name == name }
    if offset == 0 {
      guard payload["len"]?.int != nil else { throw .invalid }
      if let index { files[index].bytes = [] } else { files.append(NamedBytes(name, [])) }
      index = files.firstIndex { $0.name == name }
    }
    guard let index else { throw .file(11) }
    guard offset == files[index].bytes.count else { return ["off": CBORValue(files[index].bytes.count)] }
    files[index].bytes += data
    return ["off": CBORValue(files[index].bytes.count)]
  }

  private func hash(_ payload: CBORMap) throws(Failure) -> CBORMap {
    let (file, offset) = (try file(payload), payload["off"]?.int ?? 0)
    guard (0...file.count).contains(offset) else { throw .file(12) }
    let rest = Array(file[offset..<min(file.count, offset + (payload["len"]?.int ?? file.count))])
    let type = payload["type"]?.text ?? "crc32"
    var map: CBORMap = ["type": .text(type)]
    if offset > 0 { map["off"] = CBORValue(offset) }
    map["len"] = CBORValue(rest.count)
    switch type {
    case "crc32": map["output"] = .unsigned(UInt64(CRC32.of(rest)))
    case "sha256": map["output"] = .bytes((try? SHA256.digest(of: rest)) ?? [])
    default: throw .file(13)
    }
    return map
  }

  // MARK: Settings

  mutating func performSettings(_ request: SMPMessage) throws(Failure) -> CBORMap {
    let payload = request.payload
    switch (request.command, request.operation) {
    case (0, .read):
      let name = try name(payload)
      guard let setting = settings.first(where: { $0.name == name }) else { throw Failure(3, group: 3) }
      let size = payload["max_size"]?.int ?? setting.bytes.count
      var map: CBORMap = ["val": .bytes(Array(setting.bytes.prefix(max(0, size))))]
      if size < setting.bytes.count { map["max_size"] = CBORValue(setting.bytes.count) }
      return map
    case (0, .write):
      let name = try name(payload)
      guard let value = payload["val"]?.bytes else { throw .invalid }
      if let index = settings.firstIndex(where: { $0.name == name }) {
        settings[index].bytes = value
      } else {
        settings.append(NamedBytes(name, value))
      }
      return [:]
    case (1, .write):
      let name = try name(payload)
      guard let index = settings.firstIndex(where: { $0.name == name }) else { throw Failure(3, group: 3) }
      settings.remove(at: index)
      return [:]
    case (2, .write), (3, _): return [:]
    default: throw .unsupported
    }
  }

  // MARK: Counters

  func statistics(_ request: SMPMessage) throws(Failure) -> CBORMap {
    let groups = spec.statistics ?? []
    guard request.operation == .read else { throw .unsupported }
    switch request.command {
    case 0:
      let name = try name(request.payload)
      guard let group = groups.first(where: { $0.name == name }) else { throw Failure(2, group: 2) }
      let fields = CBORMap(group.counters.map { ($0.name, CBORValue($0.value)) })
      return ["name": .text(name), "fields": .map(fields)]
    case 1: return ["stat_list": .array(groups.map { .text($0.name) })]
    default: throw .unsupported
    }
  }

  // MARK: The shell

  func performShell(_ request: SMPMessage) throws(Failure) -> CBORMap {
    guard request.command == 0, request.operation == .write else { throw .unsupported }
    guard let words = request.payload["argv"]?.array?.map({ $0.text ?? "" }), !words.isEmpty else {
      throw .invalid
    }
    let line = words.joined(separator: " ")
    if let answer = spec.shell?.first(where: { $0.name == line }) {
      return ["o": .text(answer.text), "ret": 0]
    }
    return ["o": .text("\(words[0]): command not found\n"), "ret": -8]
  }
}
