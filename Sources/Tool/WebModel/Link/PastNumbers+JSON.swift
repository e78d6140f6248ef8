// SPDX-License-Identifier: MIT
internal import Histories
internal import JSON

extension PastNumbers {
  /// Writes the fields of a message; a point is `[time, first, low, high, last]`, and `null` a gap before it.
  func write(to json: inout JSONWriter) {
    json.field("address", address)
    json.field("name", name)
    json.field("source", source)
    json.field("field", field)
    json.field("first", first)
    json.field("last", last)
    json.array("points") { json in
      for bucket in buckets {
        if bucket.followsGap { json.literal("null") }
        json.value([bucket.time, bucket.first, bucket.low, bucket.high, bucket.last])
      }
    }
  }

  /// Nil if the node is another message.
  init?(_ node: JSONNode) {
    guard let address = node["address"]?.string, let source = node["source"]?.string,
      let field = node["field"]?.string, let first = node["first"]?.string,
      let last = node["last"]?.string, let points = node["points"]?.elements
    else { return nil }
    var buckets: [ChartHistory.Bucket] = []
    var followsGap = false
    for point in points {
      guard let numbers = point.elements?.compactMap(\.measured), numbers.count == 5 else {
        followsGap = true
        continue
      }
      buckets.append(
        ChartHistory.Bucket(
          time: numbers[0], first: numbers[1], low: numbers[2], high: numbers[3], last: numbers[4],
          followsGap: followsGap))
      followsGap = false
    }
    self.init(
      address: address, name: node["name"]?.string, source: source, field: field, first: first, last: last,
      buckets: buckets)
  }
}
