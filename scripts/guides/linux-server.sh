# docs/operate/install.md: the way with systemd, a second worker, the first client, and mistakes for the doctor.
say 'A new installation'
new_machine
if command -v nginx >/dev/null; then
  follow_nginx() {
    block proxy.md nginx 1 | sed 's/10.0.0.11:3000/127.0.0.1:3000/; s/10.0.0.12:3000/127.0.0.1:3003/' \
      >/etc/nginx/conf.d/tallybridge.conf
    rm -f /etc/nginx/sites-enabled/default
    mkdir -p /var/lib/nginx /var/log/nginx
    nginx
  }
  step 'nginx with the configuration of proxy.md' follow_nginx
else
  say '  nginx: not tried, because it is not installed'
fi
follow install.md 'With systemd' 1 "$(release present)"
follow install.md 'With systemd' 2
step 'the first client registers, connects both services, and is set up' client register "$folder/mails.json"
step 'five invoices are synced' sync 5
finds_nothing() { tallybridge doctor | tee "$folder/findings" && ! grep -Eq '^(!|✗)' "$folder/findings"; }
step 'tallybridge doctor finds nothing' finds_nothing

cp "$folder/env" "$folder/good"
set_variable QBO_CLIENT_SECRET 'another secret'
set_variable TRUST_PROXY ''
set_variable SMTP_URL smtp://127.0.0.1:4099
set_variable AUTOTASK_URL http://127.0.0.1:4099/
finds_mistakes() {
  ! tallybridge doctor >"$folder/findings" || return 1
  cat "$folder/findings"
  for finding in 'QuickBooks  *Intuit does not accept' 'proxy  *All users share' 'mail  *The mail server does not answer' \
    'Autotask  *No response'; do grep -q "✗ $finding" "$folder/findings" || return 1; done
}
write_environment
step 'tallybridge doctor finds four mistakes' finds_mistakes
mv "$folder/good" "$folder/env"
write_environment
