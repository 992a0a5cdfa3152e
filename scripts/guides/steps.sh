# What the guides have in common.
host=tallybridge.example
node=$root/node_modules/.bin/node
# Trusts the certificate, as if a public authority had signed it.
export ADMIN_PASSWORD=Ops-Horse-Battery-12 NODE_EXTRA_CA_CERTS=/etc/ssl/tallybridge.pem
steps=0
services=

say() { printf '%s\n' "$1" | tee -a "$folder/steps"; }

fail() {
  say "Failed: $1"
  [ ! -s "$folder/output" ] || tail -n 40 "$folder/output"
  for service in $services; do echo "$service:"; tail -n 15 "$folder/$service.log"; done
  exit 1
}

# step TEXT COMMAND…: runs a command, and prints the text.
step() {
  text=$1
  shift
  began=$(date +%s)
  "$@" >"$folder/output" 2>&1 </dev/null || fail "$text"
  steps=$((steps + 1))
  say "  $text · $(($(date +%s) - began)) s"
}

# block FILE HEADING NUMBER: prints the lines of a code block.
block() {
  awk -v heading="$2" -v number="$3" '
    /^## / { sub(/^## /, ""); sub(/ \{#.*/, ""); here = $0 == heading; next }
    here && /^ *```/ { if (!open) count++; open = !open; next }
    here && open && count == number && NF { sub(/^ */, ""); print; found = 1 }
    END { exit !found }' "$root/docs/operate/$1"
}

# follow FILE HEADING NUMBER [SED]: runs the lines of a code block, with the reader’s values for its placeholders.
follow() {
  say "$1 · $2"
  block "$1" "$2" "$3" >"$folder/lines" || fail "$1, “$2” has no code block $3."
  while IFS= read -r line <&4; do
    real=$(printf '%s\n' "$line" | sed "s|/dev/stdin|$folder/env|; ${4-}")
    case $real in
      'npm ci'*) step "$line" nsenter --net=/proc/self/fd/3 sh -c "$real" ;;
      *) step "$line" eval "$real" ;;
    esac
  done 4<"$folder/lines"
}

release() { echo "s|git clone …|git clone --quiet --branch $1 $folder/source.git|"; }

# set_variable NAME VALUE: in the environment file of the services.
set_variable() {
  grep -v "^$1=" "$folder/env" >"$folder/env.new" || true
  printf '%s=%s\n' "$1" "$2" >>"$folder/env.new"
  mv "$folder/env.new" "$folder/env"
}

write_environment() { install -D -g tallybridge -m 640 "$folder/env" /etc/tallybridge/env; }

client() { "$node" "$root/scripts/guides/client.ts" "$@"; }

# sync COUNT: bills invoices, and posts them with the documented command. Sample documents fail on purpose: exit code 1.
sync() {
  client bill "$1"
  tallybridge sync "$(client_id)" --kind invoices --live || [ "$?" = 1 ]
  client posted
}

client_id() { tallybridge client list | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -n 1; }

# Starts and stops services by their units, as systemd would.
systemctl() {
  verb=$1
  shift
  [ "$1" != --now ] || shift
  for service; do
    case $verb in stop | restart) stop_service "$service" || return 1 ;; esac
    case $verb in enable | start | restart) start_service "$service" || return 1 ;; esac
  done
}

unit() { sed -n "s/^$2=//p" "/etc/systemd/system/$1.service"; }

start_service() {
  case " $services " in *" $1 "*) return 0 ;; esac
  install -d -o tallybridge -m "$(unit "$1" StateDirectoryMode)" "/var/lib/$(unit "$1" StateDirectory)"
  (
    cd "$(unit "$1" WorkingDirectory)"
    umask "$(unit "$1" UMask)"
    # shellcheck disable=SC2046
    exec env -i PATH="$PATH" HOME="$PWD" $(unit "$1" Environment) setpriv --reuid="$(unit "$1" User)" \
      --regid="$(unit "$1" User)" --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all $(unit "$1" ExecStart)
  ) >"$folder/$1.log" 2>&1 &
  pid=$!
  case $1 in *worker*) port=3001 name=WORKER_PORT ;; *) port=3000 name=PORT ;; esac
  own=$(unit "$1" Environment | tr ' ' '\n' | sed -n "s/^$name=//p")
  echo "$pid" >"$folder/$1.pid"
  services="$services $1"
  tries=0
  until curl --fail --silent --output /dev/null "http://127.0.0.1:${own:-$port}/readyz"; do
    tries=$((tries + 1))
    kill -0 "$pid" && [ "$tries" -lt 300 ] || return 1
    sleep 0.2
  done
}

# install.md promises ten seconds.
stop_service() {
  case " $services " in *" $1 "*) ;; *) return 0 ;; esac
  services=$(printf ' %s ' "$services" | sed "s/ $1 / /")
  pid=$(cat "$folder/$1.pid")
  stopping=$(date +%s)
  kill -TERM "$pid"
  wait "$pid" || return 1
  [ $(($(date +%s) - stopping)) -le 10 ]
}

runs_release() {
  for service in $services; do
    readlink "/proc/$(cat "$folder/$service.pid")/exe" | grep -q "^/opt/tallybridge-$1/" || return 1
  done
}

# Empties the folders that an installation uses, for this process only.
new_machine() {
  systemctl stop tallybridge tallybridge-worker tallybridge-worker-2
  cd /root
  for one in /opt /var/lib /var/backups /usr/local/bin /etc; do
    umount "$one" 2>/dev/null || true
    mount -t tmpfs tmpfs "$one"
  done
  for name in "$folder"/programs/*; do ln -s "$name" /usr/local/bin/; done
  cp -a "$folder/etc/." /etc
  echo "127.0.0.1 $host" >>/etc/hosts
  mkdir -p /etc/systemd/system /etc/ssl
  cp "$folder/proxy.pem" /etc/ssl/tallybridge.pem
  cp "$folder/proxy.key" /etc/ssl/tallybridge.key
  use_database 1
}

use_database() { set_variable DATABASE_URL "$(cat "$folder/database-$1")"; }

# Starts what an operator has besides the product, and clones the releases.
prepare() {
  ip link set lo up
  mount -t tmpfs -o size=80% tmpfs "$folder"
  mkdir "$folder/programs" "$folder/etc"
  mount --bind /usr/local/bin "$folder/programs"
  cp -a /etc/. "$folder/etc"
  git='git -c safe.directory=*'
  added=$($git log -1 --format=%H --diff-filter=A -- src/store/migrations)
  # The commit before the newest migration; if the baseline changed since, the commit that changed it.
  previous=$($git rev-parse "$added^")
  baseline=src/store/migrations/0001_baseline.sql
  $git diff --quiet "$previous" HEAD -- "$baseline" || previous=$($git log -1 --format=%H -- "$baseline")
  $git clone --quiet --bare --shared "$root" "$folder/source.git"
  $git -C "$folder/source.git" branch --force present "$($git rev-parse HEAD)"
  $git -C "$folder/source.git" branch --force previous "$previous"
  "$node" scripts/guides/services.ts "$folder" "$host" $(command -v nginx) >"$folder/services.log" 2>&1 &
  until [ -e "$folder/variables" ]; do
    kill -0 $! || { cat "$folder/services.log"; exit 1; }
    sleep 0.2
  done
  block install.md 'With containers' 1 | grep -v '^POSTGRES_PASSWORD=' | while IFS= read -r line; do
    case $line in
      *'# openssl'*) echo "${line%%=*}=$(sh -c "${line##*# }")" ;;
      *) echo "$line" ;;
    esac
  done >"$folder/env"
  while IFS== read -r name value; do set_variable "$name" "$value"; done <"$folder/variables"
  ! grep '=…$' "$folder/env" || exit 1
}
