# SPDX-License-Identifier: GPL-2.0
# Faults that are planted while the trial runs: it finds each, and stops.
. ./lib.sh

modprobe msr && lbrctl load || exit 1

# at_step NAME: waits until the trial has announced the step
at_step() { await 600 grep -q ", $1:" err; }

# trial PLANT...: runs the trial beside the function that plants a fault
trial() {
	"$@" &
	planter=$!
	lbrctl doctor --trial --yes -o bundle.json >said 2>err
	status=$?
	kill $planter 2>/dev/null
	wait $planter 2>/dev/null
}

# stopped NAME STEP REGEX: the trial has ended after STEP for a result REGEX
stopped() {
	is "$1: status" 1 $status
	matches "$1: found" "$3" "$(grep ^bad said)"
	matches "$1: stops there" "^lbrctl: stopped after step [0-9] of 6, $2: " "$(tail -n 2 err)"
	matches "$1: the verdict names the step" "^trial failed in step [0-9] of 6, $2: [0-9]+ of [0-9]+ results" "$(tail -n 2 said)"
	matches "$1: the bundle names the step" '"steps":6,"steps_begun":[0-9],"last_step":"[a-z]*","passed":false' "$(cat bundle.json)"
	matches "$1: the bundle has the result" '"name":"[a-z ]*","cpu":[0-9]*,"ok":false' "$(cat bundle.json)"
}

# A counter's event select that nobody uses. The steps are short: which one finds it is open.
register() {
	at_step samples
	./poke 1 0x18d 0xc0
}
: >err
trial register
stopped "a register that does not come back" "[a-z]*" "^bad +CPU 1 +registers: .* differs?, the first: IA32_PERFEVTSEL7"
./poke 1 0x18d 0

# A counter is switched off behind the module's back, again and again. Only the step "overflows"
# uses the second counter, and that step is shorter than the start of a program may be.
vanish() {
	at_step samples
	exec ./poke 1 0x187 0 again
}
: >err
trial vanish
stopped "samples that vanish" overflows "^bad +CPU [01] +overflows at once: "

: >err
trial true
is "and nothing planted: status" 0 $status
finish
