# SPDX-License-Identifier: GPL-2.0
# A client of another language, which knows the module by its spec alone.
. ./lib.sh

modprobe lbrscope || exit 1
tar xf python.tar || exit 1
export PYTHONHOME="$PWD/python" LD_LIBRARY_PATH="$PWD/python"
python/python3 client.py python/ynl.d lbrscope.yaml ./loop >client.txt 2>client.err ||
	not_ok "the client runs" "$(tail -n 5 client.err)"
unset PYTHONHOME LD_LIBRARY_PATH
lbrctl regs -C 0 >regs.txt || failed=1
succeeds "rmmod" rmmod lbrscope
finish
