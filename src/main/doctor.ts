/** `tallybridge doctor`: checks a deployment, and names the fix of each problem. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import type { Logger } from '#core/ports/logger.ts';
import { momentText } from '#core/values/dates.ts';
import { zoneLookup } from '#connectors/autotask/calls.ts';
import { verifyMailServer } from '#connectors/mail/mailer.ts';
import { ensureFolder } from '#store/data-folder.ts';
import { openDatabase, type Database } from '#store/database.ts';
import { codeOf } from '#store/errors.ts';
import { missingParts, pendingMigrations } from '#store/migrate.ts';
import { missingProtection } from '#store/protection.ts';
import { readMaintenance } from '#store/deployment-events.ts';
import { isOlderThanRemembered } from '#store/restore-watch.ts';
import { countUnsearchedClients } from '#store/deployment-totals.ts';
import { isUnrecordedCopy } from '#store/restored.ts';
import { findLostSecrets, lostSecretsText } from '#store/secrets.ts';
import { createVault, type Vault } from '#store/vault.ts';
import type { Outcome } from './operator-context.ts';
import { readConfig, secretVariables, type Config } from './config.ts';
import { demoSecretKey } from './demo.ts';
import { openDatabaseServer } from './open-store.ts';
import { isBuilt } from './screens.ts';
import { isPlain } from './start-up.ts';
import { isTrackingIdentifierAccepted } from './tracking-identifier.ts';
import { readVersion } from './version.ts';

type State = 'ok' | 'warning' | 'problem';

interface Finding {
  readonly check: string;
  readonly state: State;
  readonly text: string;
  readonly fix?: string;
}

const timeoutMs = 10_000;
/** Differences between clocks that signed calls and one-time passwords tolerate. */
const maxClockDifferenceSeconds = 30;
const minCertificateDays = 14;
/** An address of documentation (RFC 5737), which no caller has. */
const forged = '192.0.2.77';
const root = join(import.meta.dirname, '..', '..');

const ok = (check: string, text: string): Finding => ({ check, state: 'ok', text });
const warning = (check: string, text: string, fix: string): Finding => ({ check, state: 'warning', text, fix });
const problem = (check: string, text: string, fix?: string): Finding => ({
  check,
  state: 'problem',
  text,
  ...(fix !== undefined && { fix }),
});

/** Checks everything that this machine can check, without changing or posting anything. */
export async function runChecks(): Promise<Outcome> {
  const findings: Finding[] = [];
  const config = await configuration(findings);
  if (config !== null) {
    await permissions(config, findings);
    await database(config, findings);
    await Promise.all([services(config, findings), publicAddress(config, findings), mail(config, findings)]);
  }
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const lines = findings.map(
    ({ check, state, text, fix }) =>
      `${marks[state]} ${check.padEnd(14)} ${text}${fix === undefined ? '' : `\n  ${''.padEnd(14)} Fix: ${fix}`}`,
  );
  const end =
    problems === 0 ? 'No problem was found.' : `${problems} ${problems === 1 ? 'problem was' : 'problems were'} found.`;
  return {
    text: [...lines, '', end].join('\n'),
    data: { findings: findings.map((one) => ({ ...one })) },
    exitCode: problems === 0 ? 0 : 1,
  };
}

const marks: Readonly<Record<State, string>> = { ok: '✓', warning: '!', problem: '✗' };

async function configuration(findings: Finding[]): Promise<Config | null> {
  try {
    const config = readConfig(process.env);
    findings.push(
      config.isDemo
        ? warning('configuration', 'This is a demo.', 'For real data set the variables of a deployment.')
        : ok('configuration', 'All required variables are set.'),
    );
    if (config.role !== 'worker' && !isBuilt(root))
      findings.push(problem('screens', 'The screens are not built.', 'Run “npm ci” and “npm run build”.'));
    const ports = [config.port, config.workerPort].filter((port) => port !== 0);
    if (new Set(ports).size < ports.length)
      findings.push(
        problem('configuration', `PORT and WORKER_PORT are both ${config.port}.`, 'Set another WORKER_PORT.'),
      );
    if (!config.isDemo && config.metricsToken === undefined)
      findings.push(warning('monitoring', 'Metrics are off.', 'Set METRICS_TOKEN and read /metrics with Prometheus.'));
    return config;
  } catch (error) {
    if (!isPlain(error)) throw error;
    findings.push(problem('configuration', error.message));
    return null;
  }
}

