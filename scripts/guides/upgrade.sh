# docs/operate/upgrade.md: from the previous schema, while a job runs, and back.
say "Upgrade and rollback, from commit $(printf %.8s "$previous")"
reset_services() {
  for port in 4010 4020; do
    curl --fail --silent -X POST -H 'content-type: application/json' -d '{}' "http://127.0.0.1:$port/__sandbox/reset"
  done
  # A refused call waits for a minute, which only costs time here.
  curl --fail --silent -X PUT -H 'content-type: application/json' -d '{"enforce":false}' \
    http://127.0.0.1:4020/__sandbox/limits
}
new_machine
use_database 2
step 'another new machine and database' reset_services
follow install.md 'With systemd' 1 "$(release previous)"
follow install.md 'With systemd' 2
step 'the first client' client register "$folder/mails.json"
follow upgrade.md Upgrade 1 "$(release present)"
"$node" "$root/scripts/guides/client.ts" post >"$folder/posting.log" 2>&1 &
posting=$!
sleep 5
follow upgrade.md Upgrade 2
step 'all processes run the new release' runs_release 1.1
all_posted() { kill -TERM "$posting" && wait "$posting" || { cat "$folder/posting.log"; return 1; }; }
step 'invoices of the job, and two a second, were posted once' all_posted
follow upgrade.md Rollback 1
step 'all processes run the previous release' runs_release 1.0
step 'five invoices are synced' sync 5
follow upgrade.md Upgrade 2
step 'five invoices are synced' sync 5
