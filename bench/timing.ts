import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { silentLogger } from '#test/support/logger.ts';
import { Client } from 'pg';
import { kolmogorovSmirnov, quantile } from './compare.ts';

/** Below this probability the two kinds could be distinguished (reliability reference 2.3, row 6). */
const minP = 0.01;
/** Failed logins are cleared after this number, before the server slows down any of them. */
const forgetAfter = 4;

const known = 'admin@northwind-msp.example';
const unknown = 'unknown@northwind-msp.example';

const calls = {
  login: { path: '/auth/login', body: (username: string) => ({ username, password: 'Wrong-Passw0rd-1' }) },
  'forgot password': { path: '/auth/forgot-password', body: (email: string) => ({ email }) },
} as const;

/**
 * Measures whether response times reveal that a user exists. Sends real requests to the product's process in random
 * order and compares the whole distributions.
 *
 * @param samples requests of each kind.
 * @returns false when the response times of a call can be distinguished.
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
        if (answer.status === 429) throw new Error(`${name} was rate-limited, so its times are invalid`);
        times[who].push(took);
      };
      for (let round = 0; round < samples; round += 1) {
        if (round % forgetAfter === 0) await database.query('delete from sign_in_failures');
        // Random order: side effects of one request must not always meet the same kind.
        const order = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
        for (const who of order) await ask(who);
      }
      // Drops the first requests, which warm everything up.
      const [one, other] = [times.known.slice(samples / 10), times.unknown.slice(samples / 10)];
      const { distance, p } = kolmogorovSmirnov(one, other);
      if (p <= minP) isFine = false;
      const percentiles = (sample: readonly number[]) =>
        [0.5, 0.9, 0.99].map((share) => quantile(sample, share).toFixed(1)).join(' / ');
      console.log(
        `${name}: ${one.length} each; known ${percentiles(one)} ms, unknown ${percentiles(other)} ms (median / 90 % / 99 %); distance ${distance.toFixed(3)}, p ${p.toFixed(3)}${p <= minP ? '  DISTINGUISHABLE' : ''}`,
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
