# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Bare Debian systems, made by debootstrap, with nothing in them but apt; for tests that install.
# After lib.sh. Needs root, and the archive that apt is configured for. The systems and the fetched
# packages are kept in the cache for a month.
#
# $scratch is a folder for the test, $root the system in it that root_of made last.

# apart NAME [ARGUMENT]...: executes this script again with ARGUMENTs, as root with mounts of its own,
# and ends with its status; returns in that one. NAME is skipped where this cannot be.
apart()
{
	what=$1
	shift
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/lbrscope
	if [ -n "${APART:-}" ]; then
		scratch=$APART
		return
	fi
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	[ -z "$sudo" ] || sudo -n true 2>/dev/null || not_here "$what" "a root folder is for root only, and there is no sudo"
	command -v debootstrap >/dev/null || not_here "$what" "there is no debootstrap"
	$sudo unshare --mount --pid --fork true 2>/dev/null || not_here "$what" "no mounts of our own can be made here"
	# Only this process removes it: it sees no mounts below it.
	scratch=$(mktemp -d) || exit 1
	trap '$sudo rm -rf --one-file-system "$scratch"' EXIT
	trap 'exit 1' INT TERM
	$sudo env APART="$scratch" XDG_CACHE_HOME="${XDG_CACHE_HOME:-$HOME/.cache}" PATH="$PATH" \
		unshare --mount --pid --fork --kill-child "$0" "$@"
	exit
}

# not_here NAME REASON: ends the test
not_here()
{
	skip "$1" "$2"
	exit 0
}

# sources SUITE: prints the archive's entries of apt for this release, changed to SUITE
sources()
{
	(. /etc/os-release
	apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
		grep -E " $VERSION_CODENAME(-[a-z]+)? " | sort -u | sed "s/ $VERSION_CODENAME/ $1/")
}

# bare SUITE: makes a system in the cache, unless the cache has one of this month
bare()
{
	base=$cache/debian-$1-$(date +%Y-%m)
	[ ! -d "$base" ] || return 0
	uri=$(sources "$1" | awk -v release="$1" '$3 == release { print $2; exit }')
	eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
	export http_proxy
	debootstrap --variant=minbase "$1" "$scratch/base" "$uri" >"$scratch/said" 2>&1 || return 1
	rm -rf "$cache/debian-$1"-*
	mkdir -p "$cache"
	cp -a "$scratch/base" "$base.$$" && mv "$base.$$" "$base" && rm -rf "$scratch/base"
}

# root_of NAME SUITE: makes $root, a copy of it that has fetched the lists of packages
root_of()
{
	root=$scratch/$1
	bare "$2" && cp -a "$base" "$root" || return 1
	mkdir -p "$root/work" "$root/var/cache/apt/archives" "$cache/debian-archives-$2"
	# what is mounted there must be mounted in the namespace of each command, too
	mount --bind "$root" "$root" &&
		mount --bind "$cache/debian-archives-$2" "$root/var/cache/apt/archives" || return 1
	sources "$2" >"$root/etc/apt/sources.list"
	# the host's proxies, and yes to every question
	apt-config dump | grep -E '^Acquire::(http|https|ftp|Check-|Retries)' >"$root/etc/apt/apt.conf.d/99host"
	echo 'APT::Get::Assume-Yes "true"; APT::Keep-Downloaded-Packages "true"; Binary::apt::APT::Keep-Downloaded-Packages "true";' \
		>"$root/etc/apt/apt.conf.d/99yes"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	in_root 'apt-get update'
}

# in_root COMMAND: executes it in /work of $root, which is / for it (no chroot: namespaces can be made
# there), without the host's environment; its output is in $scratch/said, or in the file $said
in_root()
{
	unshare --mount --pid --fork --kill-child sh -c '
		cd "$1" && mount -t proc proc proc && mount --rbind /dev dev && mount --rbind /sys sys &&
		mkdir -p .host && pivot_root . .host && umount -l .host && rmdir .host && cd /work &&
		exec setpriv --bounding-set -sys_module,-sys_rawio,-sys_boot --inh-caps -all \
			env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"' \
		sh "$root" "$1" >"${said:-$scratch/said}" 2>&1
}

# release_of RELEASE: uname() in $root returns this kernel's release
release_of()
{
	gcc -shared -fPIC -O2 -Wall -Werror -DRELEASE="\"$1\"" -o "$root/uname.so" "$top/tests/lib/uname.c" &&
		echo /uname.so >"$root/etc/ld.so.preload"
}
