# SPDX-License-Identifier: MIT
# The program of the release page for NixOS and Nix: nix run ./packaging/nix -- scan
# packaging/update.sh writes version, address and sums.
{
  description = "Bluetooth Low Energy for the shell";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      version = "1.0.0";
      repository = "https://example.org/blectl";
      archives = {
        x86_64-linux = {
          architecture = "amd64";
          sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
        };
        aarch64-linux = {
          architecture = "arm64";
          sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
        };
      };
      package =
        system: archive:
        let
          pkgs = nixpkgs.legacyPackages.${system};
          inherit (pkgs) lib;
        in
        pkgs.stdenv.mkDerivation {
          pname = "blectl";
          inherit version;
          src = pkgs.fetchurl {
            url = "${repository}/releases/download/v${version}/blectl-${version}-linux-${archive.architecture}.tar.xz";
            inherit (archive) sha256;
          };
          nativeBuildInputs = [ pkgs.autoPatchelfHook ];
          buildInputs = [
            pkgs.dbus
            pkgs.stdenv.cc.cc
          ];
          # The program loads these when a command needs them.
          runtimeDependencies = map lib.getLib [
            pkgs.mosquitto
            pkgs.openssl
            pkgs.sqlite
          ];
          # It is stripped already.
          dontStrip = true;
          installPhase = ''
            runHook preInstall
            mkdir -p $out
            cp -r bin lib share $out
            sed -i "s|^ExecStart=[^ ]*/bin/blectl |ExecStart=$out/bin/blectl |" $out/lib/systemd/system/*.service
            runHook postInstall
          '';
          meta = {
            description = "Bluetooth Low Energy for the shell";
            homepage = repository;
            license = lib.licenses.mit;
            mainProgram = "blectl";
            platforms = builtins.attrNames archives;
            sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