/** Files with secrets, and the data folder. */
async function permissions(config: Config, findings: Finding[]): Promise<void> {
  try {
    findings.push(ok('permissions', `${await ensureFolder(config.dataDir)} is writable.`));
  } catch (error) {
    if (!isPlain(error)) throw error;
    findings.push(problem('permissions', error.message));
  }
  const named = process.env['TALLYBRIDGE_ENV_FILE'];
  const files = [named ?? '.env', ...secretVariables.flatMap((name) => process.env[`${name}_FILE`] ?? [])];
  for (const file of files) {
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    );
    // The services read the named file through their group.
    const [forbidden, right] = file === named ? [0o027, '640'] : [0o077, '600'];
    if ((mode & forbidden) !== 0)
      findings.push(problem('permissions', `Other users can read or change ${file}.`, `Run “chmod ${right} ${file}”.`));
  }
}

/** Connection, migrations, protection, secrets, clock and administrators. */
async function database(config: Config, findings: Finding[]): Promise<void> {
  const ends: (() => Promise<unknown>)[] = [];
  const warnings: string[] = [];
  try {
    const logger: Logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (_fields, text) => void warnings.push(text),
      error: () => undefined,
      child: () => logger,
    };
    const url = await openDatabaseServer(config, config.dataDir, logger, ends);
    const secretKey = config.secretKey ?? (await demoSecretKey(config.dataDir));
    const opened = await openDatabase(url, { logger, secretKey, applicationName: 'tallybridge command' });
    ends.push(() => opened.close());
    findings.push(ok('database', 'PostgreSQL answers.'), ...(await rightsOf(opened)));
    const vault = createVault(secretKey);
    if (!(await schema(opened, { vault, dataDir: config.dataDir }, warnings, findings)) || config.isDemo) return;
    findings.push(...trackingFindings(await isTrackingIdentifierAccepted(opened, { config, vault, logger })));
  } catch (error) {
    if (!isPlain(error)) throw error;
    findings.push(problem('database', error.message));
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

/** What the database allows beside reading. */
async function rightsOf({ pool }: Database): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ isReadOnly: boolean; isSuperuser: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`,
  );
  return [
    ...(rows[0]?.isReadOnly === true
      ? [
          problem(
            'database',
            'The database accepts no writes.',
            'Use the address of the primary server, and turn off default_transaction_read_only.',
          ),
        ]
      : []),
    ...(rows[0]?.isSuperuser === true
      ? [
          warning(
            'database',
            'The user of DATABASE_URL is a superuser.',
            'Create a user as docs/operate/install.md describes, and make it the owner of the database.',
          ),
        ]
      : []),
  ];
}

/** @returns whether the secrets of clients can be used. */
async function schema(
  opened: Database,
  { vault, dataDir }: { readonly vault: Vault; readonly dataDir: string },
  warnings: readonly string[],
  findings: Finding[],
): Promise<boolean> {
  const pending = await pendingMigrations(opened);
  if (pending.length > 0) {
    findings.push(problem('migrations', `Pending: ${pending.length}.`, 'Run “tallybridge migrate”.'));
    return false;
  }
  findings.push(ok('migrations', 'All are applied.'));
  const missing = await missingProtection(opened.pool);
  if (missing.length > 0) {
    const fix = 'Restore the database with “tallybridge restore”, or have an administrator repair it.';
    findings.push(problem('protection', `Clients are not separated: ${missing.join('; ')}.`, fix));
    return false;
  }
  findings.push(ok('protection', 'Roles, policies and owners are as the schema declares.'));
  const parts = await missingParts(opened);
  if (parts.length > 0) {
    const fix = 'Restore the database with “tallybridge restore”, or have an administrator repair it.';
    findings.push(problem('schema', `The schema is incomplete: ${parts.join('; ')}.`, fix));
  }
  const lost = await findLostSecrets(opened, vault);
  findings.push(
    lost.rootKeyIds.length === 0
      ? ok('secrets', 'SECRET_KEY opens all stored secrets.')
      : problem('secrets', lostSecretsText(lost)),
  );
  if (!(await hasTenantLogin(opened, warnings)))
    findings.push(
      warning(
        'protection',
        'The database has no separate login for the transactions of clients.',
        'Give the user of DATABASE_URL “createrole”, and allow password logins in pg_hba.conf.',
      ),
    );
  findings.push(...(await restores(opened, dataDir)));
  const maintenance = await opened.acrossTenants(readMaintenance);
  if (maintenance !== null)
    findings.push(
      warning(
        'maintenance',
        `Maintenance has been on since ${momentText(maintenance.since, 'UTC')}.`,
        'Run “tallybridge maintenance off” when you are done.',
      ),
    );
  const { rows } = await opened.pool.query<{ ms: string }>('select wall_clock_ms()::text as ms');
  findings.push(clockFinding('the database', Number(rows[0]?.ms)));
  const { length } = await opened.acrossTenants((tx) =>
    tx.selectFrom('users').select('id').where('tenant_id', 'is', null).where('is_active', '=', true).execute(),
  );
  if (length === 0)
    findings.push(
      warning('administrators', 'There is no system administrator.', 'Run “tallybridge admin create EMAIL”.'),
    );
  return lost.rootKeyIds.length === 0;
}

function trackingFindings(isAccepted: boolean | null): readonly Finding[] {
  if (isAccepted === null) return [];
  return [
    isAccepted
      ? ok('Autotask', 'Autotask accepts the tracking identifier.')
      : problem(
          'Autotask',
          'Autotask accepts neither the tracking identifier nor the API users of the clients.',
          'Compare AUTOTASK_INTEGRATION_CODE with the identifier that Autotask issued.',
        ),
  ];
}

/** The last restore, or one that was not recorded yet, and the clients whose documents are still searched for. */
async function restores(opened: Database, dataDir: string): Promise<readonly Finding[]> {
  if (await isOlderThanRemembered(opened.pool, dataDir)) {
    const text = 'The database is older than the processes of this machine remember: it was restored.';
    const fix = 'Run “tallybridge restored”, or start: documents that it lacks are searched for in QuickBooks.';
    return [problem('restore', text, fix)];
  }
  if (await isUnrecordedCopy(opened.pool)) {
    const fix = 'Run “tallybridge restored”, or start: documents that the copy lacks are searched for in QuickBooks.';
    return [warning('restore', 'This database is a copy of another one.', fix)];
  }
  const events = await opened.acrossTenants((tx) =>
    tx
      .selectFrom('deployment_events')
      .select('at')
      .where('action', '=', 'database.restored')
      .orderBy('seq', 'desc')
      .limit(1)
      .execute(),
  );
  const clients = await opened.acrossTenants(countUnsearchedClients);
  if (clients > 0) {
    const text = `QuickBooks was not searched yet for documents that the ledger of ${clients} ${clients === 1 ? 'client' : 'clients'} may lack.`;
    const fix = 'Start a worker. If this remains, open Connections of these clients: both services must be connected.';
    return [warning('restore', text, fix)];
  }
  return events.map(({ at }) => ok('restore', `The last one was recorded on ${momentText(at, 'UTC')}.`));
}

/** Returns true if the login of the tenant transactions works, or the next start may create it. */
async function hasTenantLogin(opened: Database, warnings: readonly string[]): Promise<boolean> {
  const { rows } = await opened.pool.query<{ exists: boolean; isCreatable: boolean }>(
    `select exists (select from pg_roles where rolname = $1),
            (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as "isCreatable"`,
    [opened.tenantLogin?.name],
  );
  if (rows[0]?.exists !== true) return rows[0]?.isCreatable === true;
  await opened.forTenant(randomUUID(), (tx) => tx.selectFrom('tenants').select('id').execute());
  return warnings.length === 0;
}

function clockFinding(clockName: string, atMs: number): Finding {
  const seconds = Math.round((atMs - Date.now()) / 1_000);
  return Math.abs(seconds) <= maxClockDifferenceSeconds
    ? ok('clock', `This machine and ${clockName} agree.`)
    : problem(
        'clock',
        `The clock of ${clockName} is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} this machine.`,
        'Run a time service (NTP) on both machines.',
      );
}

/** Calls both services without access to a client. */
async function services({ autotask, qbo, isDemo }: Config, findings: Finding[]): Promise<void> {
  if (isDemo || autotask.url === undefined || qbo.discoveryUrl === undefined || qbo.apiUrl === undefined) return;
  const zone = await ask(zoneLookup(autotask.url, 'doctor@tallybridge.example').href);
  findings.push(
    zone.json === null
      ? problem('Autotask', `${zone.text} at ${autotask.url}.`, 'Check AUTOTASK_URL, DNS, firewall and status page.')
      : ok('Autotask', 'The zone service responds.'),
  );
  const discovery = await ask(qbo.discoveryUrl);
  const tokens = discovery.json?.['token_endpoint'];
  if (typeof tokens !== 'string') {
    const fix = 'Check QBO_DISCOVERY_URL, DNS, firewall and status page.';
    findings.push(problem('QuickBooks', `${discovery.text} at ${qbo.discoveryUrl}.`, fix));
    return;
  }
  if (discovery.dateMs !== null) findings.push(clockFinding('QuickBooks', discovery.dateMs));
  // Intuit checks the application before the token.
  const refused = await ask(tokens, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${qbo.clientId ?? ''}:${qbo.clientSecret ?? ''}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'doctor' }),
  });
  findings.push(
    refused.json?.['error'] === 'invalid_grant'
      ? ok('QuickBooks', 'Intuit accepts the client id and secret.')
      : problem(
          'QuickBooks',
          'Intuit does not accept the client id and secret.',
          'Copy QBO_CLIENT_ID and QBO_CLIENT_SECRET from the application’s production keys at Intuit.',
        ),
  );
  const api = await ask(qbo.apiUrl);
  if (!api.isAnswered)
    findings.push(problem('QuickBooks', `${api.text} at ${qbo.apiUrl}.`, 'Check QBO_API_URL, DNS and firewall.'));
}

/** Proxy and certificate of the address that users open. */
async function publicAddress(config: Config, findings: Finding[]): Promise<void> {
  if (config.isDemo || config.role === 'worker') return;
  if (config.appUrl === undefined) {
    findings.push(warning('proxy', 'APP_URL is not set.', 'Set it to the public https address.'));
    return;
  }
  const { protocol, hostname, port } = new URL(config.appUrl);
  if (protocol === 'https:') {
    if (config.trustProxy === false)
      findings.push(
        problem('proxy', 'All users share the proxy’s address for login limits.', 'Set TRUST_PROXY to the proxy.'),
      );
    const certificate = await certificateOf(hostname.replace(/^\[|\]$/g, ''), port === '' ? 443 : Number(port));
    if (certificate !== null) findings.push(certificate);
  }
  const health = await ask(`${config.appUrl}/healthz`, { headers: { 'x-forwarded-for': forged } });
  const page = await ask(`${config.appUrl}/login`);
  if (page.status === 421)
    findings.push(
      problem('proxy', 'The proxy does not pass the Host header.', 'In nginx: proxy_set_header Host $host;'),
    );
  else if (health.json === null)
    findings.push(
      warning('proxy', `${health.text} at ${config.appUrl}.`, 'Start the product, and check DNS, proxy and firewall.'),
    );
  else {
    const { version, caller } = (health.json['data'] ?? {}) as {
      readonly version?: unknown;
      readonly caller?: unknown;
    };
    if (caller === forged)
      findings.push(
        problem(
          'proxy',
          'Callers can choose their address: the server believes a forged X-Forwarded-For.',
          'Lower TRUST_PROXY to the number of proxies, and let the first one replace the header.',
        ),
      );
    findings.push(
      version === readVersion()
        ? ok('proxy', `${config.appUrl} answers.`)
        : warning('proxy', `${config.appUrl} runs another version.`, 'Restart it, or check APP_URL.'),
    );
  }
}

async function certificateOf(host: string, port: number): Promise<Finding | null> {
  const found = await new Promise<PeerCertificate | Error>((done) => {
    // Certificates for addresses are checked without a server name.
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...named, timeout: timeoutMs }, () => {
      done(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('timeout')));
    socket.once('error', done);
  });
  if (found instanceof Error)
    // A failed connection is reported for the address itself.
    return /CERT|SIGNATURE|ISSUER/.test(codeOf(found))
      ? problem(
          'certificate',
          `The certificate of ${host} is not trusted (${codeOf(found)}).`,
          'Install a certificate of a public authority with its whole chain.',
        )
      : null;
  const days = Math.floor((Date.parse(found.valid_to) - Date.now()) / 86_400_000);
  return days < minCertificateDays
    ? problem(
        'certificate',
        `The certificate of ${host} expires in ${days} days.`,
        'Renew it; check the automatic renewal.',
      )
    : ok('certificate', `The certificate of ${host} is valid for ${days} days.`);
}

async function mail({ smtpUrl, mailFrom, isDemo, dataDir }: Config, findings: Finding[]): Promise<void> {
  if (isDemo) return;
  if (smtpUrl === undefined) {
    findings.push(
      warning('mail', `Emails are only written into ${join(dataDir, 'mail')}.`, 'Set SMTP_URL and MAIL_FROM.'),
    );
    return;
  }
  try {
    await verifyMailServer(smtpUrl);
    findings.push(ok('mail', 'The mail server accepts the login.'));
    if (/\bno-?reply@/i.test(mailFrom))
      findings.push(
        warning('mail', `Replies to ${mailFrom} reach no one.`, 'Set MAIL_FROM to an address that a person reads.'),
      );
  } catch (error) {
    const why = codeOf(error) === 'EAUTH' ? 'refuses the login' : `does not answer (${codeOf(error)})`;
    findings.push(problem('mail', `The mail server ${why}.`, 'Check host, port, user and password in SMTP_URL.'));
  }
}

interface Answer {
  readonly isAnswered: boolean;
  readonly status: number;
  /** The body; null: none, or no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly dateMs: number | null;
  /** What is wrong, for people. */
  readonly text: string;
}

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    const body = await response.text();
    const date = Date.parse(response.headers.get('date') ?? '');
    return {
      isAnswered: true,
      status: response.status,
      json: objectIn(body),
      dateMs: Number.isNaN(date) ? null : date,
      text: `Unexpected response (status ${response.status})`,
    };
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    const code = codeOf(cause) || codeOf(error) || (error instanceof Error ? error.name : 'unknown');
    return { isAnswered: false, status: 0, json: null, dateMs: null, text: `No response (${code})` };
  }
}

function objectIn(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
