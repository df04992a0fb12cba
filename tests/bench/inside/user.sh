# SPDX-License-Identifier: GPL-2.0
# user.sh FOLDER: records sqlite3 with lbrctl, and with perf --call-graph dwarf. FOLDER is the folder of
# sqlite3 on the host, so that the paths in the captures are valid there.
set -e
lbrctl load
mkdir -p "$1"
cp ./sqlite3 ./libsqlite3.so.0 "$1"

# recorded COMMAND...
recorded()
{
	rm -f shop.db
	"$@" -- "$folder/sqlite3" shop.db '.output answers' '.read workload.sql' >said 2>&1 ||
		{ cat said >&2; exit 1; }
}

folder=$1
recorded lbrctl record -e cycles:u -c 20011 -o user.data
recorded perf record -N -m 1M -e cycles:u -c 120011 --call-graph dwarf -o dwarf.data
