#!/bin/sh
# Runs a command as the user of the services, with their settings: tallybridge doctor
set -a
. /etc/tallybridge/env
DATA_DIR=/var/lib/tallybridge HOME=/var/lib/tallybridge
set +a
cd /var/lib/tallybridge || exit 1
exec setpriv --reuid=tallybridge --regid=tallybridge --init-groups \
  /opt/tallybridge/node_modules/.bin/node /opt/tallybridge/bin/tallybridge.cjs "$@"
