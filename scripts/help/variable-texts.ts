/** What each environment variable does, by section of docs/operate/configuration.md. Texts are Markdown. */
export interface VariableText {
  readonly default: string;
  readonly meaning: string;
}

export const variableTexts: Readonly<Record<string, Readonly<Record<string, VariableText>>>> = {
  'Demo mode': {
    DEMO: { default: 'see above', meaning: '`true` starts a demo; any other value prevents it' },
    NODE_ENV: { default: '', meaning: '`production` turns off demo mode and requires `DATABASE_URL`' },
    SANDBOX_HOST: { default: '127.0.0.1', meaning: 'address that both sandboxes listen on' },
    SANDBOX_AUTOTASK_PORT: { default: '4010', meaning: 'port of the Autotask sandbox; 0 picks a free one' },
    SANDBOX_QBO_PORT: { default: '4020', meaning: 'port of the QuickBooks sandbox; 0 picks a free one' },
  },
  Process: {
    PORT: { default: '3000', meaning: 'port of the application; 0 picks a free one' },
    WORKER_PORT: { default: '3001', meaning: 'port of a `worker` for /healthz, /readyz and /metrics' },
    HOST: { default: '127.0.0.1', meaning: 'address to listen on' },
    APP_URL: {
      default: '`http://localhost:` and the port',
      meaning:
        'public address, used in links and redirects; must be `https` in a deployment, except on this machine. Requests to another domain get 421, so a proxy must pass `Host`. IP addresses and names without a dot are served, and /healthz and /readyz under any name (in a deployment also /metrics)',
    },
    TRUST_PROXY: {
      default: 'not set',
      meaning:
        'trusted proxies for `X-Forwarded-For`: their number (1 to 5), or addresses and networks separated by commas, for example `10.0.0.0/8`',
    },
    TALLYBRIDGE_ENV_FILE: {
      default: '`.env`, if it exists',
      meaning: 'file with variables, one `NAME=value` per line; a value with `#` needs double quotes',
    },
    TALLYBRIDGE_ROLE: {
      default: '`all`',
      meaning:
        '`api` serves HTTP, `worker` syncs, `all` does both. A `worker` uses less memory ([measured](sizing.md))',
    },
    STOP_DELAY_SECONDS: {
      default: '5; 0 in demo mode',
      meaning: 'how long a stopping server still serves while `/readyz` is 503',
    },
    LOG_LEVEL: {
      default: '`info`',
      meaning: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard output',
    },
    ENVIRONMENT_LABEL: { default: 'empty; `DEMO` in demo mode', meaning: 'label beside the product name' },
    VOIDS_ENABLED: { default: 'empty; `true` in demo mode', meaning: '`true` offers the settings of void syncs' },
    REGISTRATION: { default: '`open`', meaning: '`closed` prevents companies from registering' },
    RETENTION_MONTHS: { default: '13', meaning: 'months that logs and jobs are stored, 13 to 120' },
    PROOF_HOUR: {
      default: '1',
      meaning:
        'hour of each client’s clock, 0 to 23, from which its open months are proved at night; proofs begin within four hours',
    },
    SYNC_INTERVAL_MINUTES: { default: '15', meaning: 'minutes between automatic runs of a client, 1 to 1440' },
  },
  Data: {
    DATABASE_URL: {
      default: 'embedded PostgreSQL under `DATA_DIR`',
      meaning:
        'PostgreSQL 15 or later with UTF-8, without a connection pooler such as PgBouncer, for example `postgres://user:password@host:5432/name`',
    },
    DATA_DIR: {
      default: '`.data`',
      meaning:
        'embedded database, emails without a mail server, demo secrets, `database.json` ([notices a restore](backup.md#unreported)), and `compile-cache` (can be deleted)',
    },
    SECRET_KEY: {
      default: '*required*; generated in demo mode',
      meaning:
        'encrypts stored secrets and signs sessions; at least 32 random characters, for example `openssl rand -base64 32`. Several keys, newest first, are separated by commas',
    },
  },
  Autotask: {
    AUTOTASK_URL: {
      default: "Autotask's zone service; the sandbox in demo mode",
      meaning: 'where the zone lookup starts',
    },
    AUTOTASK_INTEGRATION_CODE: {
      default: "*required*; the sandbox's in demo mode",
      meaning: 'tracking identifier of every call',
    },
  },
  'QuickBooks Online': {
    QBO_DISCOVERY_URL: {
      default: "Intuit's production; the sandbox in demo mode",
      meaning: 'OpenID discovery document',
    },
    QBO_API_URL: { default: "Intuit's production; the sandbox in demo mode", meaning: 'accounting API' },
    QBO_CLIENT_ID: { default: "*required*; the sandbox's in demo mode", meaning: 'client id at Intuit' },
    QBO_CLIENT_SECRET: { default: "*required*; the sandbox's in demo mode", meaning: 'client secret' },
    QBO_WEBHOOK_VERIFIER: {
      default: "*required*; the sandbox's in demo mode",
      meaning: 'verifier token of the webhooks; `new,old` during a [rotation](keys.md#verifier-token)',
    },
    QBO_TIER: {
      default: '`builder`',
      meaning:
        'tier of the application at Intuit: `builder` blocks reads beyond its share, `silver`, `gold` and `platinum` bill them ([tiers](sizing.md#intuit-tiers)). System administrators get an email at 70 %, 85 % and 100 %',
    },
    QBO_MONTHLY_READS: {
      default: 'the share of the tier',
      meaning:
        'metered calls per month that Intuit includes, for example if other applications of your workspace use a part. `0`: no limit and no emails',
    },
  },
  'Sign-in': {
    SIGN_IN_ISSUER: {
      default: 'not set: passwords only',
      meaning:
        'issuer of the OpenID Connect provider of system administrators, for example `https://login.microsoftonline.com/<tenant ID>/v2.0`',
    },
    SIGN_IN_CLIENT_ID: { default: '*required* with `SIGN_IN_ISSUER`', meaning: 'client ID at the provider' },
    SIGN_IN_CLIENT_SECRET: { default: '*required* with `SIGN_IN_ISSUER`', meaning: 'client secret at the provider' },
    SIGN_IN_DOMAINS: {
      default: '*required* with `SIGN_IN_ISSUER`',
      meaning: 'email domains of system administrators, separated by commas',
    },
    SIGN_IN_REQUIRED: {
      default: 'not set',
      meaning: '`true` rejects the passwords of all other system administrators',
    },
    SIGN_IN_BREAK_GLASS: {
      default: '*required* with `SIGN_IN_REQUIRED`',
      meaning: 'address of the system administrator who can still log in with a password',
    },
    SIGN_IN_SECOND_STEP: {
      default: '`tallybridge`',
      meaning: '`provider`: the provider checks the second step, and Tallybridge asks for no code',
    },
  },
  Email: {
    SMTP_URL: {
      default: 'emails become `.eml` files in `mail` under `DATA_DIR`',
      meaning: 'for example `smtps://user:password@mail.example:465`',
    },
    MAIL_FROM: { default: '*required* with `SMTP_URL`', meaning: 'sender' },
  },
  Monitoring: {
    SECURITY_CONTACT: { default: 'not set', meaning: '`mailto:` or `https:` address in `/.well-known/security.txt`' },
    METRICS_TOKEN: {
      default: 'not set: metrics only in a demo on this machine',
      meaning: 'at least 32 random characters',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      default: 'not set: nothing is sent',
      meaning: 'address of an OpenTelemetry collector, for example `http://collector.example:4318`',
    },
    OTEL_EXPORTER_OTLP_HEADERS: {
      default: 'none',
      meaning: 'headers for the collector: `name=value`, percent-encoded, separated by commas',
    },
  },
};
