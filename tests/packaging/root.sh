# For tests of packages: sourced by them.
#     in_root ROOT COMMAND...   runs it with ROOT as /, as root or as root of a user namespace of its own
. "$(dirname "$0")/../support/need.sh"
if [ "$(id -u)" = 0 ]; then
    in_root() { env -i PATH=/bin:/usr/bin:/usr/sbin:/sbin HOME=/ chroot "$@"; }
else
    in_root() { env -i PATH=/bin:/usr/bin:/usr/sbin:/sbin HOME=/ unshare -r chroot "$@"; }
fi
PATH=$PATH:/usr/sbin:/sbin
need chroot "is what gives an empty root"
