#!/bin/sh
# Follows the guides in docs/operate on a machine that looks new. Commands come from the code blocks of the documents.
# Needs root and Linux; changes nothing on this machine: all processes, mounts and ports end with this script.
#
#   npm run guides               prints the steps
#   npm run guides -- --write    also stores them in docs/operate/tried.txt, which the help shows
set -eu
cd "$(dirname "$0")/../.."
root=$PWD

if [ "${1-}" != inside ]; then
  namespaces='--mount --pid --net --fork --kill-child=KILL --mount-proc'
  case $root/ in /opt/* | /etc/* | /var/lib/* | /var/backups/*) echo "Not tried: the guides hide this folder."; exit 0 ;; esac
  if [ "$(id -u)" != 0 ] || ! unshare $namespaces ip link set lo up 2>/dev/null; then
    echo 'Not tried: the guides need root, and namespaces of Linux with “unshare” and “ip”.'
    exit 0
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # The network of the real machine is for the installation of packages.
  exec 3</proc/self/ns/net
  unshare $namespaces env -i HOME="$HOME" npm_config_cache="$(npm config get cache)" npm_config_prefer_offline=true \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /bin/sh "$0" inside "$folder" "$@"
  exit
fi

folder=$2
. scripts/guides/steps.sh
prepare
for guide in linux-server proxy upgrade backup keys move; do . "$root/scripts/guides/$guide.sh"; done
say "$(date -u '+%b %-d, %Y'), commit $(git -c safe.directory=* -C "$root" rev-parse --short=8 HEAD): $steps steps of the guides were followed. None failed."
[ "${3-}" != --write ] || cp "$folder/steps" "$root/docs/operate/tried.txt"
