import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hashPassword } from '#flows/access/passwords.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { signIn } from '#test/support/api-client.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { silentLogger } from '#test/support/logger.ts';
import { Client, type QueryResultRow } from 'pg';
import { quantile } from './compare.ts';
import { attacks, signedMessage, sweeps, type Order } from './neighbor-noise.ts';

/** Limit of the slowdown of the screens, at the median and at the 99th percentile. */
const maxFactor = 2;
/** Each call can wait for the one call in progress; a file of 3 ms would exceed the factor by that alone. */
const callInProgressMs = 5;
const password = 'A-Quiet-Neighbor-1';
const quiet = 'admin@quiet-msp.example';
/** Calls of the screens that users look at all day. */
const screenCalls = ['/api/my', '/api/my/settings/', '/api/my/logs?page=1', '/api/my/attention'];
/**
 * Factor of the rounds in which a case above the limit is measured again. In a short stretch, the 99th percentile is the
 * slowest of a hundred calls, which any pause of the machine decides.
 */
const again = 5;
/** Time in which the database clears the load of an attack. */
const settleMs = 1_500;

/** Timed calls of the neighbor. The last three are rarer, so only their median counts. */
const groups = ['screens', 'page', 'login', 'webhook'] as const;
type Times = Readonly<Record<(typeof groups)[number], number[]>>;
const noTimes = (): Times => ({ screens: [], page: [], login: [], webhook: [] });

/** Numbers of parallel callers of a sweep. */
const sweptCallers = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 28, 40];

interface Case {
  readonly name: string;
  /** Parallel callers; those of the attack by default. */
  readonly callers?: number;
}

/**
 * Measures the neighbor with each attack.
 *
 * @param rounds of a quiet and a noisy stretch for each attack.
 * @param stretchMs length of a stretch.
 * @param only the name of one attack; all of them by default.
 * @returns false when an attack slows a neighbor down more than twice.
 */
export const neighbor = (rounds: number, stretchMs: number, only?: string): Promise<boolean> =>
  compare(
    rounds,
    stretchMs,
    Object.keys(attacks).flatMap((name) => (only === undefined || only === name ? [{ name }] : [])),
  );

/**
 * Measures the neighbor with each swept load and 1 to 40 parallel callers: a limit must hold at every number. A case
 * above the limit is measured again for longer, and that result counts.
 *
 * @param only beginning of the name of a load; all of them by default.
 * @returns false when a load slows a neighbor down more than twice.
 */
export const sweep = (rounds: number, stretchMs: number, only = ''): Promise<boolean> =>
  compare(
    rounds,
    stretchMs,
    Object.keys(sweeps)
      .filter((name) => name.startsWith(only))
      .flatMap((name) => sweptCallers.map((callers) => ({ name, callers }))),
  );

/**
 * Measures whether one client's load slows another one down. The product runs as a process. For each attack, quiet and
 * noisy stretches alternate, so that other load of the machine affects both. Meanwhile a user of another client opens
 * screens, loads the page and logs in from a known browser, and QuickBooks delivers a large webhook.
 *
 * @returns false when one of the cases slows a neighbor down more than twice.
 */
