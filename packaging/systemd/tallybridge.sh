#!/bin/sh
# Runs a command as the user of the services, with their settings: tallybridge doctor
export NODE_ENV=production TALLYBRIDGE_ENV_FILE=/etc/tallybridge/env DATA_DIR=/var/lib/tallybridge HOME=/var/lib/tallybridge
cd /var/lib/tallybridge || exit 1
exec setpriv --reuid=tallybridge --regid=tallybridge --init-groups \
  /opt/tallybridge/node_modules/.bin/node /opt/tallybridge/bin/tallybridge.cjs "$@"
