# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034  # others use the variables
# What a release is, in one place. packaging/update.sh writes version and address wherever they are needed.
version=$(sed -n 's/.*number = "\(.*\)"/\1/p' Sources/Tool/BlectlArguments/Arguments/ReleaseVersion.swift)
# The release workflow sets REPOSITORY to the repository that it runs in.
repository=${REPOSITORY:-https://example.org/blectl}
# The oldest glibc that its programs start with: Ubuntu 22.04's. RHEL 9 and Debian 11 have earlier ones, for which nothing can be
# built: the runtime of Swift 6.3 calls hypotf of 2.35, and the unwinder of GCC 12 _dl_find_object.
glibc=2.35
