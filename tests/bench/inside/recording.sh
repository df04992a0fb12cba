# SPDX-License-Identifier: GPL-2.0
# recording.sh FOLDER: records sqlite3 from outside, with perf before our module is loaded and with
# lbrctl, with a short and a long period, plain and compressed. NAME.cost is the recorder's time in seconds of
# CPU, NAME.data its file. perf's -N keeps it from copying the programs.
set -e
folder=$1
mkdir -p "$folder"
cp ./sqlite3 ./libsqlite3.so.0 "$folder"
{ head -n 6000 workload.sql; echo "COMMIT;"; } >part.sql
export TIMEFORMAT="%3U %3S"

# recorded NAME COMMAND...: attaches the recorder before the first instruction of sqlite3
recorded()
{
	name=$1
	shift
	rm -f shop.db*
	# shellcheck disable=SC2016 # of that shell
	sh -c 'kill -STOP $$; exec "$0" shop.db ".output answers" ".read part.sql"' "$folder/sqlite3" &
	program=$!
	{ time "$@" -o "$name.data" -p $program >"$name.said" 2>&1; } 2>"$name.cost" &
	tool=$!
	sleep 3
	kill -CONT $program
	wait $program
	wait $tool || { cat "$name.said"; exit 1; }
}

# by NAME COMMAND...
by()
{
	who=$1
	shift
	recorded "$who.often" "$@" -c 10007
	recorded "$who.rarely" "$@" -c 1000003
	recorded "$who.often.z" "$@" -c 10007 -z
	recorded "$who.rarely.z" "$@" -c 1000003 -z
}

by peer perf record -N -e instructions:u --call-graph lbr
lbrctl load
by ours lbrctl record -e instructions:u
