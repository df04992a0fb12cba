# SPDX-License-Identifier: GPL-2.0
# Prints the NMIs of all CPUs since the boot.
# shellcheck shell=sh

echo "# NMIs: $(awk '$1 == "NMI:" { for (i = 2; i <= NF && $i ~ /^[0-9]/; i++) n += $i; print n }' /proc/interrupts) total, $(dmesg | grep -c 'Uhhuh') unknown"
