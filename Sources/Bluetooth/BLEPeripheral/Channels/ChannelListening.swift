// SPDX-License-Identifier: MIT
internal import Glibc

/// The functions for a socket that listens for channels.
enum ChannelListening {
  static func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}
