import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { silentLogger } from '#test/support/logger.ts';
import { Client } from 'pg';
import { kolmogorovSmirnov, quantile } from './compare.ts';

/** Below this the two would be told apart (reliability reference 2.3, row 6). */
const leastP = 0.01;
/** Tries are forgotten before any of them is slowed down. */
const forgetAfter = 4;

const known = 'admin@northwind-msp.example';
const unknown = 'nobody@northwind-msp.example';

const calls = {
  login: { path: '/auth/login', body: (username: string) => ({ username, password: 'Wrong-Passw0rd-1' }) },
  'forgot password': { path: '/auth/forgot-password', body: (email: string) => ({ email }) },
} as const;

/**
 * Does the time of an answer tell whether there is such a user? Real requests to the product as a process, in an
 * order by chance, compared over all of their distribution.
 *
 * @param samples requests of each kind.
 * @returns false when one call can be told apart.
 */
export async function timing(samples: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const fixture = await newProcessFixture();
  const database = new Client({ connectionString: postgres.url });
  try {
    await database.connect();
    const { url } = await fixture.start({ DATABASE_URL: postgres.url });
    let isFine = true;
    for (const [name, { path, body }] of Object.entries(calls)) {
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      const ask = async (who: 'known' | 'unknown') => {
        const began = performance.now();
        const answer = await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body(who === 'known' ? known : unknown)),
        });
        await answer.text();
        const took = performance.now() - began;
        if (answer.status === 429) throw new Error(`${name} was slowed down: its times say nothing`);
        times[who].push(took);
      };
      for (let round = 0; round < samples; round += 1) {
        if (round % forgetAfter === 0) await database.query('delete from sign_in_failures');
        // By chance: whatever one request leaves behind must not always meet the same kind.
        const order = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
        for (const who of order) await ask(who);
      }
      // The first requests warm everything up.
      const [one, other] = [times.known.slice(samples / 10), times.unknown.slice(samples / 10)];
      const { distance, p } = kolmogorovSmirnov(one, other);
      if (p <= leastP) isFine = false;
      const percentiles = (sample: readonly number[]) =>
        [0.5, 0.9, 0.99].map((share) => quantile(sample, share).toFixed(1)).join(' / ');
      console.log(
        `${name}: ${one.length} each; known ${percentiles(one)} ms, unknown ${percentiles(other)} ms (median / 90 % / 99 %); distance ${distance.toFixed(3)}, p ${p.toFixed(3)}${p <= leastP ? '  CAN BE TOLD APART' : ''}`,
      );
    }
    return isFine;
  } finally {
    await database.end();
    await fixture.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
