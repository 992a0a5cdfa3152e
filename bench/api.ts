import { Agent, get } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '#test/support/api-client.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { quantile } from './compare.ts';
import { costOf } from './cost.ts';

/** Calls of the screens that users have open all day. */
const screenCalls = ['/api/my/logs?page=1', '/api/my', '/api/my/settings/', '/api/my/attention', '/api/my/jobs'];
/** A call that reads no data: the minimum time of server, machine and measurement. */
const floor = ['/healthz'];
/** Faster calls without a session would wait: they are paced by address. */
const floorRate = 90;
const goalMs = 25;

interface Sample {
  readonly times: readonly number[];
  readonly refused: number;
  readonly cpuMs: number;
}

/**
 * Measures response times at a fixed rate, from the moment a call was due until its last byte, even if earlier calls
 * are slow. Stretches of screen calls alternate with stretches of a call that reads no data.
 *
 * @param rate calls per second.
 * @param seconds length of each stretch.
 * @param rounds number of both stretches.
 * @returns false when fewer than 99 % of the screens' calls are answered within 25 ms, or one is refused.
 */
export async function api(rate: number, seconds: number, rounds: number): Promise<boolean> {
  const fixture = await newProcessFixture();
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  try {
    const product = await fixture.start();
    const client = await signIn(product.url);
    await client.connectQuickBooks();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const token = await tokenOf(product.url);
    const stretch = async (paths: readonly string[], perSecond = rate): Promise<Sample> => {
      const before = await costOf([product.pid]);
      const calls: Promise<number | null>[] = [];
      const began = performance.now();
      for (let call = 0; call < perSecond * seconds; call += 1) {
        const due = began + (call * 1_000) / perSecond;
        const early = due - performance.now();
        if (early > 1) await delay(early);
        calls.push(answered(`${product.url}${paths[call % paths.length]}`, token, agent, due));
      }
      const times = await Promise.all(calls);
      const { cpuMs } = await costOf([product.pid]);
      const answeredIn = times.filter((time) => time !== null);
      return { times: answeredIn, refused: times.length - answeredIn.length, cpuMs: cpuMs - before.cpuMs };
    };
    await stretch(screenCalls);
    const found: Record<'screens' | 'floor', Sample[]> = { screens: [], floor: [] };
    for (let round = 0; round < rounds; round += 1) {
      found.floor.push(await stretch(floor, Math.min(rate, floorRate)));
      found.screens.push(await stretch(screenCalls));
    }
    const [base, screens] = [joined(found.floor), joined(found.screens)];
    report(`a call without data, ${Math.min(rate, floorRate)} per second`, base);
    report(`screen calls, ${rate} per second`, screens);
    const p99 = quantile(screens.times, 0.99);
    const isGood = p99 <= goalMs && screens.refused === 0;
    const load = loadavg().map((value) => value.toFixed(1));
    console.log(`99 %: goal ${goalMs} ms${isGood ? '' : '  MISSED'}; load ${load.join(' ')}`);
    return isGood;
  } finally {
    agent.destroy();
    await fixture.close();
  }
}

/** Returns the milliseconds from when a call was due until its response was complete; null when it was refused. */
const answered = (url: string, token: string, agent: Agent, due: number): Promise<number | null> =>
  new Promise((done, failed) => {
    get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      answer.on('end', () => done(answer.statusCode === 200 ? performance.now() - due : null));
    }).on('error', failed);
  });

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin@northwind-msp.example', password: 'Demo-Passw0rd!' }),
  });
  const { data } = (await answer.json()) as { data?: { token?: string } };
  if (data?.token === undefined) throw new Error('the demo administrator could not log in');
  return data.token;
}

const joined = (samples: readonly Sample[]): Sample => ({
  times: samples.flatMap(({ times }) => times),
  refused: samples.reduce((count, one) => count + one.refused, 0),
  cpuMs: samples.reduce((count, one) => count + one.cpuMs, 0),
});

function report(what: string, { times, refused, cpuMs }: Sample): void {
  const [median, p99] = [quantile(times, 0.5).toFixed(1), quantile(times, 0.99).toFixed(1)];
  const cost = (cpuMs / (times.length + refused)).toFixed(2);
  console.log(`${what}: median ${median} ms, 99 % ${p99} ms, server ${cost} ms CPU per call, ${refused} rejected`);
}
