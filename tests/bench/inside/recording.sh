# SPDX-License-Identifier: GPL-2.0
# recording.sh FOLDER: sqlite3 at work, recorded from outside, by perf before our module is there and
# by us; often and rarely, plain and compressed. NAME.cost is what the tool took, in seconds of
# CPU, NAME.data what it wrote. perf need not keep copies of the programs.
set -e
folder=$1
mkdir -p "$folder"
cp ./sqlite3 ./libsqlite3.so.0 "$folder"
{ head -n 6000 workload.sql; echo "COMMIT;"; } >part.sql
export TIMEFORMAT="%3U %3S"

# recorded NAME COMMAND...: it is attached before the first instruction
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
