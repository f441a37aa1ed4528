# For tests of packages: sourced by them.
#     in_root ROOT COMMAND...        runs it with ROOT as /, as root or as root of a user namespace of its own
#     in_system ROOT COMMAND...      the same with a /proc of its own, by which programs find themselves
#     bare_root ROOT SUITE PACKAGES  unpacks these Debian packages there, and runs nothing
. "$(dirname "$0")/../support/need.sh"
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin
need chroot "is what gives an empty root"
chroot=$(command -v chroot)
apart() { env -i PATH=/usr/local/bin:/bin:/usr/bin:/usr/sbin:/sbin HOME=/tmp LC_ALL=C.UTF-8 "$@"; }
if [ "$(id -u)" = 0 ]; then
    in_root() { apart "$chroot" "$@"; }
    in_system() { apart unshare -m -p -f --kill-child sh -c 'mkdir -p "$1/proc" && mount -t proc proc "$1/proc" && exec "$0" "$@"' "$chroot" "$@"; }
else
    in_root() { apart unshare -r "$chroot" "$@"; }
    in_system() { apart unshare -r -m -p -f --kill-child sh -c 'mkdir -p "$1/proc" && mount -t proc proc "$1/proc" && exec "$0" "$@"' "$chroot" "$@"; }
fi
bare_root() {
    need mmdebstrap "unpacks Debian"
    local as_root=
    [ "$(id -u)" = 0 ] || as_root='unshare -r'
    $as_root mmdebstrap --quiet --mode=root --variant=extract --include="$3" "$2" "$1" ${GRAMC_MIRROR:+"$GRAMC_MIRROR"} || return
    # A suite whose /usr is merged by a package's script, which was not run.
    for folder in lib lib64 bin; do
        [ -e "$1/$folder" ] || [ ! -e "$1/usr/$folder" ] || ln -s "usr/$folder" "$1/$folder"
    done
}
