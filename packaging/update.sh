#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Writes the version, the address of the repository (packaging/release.sh) and the sums of the archives into the packages, and the
# version into pages. The schemas of files have none: tests compare them with what the program accepts.
#
#   packaging/update.sh [DIST]     DIST/SHA256SUMS has the sums; without it, those of this version stay, and others become zeros
#   packaging/update.sh --check    fails if a file has others
#
# Pages that name the address, such as docs/testing.md, get the new one too.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packaging/release.sh
. packaging/release.sh

fail() {
  echo "packaging: $1" >&2
  [ $# = 1 ] || echo "hint: $2" >&2
  exit 1
}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version '$version' is not X.Y.Z"
[[ $repository =~ ^https://[^\ \|\&]+[^/]$ ]] || fail "REPOSITORY is '$repository', not https://HOST/PATH"
PKGBUILD=packaging/arch/PKGBUILD
has() { sed -n "s/^$1=//p" $PKGBUILD | tr -d "()'"; }

none=$(printf '0%.0s' {1..64})
sum() { # amd64|arm64 NAME-IN-PKGBUILD
  local file=blectl-$version-linux-$1.tar.xz
  if [ -n "$dist" ]; then
    grep -E "^[0-9a-f]{64} [ *]$file\$" "$dist/SHA256SUMS" | cut -d' ' -f1 || fail "$dist/SHA256SUMS does not list $file"
  elif [ "$(has pkgver)" = "$version" ]; then
    has "sha256sums_$2"
  else
    echo "$none"
  fi
}
check='' dist=''
case ${1-} in
  --check) check=yes ;;
  -*) fail "unknown option $1" ;;
  *) dist=${1-} ;;
esac
[ -z "$dist" ] || [ -r "$dist/SHA256SUMS" ] || fail "$dist/SHA256SUMS cannot be read" 'make release'
amd64=$(sum amd64 x86_64)
arm64=$(sum arm64 aarch64)
old=$(has url)

wrong=()
write() { # FILE SED-SCRIPT WANTED…: afterwards, FILE has each WANTED
  local new wanted
  new=$(sed -E "$2" "$1")
  for wanted in "${@:3}"; do
    grep -qF -- "$wanted" <<<"$new" || fail "$1 has no place for $wanted"
  done
  if [ -z "$check" ]; then
    [ "$new" = "$(cat "$1")" ] || printf '%s\n' "$new" | dd of="$1" status=none
  elif [ "$new" != "$(cat "$1")" ]; then
    wrong+=("$1")
  fi
}
release=$repository/releases
file=blectl-$version-linux

write packaging/install.sh "s|^version=.*|version=$version|; s|^repository=.*|repository=$repository|
  s|https://[^ ]*/releases/latest/|$release/latest/|" "version=$version" "repository=$repository" "$release/latest/"
write packaging/rpm/blectl.spec "s|^Version:.*|Version: $version|; s|^URL:.*|URL: $repository|
  s|^(%global sum_amd64) .*|\1 $amd64|; s|^(%global sum_arm64) .*|\1 $arm64|" \
  "Version: $version" "URL: $repository" "sum_amd64 $amd64" "sum_arm64 $arm64"
write packaging/nix/flake.nix "s|( version =) \".*\"|\1 \"$version\"|; s|( repository =) \".*\"|\1 \"$repository\"|
  /\"amd64\"/,/}/s|( sha256 =) \".*\"|\1 \"$amd64\"|; /\"arm64\"/,/}/s|( sha256 =) \".*\"|\1 \"$arm64\"|" \
  "version = \"$version\"" "repository = \"$repository\"" "$amd64" "$arm64"
write packaging/homebrew/blectl.rb "s|( version) \".*\"|\1 \"$version\"|; s|( homepage) \".*\"|\1 \"$repository\"|
  /on_intel/,/end/s|( sha256) \".*\"|\1 \"$amd64\"|; /on_arm/,/end/s|( sha256) \".*\"|\1 \"$arm64\"|" \
  " version \"$version\"" " homepage \"$repository\"" "$amd64" "$arm64"
write packaging/container/Containerfile "s|^(ARG VERSION)=.*|\1=$version|; s|(image.source)=[^ ]*|\1=$repository|" \
  "VERSION=$version" "source=$repository"
write packaging/arch/.SRCINFO "s|(\tpkgver =).*|\1 $version|; s|(\turl =).*|\1 $repository|
  s|(\tsource_x86_64 =).*|\1 $release/download/v$version/$file-amd64.tar.xz|; s|(\tsha256sums_x86_64 =).*|\1 $amd64|
  s|(\tsource_aarch64 =).*|\1 $release/download/v$version/$file-arm64.tar.xz|; s|(\tsha256sums_aarch64 =).*|\1 $arm64|" \
  "pkgver = $version" "url = $repository" "x86_64 = $amd64" "aarch64 = $arm64" "$file-amd64.tar.xz" "$file-arm64.tar.xz"
write docs/page.md "s|(\"version\":)\"[^\"]*\"|\1\"$version\"|" "\"version\":\"$version\""
# README names the packages.
write README.md "s/blectl_[0-9.]+-1_/blectl_$version-1_/g; s/blectl-[0-9.]+-linux-/blectl-$version-linux-/g"
# The last: the others read from it what was there.
write $PKGBUILD "s|^(pkgver)=.*|\1=$version|; s|^(url)=.*|\1=$repository|
  s|^(sha256sums_x86_64)=.*|\1=('$amd64')|; s|^(sha256sums_aarch64)=.*|\1=('$arm64')|" \
  "pkgver=$version" "url=$repository" "x86_64=('$amd64')" "aarch64=('$arm64')"

[ ${#wrong[@]} = 0 ] || fail "not of version $version, address $repository and the sums of $PKGBUILD: ${wrong[*]}" packaging/update.sh
if [ -z "$check" ] && [ "$old" != "$repository" ]; then
  git grep -lF "$old" -- '*.md' | while IFS= read -r page; do sed -i "s|$old|$repository|g" "$page"; done
fi
state=''
[ "$amd64" != "$none" ] || state=', without the sums of a release'
echo "packaging: version $version, $repository$state"
