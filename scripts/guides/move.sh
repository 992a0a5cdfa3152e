# docs/operate/backup.md, “Move a client”: the new deployment has the same program, another database, another SECRET_KEY.
say 'backup.md · Move a client'
block backup.md 'Move a client' 1 >"$folder/move" || fail 'backup.md has no block “Move a client”.'
[ "$(wc -l <"$folder/move")" = 3 ] || fail 'backup.md, “Move a client” has other commands.'
moved=$(client_id)
move_line() {
  line=$(sed -n "$1p" "$folder/move")
  step "$line" eval "$(printf '%s\n' "$line" | sed "s/ID/$moved/; s/\"Wingtip IT\"/\"Northwind IT Services\"/")"
}
switch() {
  systemctl stop tallybridge tallybridge-worker tallybridge-worker-2 && write_environment && eval "$1" &&
    systemctl start tallybridge tallybridge-worker tallybridge-worker-2
}
move_line 1
cp "$folder/env" "$folder/old"
SOURCE_SECRET_KEY=$(sed -n 's/^SECRET_KEY=//p' "$folder/env")
export SOURCE_SECRET_KEY
use_database 4
set_variable SECRET_KEY "$(openssl rand -base64 32)"
step 'the new deployment' switch 'tallybridge migrate && tallybridge admin create ops@example.com'
move_line 2
step 'five invoices are synced' sync 5
cp "$folder/old" "$folder/env"
step 'the old deployment' switch true
move_line 3
step 'each invoice is in QuickBooks once' client posted
step 'tallybridge doctor finds nothing' finds_nothing
