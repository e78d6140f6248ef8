#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the text of the release page.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packaging/release.sh
. packaging/release.sh
cat <<END
What is new: [CHANGELOG.md]($repository/blob/v$version/CHANGELOG.md)

On Debian, Ubuntu and Raspberry Pi OS (64-bit), download the \`.deb\` of your architecture:

\`\`\`sh
sudo apt install ./blectl_$version-1_\$(dpkg --print-architecture).deb
\`\`\`

On other systems with glibc, this installs the archive in \`/usr/local\` (as root) or \`~/.local\`:

\`\`\`sh
curl -fsSL $repository/releases/download/v$version/install.sh | sh
\`\`\`

Check what you downloaded: the sums, and that the release workflow of this repository built it:

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
gh attestation verify blectl_$version-1_amd64.deb --repo ${repository#https://*/}
\`\`\`

\`blectl-$version-packaging.tar.xz\` has the files for Arch Linux, RPM, Nix, Homebrew and containers, with these sums.
END
