# docs/operate/proxy.md with the nginx of this machine and two servers, and PgBouncer, which is refused.
say 'proxy.md · nginx'
ask() { curl --silent --show-error --max-time 20 --cacert /etc/ssl/tallybridge.pem "$@"; }
# answers STATUS OPTIONS…: checks the status of a response.
answers() {
  wanted=$1
  shift
  status=$(ask --output "$folder/answer" --write-out '%{http_code}' "$@")
  [ "$status" = "$wanted" ] || { echo "$status instead of $wanted: $*"; head -c 300 "$folder/answer"; return 1; }
}
if command -v nginx >/dev/null; then
  second_server() {
    sed 's/^ExecStart/Environment=PORT=3003\n&/' /etc/systemd/system/tallybridge.service \
      >/etc/systemd/system/tallybridge-2.service && systemctl enable --now tallybridge-2
  }
  sees_the_caller() {
    ask --header 'X-Forwarded-For: 192.0.2.77' "https://$host/healthz" >"$folder/answer" &&
      grep -q '"caller":"127.0.0.1"' "$folder/answer"
  }
  speaks_http2() { [ "$(ask --http2 --output "$folder/answer" --write-out '%{http_version}' "https://$host/login")" = 2 ]; }
  too_large() {
    head -c 1200000 /dev/zero >"$folder/large"
    answers 413 --header 'content-type: application/json' --data-binary "@$folder/large" "https://$host/auth/login"
  }
  # nginx must not consider the servers down, and messages of Intuit must reach them.
  passes_maintenance_on() {
    tallybridge maintenance on 'Until noon.' || return 1
    sleep 3
    for _ in 1 2 3 4 5 6 7 8; do answers 503 "https://$host/my" && grep -q 'Until noon' "$folder/answer" || return 1; done
    answers 200 "https://$host/readyz" && answers 200 "https://$host/login" &&
      answers 401 --request POST --data '[]' "https://$host/webhooks/qbo"
  }
  goes_on() { tallybridge maintenance off && sleep 3 && answers 200 "https://$host/my" && sync 2; }
  # Reads that reach a server that is gone are repeated on the other one.
  uses_the_other() { for _ in 1 2 3 4 5 6; do answers 200 "https://$host/login" || return 1; done; }
  step 'a second server' second_server
  step 'nginx accepts the configuration' nginx -t
  step 'HTTP leads to HTTPS' answers 301 "http://$host/my"
  step 'HTTP does not lead programs to HTTPS' answers 403 "http://$host/api/my"
  step 'metrics are closed' answers 404 "https://$host/metrics"
  step 'the caller’s address cannot be forged' sees_the_caller
  step 'browsers get HTTP/2' speaks_http2
  step 'a body of more than 1 MB is refused' too_large
  step 'events of a sync arrive while it runs' client watch
  step 'the page of maintenance passes, eight times in a row' passes_maintenance_on
  step 'afterward everything works' goes_on
  step 'the second server stops' systemctl stop tallybridge-2
  step 'the first server answers everything' uses_the_other
else
  say '  not tried: nginx is not installed'
fi

say 'high-availability.md · Database, PgBouncer'
if command -v pgbouncer >/dev/null; then
  # refuses MODE IGNORED: a command through PgBouncer ends with one sentence.
  refuses() {
    address=$(sed 's|.*@||; s|/.*||' "$folder/database-1")
    mkdir -p "$folder/pgbouncer"
    printf '[databases]\n* = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = 6432\nunix_socket_dir =\nauth_type = any\npool_mode = %s\nignore_startup_parameters = %s\n' \
      "${address%:*}" "${address#*:}" "$1" "$2" >"$folder/pgbouncer/pgbouncer.ini"
    sed -i "s|^\* = .*|* = host=${address%:*} port=${address#*:} user=operator password=a-password-of-this-trial|" \
      "$folder/pgbouncer/pgbouncer.ini"
    chmod 755 "$folder" "$folder/pgbouncer"
    chmod 644 "$folder/pgbouncer/pgbouncer.ini"
    setpriv --reuid=nobody --regid=nogroup --clear-groups pgbouncer "$folder/pgbouncer/pgbouncer.ini" \
      >"$folder/pgbouncer.log" 2>&1 &
    pooler=$!
    sleep 1
    cp "$folder/env" "$folder/direct"
    set_variable DATABASE_URL "$(sed "s|@[^/]*/|@127.0.0.1:6432/|" "$folder/database-1")"
    write_environment
    refused=0
    ! tallybridge migrate >"$folder/refusal" 2>&1 && grep -q 'is behind a connection pooler such as PgBouncer' "$folder/refusal" ||
      refused=1
    mv "$folder/direct" "$folder/env"
    write_environment
    kill -TERM "$pooler"
    wait "$pooler" || true
    [ "$refused" = 0 ] || { cat "$folder/refusal" "$folder/pgbouncer.log"; return 1; }
  }
  for mode in session transaction; do
    step "PgBouncer in $mode mode is refused" refuses "$mode" ''
    step "PgBouncer in $mode mode that drops settings is refused" refuses "$mode" \
      'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout'
  done
else
  say '  not tried: PgBouncer is not installed'
fi
