// SPDX-License-Identifier: MIT
// Programs that import only CoreBluetooth can use Data, UUID and DispatchQueue, as on macOS.
@_exported public import Foundation
