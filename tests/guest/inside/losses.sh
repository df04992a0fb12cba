# SPDX-License-Identifier: GPL-2.0
# One session; how is in the kernel's command line, losses=...
. ./lib.sh
. ./session.sh

how=$(sed -n 's/.*losses=\([a-z]*\).*/\1/p' /proc/cmdline)
modprobe lbrscope || exit 1
hold "$how" 10007 || not_ok "a session starts" "$(cat hold.out)"
./tree 100 200 >/dev/null &
./loop
./loop
wait $!
let_go
cp hold.out counts.txt
matches "$how: thousands of samples fell due" '^[0-9]{4,}$' "$(count produced)"
finish
