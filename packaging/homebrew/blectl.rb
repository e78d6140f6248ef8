# SPDX-License-Identifier: MIT
# The program of the release page for Homebrew on Linux. It belongs in the folder Formula of a tap.
# packaging/update.sh writes version, address and sums.
class Blectl < Formula
  desc "Bluetooth Low Energy for the shell"
  homepage "https://example.org/blectl"
  version "1.0.0"
  license "MIT"

  # It loads the libdbus of the system, which bluetoothd needs too.
  depends_on :linux

  on_intel do
    url "#{homepage}/releases/download/v#{version}/blectl-#{version}-linux-amd64.tar.xz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  end
  on_arm do
    url "#{homepage}/releases/download/v#{version}/blectl-#{version}-linux-arm64.tar.xz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  end

  def install
    inreplace Dir["lib/systemd/system/*.service"], %r{^ExecStart=\S*/bin/blectl }, "ExecStart=#{opt_bin}/blectl "
    prefix.install "bin", "lib", "share"
  end

  test do
    assert_equal "blectl #{version}\n", shell_output("#{bin}/blectl --version")
    assert_match "Battery", shell_output("#{bin}/blectl uuid 180f")
  end
end
