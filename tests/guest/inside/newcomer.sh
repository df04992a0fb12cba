# SPDX-License-Identifier: GPL-2.0
# A user who has just installed lbrscope follows each printed message until the report shows the
# hot function. This machine has no compiler: what dkms and apt would do was done on the host,
# and dkms.ko is the result.
. ./lib.sh

PATH=$PWD:$PATH
find /lib/modules -name 'lbrscope.ko*' -exec rm {} +
depmod
cat >apt <<'SH'
#!/bin/sh
[ "$*" = "install linux-headers-$(uname -r)" ]
SH
# the archive has the headers of this kernel
cat >apt-cache <<'SH'
#!/bin/sh
[ "$*" = "show linux-headers-$(uname -r)" ]
SH
cat >dkms <<'SH'
#!/bin/sh
[ "$1 $3 $4" = "install -k $(uname -r)" ] || exit
mkdir -p "/lib/modules/$(uname -r)/updates/dkms"
cp dkms.ko "/lib/modules/$(uname -r)/updates/dkms/lbrscope.ko" && depmod
SH
chmod +x apt apt-cache dkms lbrctl

# the commands between quotes of a message
quoted() { sed -n "s/.*'\(lbrctl [a-z]*\)'.*/\1/p"; }

is "report: first there must be a recording" "lbrctl record" "$(lbrctl report 2>&1 | quoted)"
is "record: first the module must be loaded" "lbrctl load" "$(lbrctl record -- ./hot 2>&1 | quoted)"
mkdir -p /usr/src/lbrscope-0.0.1 && touch /usr/src/lbrscope-0.0.1/dkms.conf
matches "load: first it must be built" ": dkms install lbrscope/0.0.1 -k $(uname -r);" "$(lbrctl load 2>&1)"
: >advice
while ! lbrctl doctor ./hot >said && [ "$(wc -l <advice)" -lt 5 ]; do
	awk '/^bad/ { getline; sub(/^ *-> /, ""); print; exit }' said >>advice
	sh -c "$(tail -n 1 advice)" >did 2>&1 || not_ok "$(tail -n 1 advice)" "$(cat did)"
done
is "doctor: its remedies lead to a machine that can record" "apt install linux-headers-$(uname -r) && dkms install lbrscope/0.0.1 -k $(uname -r)
lbrctl load" "$(cat advice)"
is "doctor: no finding prevents a recording" "nothing prevents a recording" "$(tail -n 1 said)"
said=$(lbrctl record -- sh -c 'timeout 3 ./hot; true' 2>&1)
is "record: status" 0 $?
matches "record: the summary names the file" 'wrote .* to perf.data; produced [1-9]' "$said"
echo 0.0.1 >older
mount --bind older /sys/module/lbrscope/version
matches "record: an older module is loaded than the installed one" \
	"an older module is loaded \(version 0.0.1\) .*: run 'lbrctl unload && lbrctl load'" \
	"$(lbrctl record -o older.data -- true 2>&1)"
umount /sys/module/lbrscope/version
is "record: the same module is no older one" "" "$(lbrctl record -o older.data -- true 2>&1 | grep module)"
lbrctl report >said
is "report: status" 0 $?
matches "report: the function that was made hot comes first" '^ +(8[0-9]|9[0-5])\..* hot +hot$' "$(grep -v '^#' said | head -n 1)"
# the callers of a sample in the middle of a context switch are by others, and marked so
is "report: its caller" "main work hot " \
	"$(sed '1,/call tree/d; s/ \[.*//' said | awk '$NF ~ /^(main|work|hot)$/ && n++ { print $NF }' | head -n 3 | tr '\n' ' ')"
succeeds "flame" lbrctl flame
matches "flame: the function is in the page" '"hot"' "$(page_data flame.html)"
succeeds "unload" lbrctl unload
finish
