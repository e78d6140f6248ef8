# SPDX-License-Identifier: MIT
# The parts of the tests, one command each. Scripts/test.sh plays them, several at a time.
#
# Scripts/parts/run.sh keeps what a part says, and notes how it ended. A failure does not keep the others from running.
run = -@Scripts/parts/run.sh $@
tests = $(run) Scripts/parts/tests.sh
rig = $(run) Scripts/parts/rig.sh

# The suites of the contract, by what they need.
#
# A look at each role in which versions of BlueZ and the simulator could differ, without commands and long waits.
core := Contract/(Links|Notification|Scanning|Values)
# Those that are tried on every version of BlueZ. Pairing is not among them: when a device does not answer, Linux 6.1
# fails under 5.82.
essential := Contract/(ChangedFirmware|Events|Links|Notification|Scanning|SlowLinks|Values)|Contract/Reconnecting/(bus|limit|refusal|stayWithout)
# Those that wait longest on a real bluetoothd: in a boot of their own.
outages := Contract/(Commands|Listening|Outages|Pairing|Reconnecting|Streams)
# Those that need two adapters: in a boot that has them.
serving := Contract/(ChangingBeacons|Channels|OwnDevices|ReleasedManagers|Serving(?!Serial)|SharedClient|TwoAdapters)
# Those in which packets must not overtake each other between two adapters, as they do on the three channels of BlueZ 5.66.
ordered := Contract/ServingSerial
# Those in which packets cross a link. ConfirmedWrites and SlowLinks choose the time of a packet themselves.
linked := Contract/(BackToBack|Links|Notification|SharedLinks|Streams)
# Each command of the documentation, twice. On a real bluetoothd only with slow packets: then a link that is going down
# stays longest in the way of the second command.
twice := Contract/BackToBack
# Those that start many commands, which wait in real time: on the simulator beside the others. Of these, those in which links,
# adapters and the bus are lost.
commands := Contract/(BackToBack|ChangedFirmware|ChangingBeacons|Commands|LinkBenches|LiveScan|PairingCommands|ParallelPrograms|Serial|Snapshots)
losses := Contract/(DeviceDoctor|Listening|Reconnecting|Scripts|ServingCommands|ServingSerial|Streams)
# Those that take longest on the simulator, and do not depend on the version of BlueZ.
lasting := Contract/(BackToBack|ConfirmedWrites|Scripts|Streams)
# The suites of the binary that play each example, help text and error message.
messages := EndToEndTests.(Example|Fault|Help|Situation|SituationDocument)Tests

.PHONY: $(shell sed -nE 's/^([a-z0-9. -]+):$$/\1/p' Scripts/parts.mk)

# First, since others run what these build and install.
static:
	$(run) Scripts/check.sh
tools:
	$(run) Scripts/parts/tools.sh
build:
	$(run) Scripts/built.sh --tests
release:
	$(run) Scripts/built.sh --shipped

# Tests that wait more than they compute run several at a time, where they share nothing.
together := --experimental-maximum-parallelization-width 6

# On the simulator.
unit:
	$(tests) --skip ContractTests --skip EndToEndTests --no-parallel
contract:
	$(tests) --filter ContractTests --skip '$(commands)|$(losses)' --no-parallel
contract-commands:
	$(tests) --filter '$(commands)' --no-parallel
contract-losses:
	$(tests) --filter '$(losses)' --no-parallel
contract-slow:
	$(run) env BLECTL_CONTRACT_PACKET_TIME=30ms Scripts/parts/tests.sh --filter '$(linked)' --no-parallel
contract-5.82 contract-5.87:
	$(run) env BLECTL_CONTRACT_BLUEZ=$(@:contract-%=%) \
	  Scripts/parts/tests.sh --filter ContractTests --skip '$(lasting)' --no-parallel
end-to-end:
	$(tests) --filter EndToEndTests --skip '$(messages)' $(together)
messages:
	$(tests) --filter '$(messages)' $(together)

# On a real bluetoothd, in a virtual machine.
real-core:
	$(rig) '$(core)'
real:
	$(run) Scripts/parts/recording.sh 5.66 ContractTests '$(outages)|$(serving)|$(ordered)|$(twice)'
real-5.82 real-5.87:
	$(run) Scripts/parts/recording.sh $(@:real-%=%) '$(essential)' '$(twice)'
real-outages:
	$(rig) '$(outages)'
real-serving:
	$(rig) '$(serving)' --adapters 2
real-serial:
	$(rig) '$(ordered)' --adapters 2 --bluetoothd --configfile=$(CURDIR)/Tests/System/Rig/one-channel.conf
real-slow:
	$(run) env BLECTL_CONTRACT_PACKET_TIME=30ms Scripts/parts/rig.sh '$(linked)' --env BLECTL_CONTRACT_PACKET_TIME
# Functions that bluetoothd offers only with its experimental features.
real-experimental:
	$(rig) Contract/Passive --adapters 2 --bluetoothd -E --env BLECTL_CONTRACT_EXPERIMENTAL=1
# A device that has lost its bond makes Linux 6.1 fail, and bluetoothd with it.
real-bonds:
	$(rig) Contract/Pairing/lostByPeer --survive-oops --env BLECTL_CONTRACT_BOND_LOST=1
real-core-bluetooth:
	$(run) Tests/System/CoreBluetooth/run.sh --real
real-examples:
	$(run) Scripts/parts/real-examples.sh

# Builds of their own, in what the others leave of the processors.
thread-sanitizer:
	$(run) nice Scripts/parts/thread-sanitizer.sh
address-sanitizer:
	$(run) nice Scripts/parts/address-sanitizer.sh
swift-6.2:
	$(run) nice Tests/System/Swift62/run.sh
fuzzers:
	$(run) nice env -u BLECTL_TOOLS Scripts/fuzz.sh $(or $(FUZZ_SECONDS),8)
package:
	$(run) nice Scripts/parts/package.sh
core-bluetooth:
	$(run) nice Tests/System/CoreBluetooth/run.sh
testing:
	$(run) nice Tests/System/Testing/run.sh
examples:
	$(run) nice Tests/System/Examples/run.sh
docs:
	$(run) nice Scripts/docs.sh

# Whole programs.
clients:
	$(run) Tests/System/Clients/run.sh
fidelity:
	$(run) Scripts/parts/fidelity.sh
log:
	$(run) Tests/System/Log/run.sh
brokers:
	$(run) Tests/System/Brokers/run.sh
gateway:
	$(run) Tests/System/Gateway/run.sh
chaos:
	$(run) Tests/System/Chaos/run.sh
screens:
	$(run) Tests/System/Screens/run.sh
hosts:
	$(run) Tests/System/Hosts/run.sh
serial:
	$(run) Tests/System/Serial/run.sh
recipes:
	$(run) Tests/System/Recipes/run.sh
page:
	$(run) Tests/System/Page/run.sh
comparison:
	$(run) Tests/System/Comparison/run.sh
completions:
	$(run) Tests/System/Completions/run.sh
start-up:
	$(run) Tests/System/StartUp/run.sh
manual:
	$(run) Tests/System/Manual/run.sh
