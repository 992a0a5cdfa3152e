# docs/operate/keys.md: a new SECRET_KEY in three steps, with a sync after each.
say 'keys.md · SECRET_KEY'
old=$(sed -n 's/^SECRET_KEY=//p' "$folder/env")
new=$(openssl rand -base64 32)
values=$(sed -n 's/^[0-9]\. `SECRET_KEY=\([a-z,]*\)`.*/\1/p' "$root/docs/operate/keys.md")
[ "$(printf '%s\n' "$values" | wc -l)" = 3 ] || fail 'keys.md has other steps.'
for value in $values; do
  set_variable SECRET_KEY "$(printf %s "$value" | sed "s|old|$old|; s|new|$new|")"
  write_environment
  step "SECRET_KEY=$value, restart all" systemctl restart tallybridge tallybridge-worker tallybridge-worker-2
  step 'two invoices are synced' sync 2
done
