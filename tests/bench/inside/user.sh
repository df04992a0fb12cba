# SPDX-License-Identifier: GPL-2.0
# user.sh FOLDER: records sqlite3 at work, from the folder where it lies on the host, too.
set -e
lbrctl load
mkdir -p "$1"
cp ./sqlite3 ./libsqlite3.so.0 "$1"
lbrctl record -e cycles:u -c 20011 -o user.data -- "$1/sqlite3" shop.db '.output answers' '.read workload.sql' 2>said ||
	{ cat said >&2; exit 1; }
