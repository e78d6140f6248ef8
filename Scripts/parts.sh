# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034  # Scripts/test.sh plays them
# The parts of the tests, and the command of each of their pieces. docs/testing-parts.md says what each part guards.
pieces=()
declare -A commands
piece() { # PART[/PIECE] COMMAND…
  local name=$1
  shift
  pieces+=("$name") commands[$name]=${*@Q}
}
tests=Scripts/parts/tests.sh
rig=Scripts/parts/rig.sh

# First, since others run what these build and install.
piece static Scripts/check.sh
piece build/tests Scripts/built.sh --tests
piece build/tools Scripts/parts/tools.sh
piece build/release Scripts/parts/release.sh

# The contract on the simulator. Suites that start many commands wait in real time, so they run beside the others; so do those
# in which links, adapters and the bus are lost.
commanding='Contract/(BackToBack|ChangedFirmware|ChangingBeacons|Commands|LinkBenches|LiveScan|PairingCommands|ParallelPrograms|Serial|Snapshots)'
losing='Contract/(DeviceDoctor|Listening|Reconnecting|Scripts|ServingCommands|ServingSerial|Streams)'
piece contract/losses $tests --filter "$losing" --no-parallel
piece contract/others $tests --filter ContractTests --skip "$commanding|$losing" --no-parallel
piece contract/commands $tests --filter "$commanding" --no-parallel

# Tests that wait more than they compute run several at a time, where they share nothing.
together=(--experimental-maximum-parallelization-width 6)
# Each example, help text and error message.
messages='EndToEndTests.(Example|Fault|Help|Situation|SituationDocument)Tests'
piece command-line/end-to-end $tests --filter EndToEndTests --skip "$messages" "${together[@]}"
piece command-line/messages $tests --filter "$messages" "${together[@]}"

piece unit $tests --skip ContractTests --skip EndToEndTests --no-parallel

# Builds of their own, in what the others leave of the processors.
piece swift-6.2 nice Tests/System/Swift62/run.sh
piece sanitizers/thread nice Scripts/parts/sanitizers.sh thread
piece sanitizers/address nice Scripts/parts/sanitizers.sh address
piece fuzzers nice Scripts/fuzz.sh "${FUZZ_SECONDS:-8}"

# The contract as other versions of BlueZ behave, without the suites that last long and do not depend on the version; and over
# slow links, where packets cross a link. ConfirmedWrites and SlowLinks choose the time of a packet themselves.
lasting='Contract/(BackToBack|ConfirmedWrites|Scripts|Streams)'
linked='Contract/(BackToBack|Links|Notification|SharedLinks|Streams)'
for version in 5.82 5.87; do
  piece contract-versions/$version env BLECTL_CONTRACT_BLUEZ=$version $tests --filter ContractTests --skip "$lasting" --no-parallel
done
piece contract-versions/slow env BLECTL_CONTRACT_PACKET_TIME=30ms $tests --filter "$linked" --no-parallel

piece packages/docs nice Scripts/docs.sh
piece packages/examples nice Tests/System/Examples/run.sh
piece packages/testing nice Tests/System/Testing/run.sh
piece packages/core-bluetooth nice Tests/System/CoreBluetooth/run.sh

# Two builds of each architecture, in folders of their own.
piece release nice Tests/System/Release/run.sh

# Whole programs. Those that take longest stand first, so that none is left over at the end.
for folder in Chaos Screens Log Clients Fidelity Update HomeAssistant Brokers Gateway Page Proxy Completions Hosts Comparison \
  Recipes StartUp Manual Serial; do
  piece "systems/${folder,,}" Tests/System/$folder/run.sh
done

# A real bluetoothd, each piece in a virtual machine of its own. `core` is a look at each role in which versions of BlueZ and the
# simulator could differ, without commands and long waits.
piece real/core $rig 'Contract/(Links|Notification|Scanning|Values)'
# Those that wait longest.
outages='Contract/(Commands|Listening|Outages|Pairing|Reconnecting|Streams)'
piece real/outages $rig "$outages"
piece real/slow env BLECTL_CONTRACT_PACKET_TIME=30ms $rig "$linked" --env BLECTL_CONTRACT_PACKET_TIME
# Those that need two adapters.
serving='Contract/(ChangingBeacons|Channels|OwnDevices|ReleasedManagers|Serving(?!Serial)|SharedClient|TwoAdapters)'
# Packets must not overtake each other between two adapters, as they do on the three channels of BlueZ 5.66.
ordered='Contract/ServingSerial'
# Each command of the documentation, twice: only with slow packets does a link that is going down stay longest in the way of
# the second command.
twice='Contract/BackToBack'
piece real/5.66 Scripts/parts/recording.sh 5.66 ContractTests "$outages|$serving|$ordered|$twice"
piece real/serving $rig "$serving" --adapters 2
piece real/serial $rig "$ordered" --adapters 2 --bluetoothd "--configfile=$PWD/Tests/System/Rig/one-channel.conf"
# Pairing is not among them: when a device does not answer, Linux 6.1 fails under 5.82.
essential='Contract/(ChangedFirmware|Events|Links|Notification|Scanning|SlowLinks|Values)|Contract/Reconnecting/(bus|limit|refusal|stayWithout)'
for version in 5.82 5.87; do
  piece real/$version Scripts/parts/recording.sh $version "$essential" "$twice"
done
piece real/examples Scripts/parts/real-examples.sh
piece real/proxy Tests/System/Proxy/run.sh --real
piece real/core-bluetooth Tests/System/CoreBluetooth/run.sh --real
# Functions that bluetoothd offers only with its experimental features.
piece real/experimental $rig Contract/Passive --adapters 2 --bluetoothd -E --env BLECTL_CONTRACT_EXPERIMENTAL=1
# A device that has lost its bond makes Linux 6.1 fail, and bluetoothd with it.
piece real/bonds $rig Contract/Pairing/lostByPeer --survive-oops --env BLECTL_CONTRACT_BOND_LOST=1