async function compare(rounds: number, stretchMs: number, cases: readonly Case[]): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const fixture = await newProcessFixture();
  let noise: ChildProcess | undefined;
  try {
    // Callers with IPv6 addresses come through a proxy. With a proxy, the demo generates its passwords.
    const { url } = await fixture.start({ DATABASE_URL: postgres.url, TRUST_PROXY: '1' });
    const demoPassword = (await readFile(join(fixture.dataDir, 'demo-password'), 'utf8')).trim();
    await addQuiet(postgres.url);
    const loud = await signIn(url, 'admin@northwind-msp.example', demoPassword);
    await loud.connectQuickBooks();
    await loud.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const other = await login(url, 'admin@northwind-msp.example', demoPassword);
    const known = await login(url, 'admin@northwind-msp.example', demoPassword, { 'sec-fetch-site': 'same-origin' });
    const credentials = await fetch(`${fixture.quickbooks.url}/__sandbox/credentials`);
    const { webhookVerifier, realms } = (await credentials.json()) as {
      readonly webhookVerifier: string;
      readonly realms: readonly [{ readonly realmId: string }];
    };
    const [customer] = await fixture.quickbooks.list('Customer');
    const listen = await neighborOf(url, webhookVerifier);
    noise = fork(join(import.meta.dirname, 'neighbor-noise.ts'), {
      env: {
        ...process.env,
        NOISE_URL: url,
        NOISE_TOKEN: other.token,
        NOISE_CUSTOMER: JSON.stringify(customer?.['Id']),
        NOISE_LOGIN: JSON.stringify({
          body: JSON.stringify({ username: 'admin@northwind-msp.example', password: demoPassword }),
          headers: { 'sec-fetch-site': 'same-origin', cookie: known.cookies },
        }),
        NOISE_VERIFIER: webhookVerifier,
        NOISE_COMPANY: realms[0].realmId,
      },
    });
    const order = (one: Order) => noise?.send(one);
    await listen(stretchMs);
    let isGood = true;
    const measure = async ({ name, callers }: Case, times: number): Promise<boolean> => {
      await forgetTries(postgres.url);
      const [calm, busy] = [noTimes(), noTimes()];
      const counts: unknown[] = [];
      for (let round = 0; round < times; round += 1) {
        merge(calm, await listen(stretchMs));
        order({ do: 'begin', attack: name, ...(callers !== undefined && { callers }) });
        await delay(500);
        merge(busy, await listen(stretchMs));
        const ended = new Promise((done) => noise?.once('message', done));
        order({ do: 'end' });
        counts.push(await ended);
        await delay(settleMs);
      }
      return report(callers === undefined ? name : `${callers} × ${name}`, calm, busy, counts);
    };
    for (const one of cases) isGood = ((await measure(one, rounds)) || (await measure(one, rounds * again))) && isGood;
    console.log(
      `load ${loadavg()
        .map((value) => value.toFixed(1))
        .join(' ')}`,
    );
    return isGood;
  } finally {
    noise?.kill();
    await fixture.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Returns the signed-in neighbor as a function. Each call of it measures for a while and returns the response times.
 */
async function neighborOf(url: string, verifier: string): Promise<(forMs: number) => Promise<Times>> {
  const { token } = await login(url, quiet, password);
  // A session of a browser needs its cookie with each call; the calls of the screens are those of a program.
  const { cookies } = await login(url, quiet, password, { 'sec-fetch-site': 'same-origin' });
  const message = signedMessage(verifier, '9');
  const ask: Readonly<Record<keyof Times, (count: number) => Promise<unknown>>> = {
    screens: (count) =>
      answered(`${url}${screenCalls[count % screenCalls.length]}`, { headers: { authorization: `Bearer ${token}` } }),
    page: () => answered(`${url}/login`),
    login: () => login(url, quiet, password, { 'sec-fetch-site': 'same-origin', cookie: cookies }),
    webhook: () =>
      answered(`${url}/webhooks/qbo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...message.headers },
        body: message.body,
      }),
  };
  const turns = [...Array<keyof Times>(12).fill('screens'), 'page', 'login', 'page', 'webhook'] as const;
  let count = 0;
  return async (forMs) => {
    const times = noTimes();
    for (const until = performance.now() + forMs; performance.now() < until; count += 1) {
      const group = turns[count % turns.length] ?? 'screens';
      const began = performance.now();
      await ask[group](count);
      times[group].push(performance.now() - began);
      // Simulates the pace of a person: simultaneous calls would wait for each other.
      await delay(2);
    }
    return times;
  };
}

async function answered(url: string, init: RequestInit = {}): Promise<void> {
  const answer = await fetch(url, init);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`the neighbor received ${answer.status} for ${url}`);
}

/** @param headers those of a browser; none for a program. */
async function login(
  url: string,
  username: string,
  secret: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly token: string; readonly cookies: string }> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username, password: secret }),
  });
  const { data } = (await answer.json()) as { data?: { token?: string } };
  if (data?.token === undefined) throw new Error(`${username} could not log in: ${answer.status}`);
  const set = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '');
  return { token: data.token, cookies: set.join('; ') };
}

/** Logins are counted for 15 minutes; each case begins without earlier ones. */
const forgetTries = (url: string) => query(url, 'delete from sign_in_failures');

async function query<Row extends QueryResultRow>(url: string, statement: string) {
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    return await database.query<Row>(statement);
  } finally {
    await database.end();
  }
}

function merge(into: Times, from: Times): void {
  for (const group of groups) into[group].push(...from[group]);
}

/** Prints one row of the table; false when the attack slows the neighbor down more than twice. */
function report(name: string, calm: Times, busy: Times, counts: unknown): boolean {
  const cells = groups.map((group) => {
    const at = (share: number) => {
      const [before, after] = [quantile(calm[group], share), quantile(busy[group], share)];
      const factor = after / before;
      const isGood = factor <= maxFactor || after - before <= callInProgressMs;
      return { text: `${before.toFixed(1)} → ${after.toFixed(1)}`, factor, isGood };
    };
    const [median, top] = [at(0.5), at(0.99)];
    const isGood = median.isGood && (group !== 'screens' || top.isGood);
    const shown = group === 'screens' ? `${median.text}, 99 % ${top.text}, ×${top.factor.toFixed(2)}` : median.text;
    return { isGood, text: `${group} ${shown} (×${median.factor.toFixed(2)})${isGood ? '' : ' TOO MUCH'}` };
  });
  console.log(`${name.padEnd(14)} ${cells.map(({ text }) => text).join(' | ')} | ${JSON.stringify(counts)}`);
  return cells.every(({ isGood }) => isGood);
}

async function addQuiet(url: string): Promise<void> {
  const database = await openDatabase(url, { logger: silentLogger });
  try {
    const clock = await databaseClock(database, silentLogger);
    const store = createStore({ database, vault: createVault('a secret key that only this comparison knows'), clock });
    const { id } = await store.addTenant({ name: 'Quiet MSP', status: 'active', timeZone: 'America/Chicago' });
    const passwordHash = await hashPassword(password);
    await store.addUser({ username: quiet, passwordHash, roles: ['clientadmin'], tenantId: id, isActive: true });
    clock.stop();
  } finally {
    await database.close();
  }
}
