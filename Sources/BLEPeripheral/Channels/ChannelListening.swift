// SPDX-License-Identifier: MIT
internal import Glibc

/// What a socket needs that listens for channels.
enum ChannelListening {
  static func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}
