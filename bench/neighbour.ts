import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hashPassword } from '#flows/access/passwords.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { silentLogger } from '#test/support/logger.ts';
import { quantile } from './compare.ts';

/** Limit of the slowdown: the p99 of an answer is at most twice its quiet value. */
const mostFactor = 2;
const password = 'A-Quiet-Neighbour-1';
const quiet = 'admin@quiet-msp.example';
/** Calls of the screens that somebody looks at all day. */
const looks = ['/api/my', '/api/my/settings/', '/api/my/logs?page=1', '/api/my/attention'];

/**
 * Does one client's load slow another one down? The product as a process; a client makes its dearest calls, 48 at a time,
 * while another one looks at its screens, call after call. Quiet and noisy stretches alternate, so that whatever else the
 * machine does meets both.
 *
 * @param rounds of a quiet and a noisy stretch each.
 * @param stretchMs how long each lasts.
 * @returns false when the p99 of the noisy stretches is more than twice that of the quiet ones.
 */
export async function neighbour(rounds: number, stretchMs: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const fixture = await newProcessFixture();
  let noise: ChildProcess | undefined;
  try {
    const { url } = await fixture.start({ DATABASE_URL: postgres.url });
    await addQuiet(postgres.url);
    const signIn = async (username: string, secret: string): Promise<string> => {
      const answer = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: secret }),
      });
      const { data } = (await answer.json()) as { data?: { token?: string } };
      if (data?.token === undefined) throw new Error(`${username} could not sign in`);
      return data.token;
    };
    const [own, other] = [await signIn(quiet, password), await signIn('admin@northwind-msp.example', 'Demo-Passw0rd!')];
    const loud = fork(join(import.meta.dirname, 'neighbour-noise.ts'), {
      env: { ...process.env, NOISE_URL: url, NOISE_TOKEN: other },
    });
    noise = loud;
    let call = 0;
    const listen = async (): Promise<number[]> => {
      const times: number[] = [];
      for (const until = performance.now() + stretchMs; performance.now() < until;) {
        const began = performance.now();
        const answer = await fetch(`${url}${looks[call % looks.length]}`, {
          headers: { authorization: `Bearer ${own}` },
        });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`the quiet client was answered ${answer.status}`);
        times.push(performance.now() - began);
        call += 1;
        // A person's pace: what comes all at once would wait for itself.
        await delay(2);
      }
      return times;
    };
    await listen();
    const [calm, busy]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      calm.push(...(await listen()));
      loud.send('on');
      await delay(500);
      busy.push(...(await listen()));
      loud.send('off');
      // Calls under way end, and the load that they left in the database is cleared.
      await delay(3_000);
    }
    const counts = await new Promise((done) => {
      loud.once('message', done);
      loud.send('report');
    });
    const percentiles = (sample: readonly number[]) =>
      [0.5, 0.9, 0.99].map((share) => quantile(sample, share).toFixed(1)).join(' / ');
    const factor = quantile(busy, 0.99) / quantile(calm, 0.99);
    console.log(`quiet: ${calm.length} answers, ${percentiles(calm)} ms (median / 90 % / 99 %)`);
    console.log(
      `noisy: ${busy.length} answers, ${percentiles(busy)} ms; the neighbour's calls: ${JSON.stringify(counts)}`,
    );
    const load = loadavg().map((value) => value.toFixed(1));
    console.log(
      `factor at 99 %: ${factor.toFixed(2)}${factor > mostFactor ? '  TOO MUCH' : ''}; load ${load.join(' ')}`,
    );
    return factor <= mostFactor;
  } finally {
    noise?.kill();
    await fixture.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
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
