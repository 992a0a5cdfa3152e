import { assert, configureGlobal, integer, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createBehaviour } from './behaviour.ts';
import { createClock } from './clock.ts';
import { createFaults } from './faults.ts';
import { html } from './html.ts';
import { BadInput } from './input.ts';
import { createJournal } from './journal.ts';
import { createGauge, createLimitSettings, createSlidingWindow } from './limits.ts';
import { createRandom } from './random.ts';

configureGlobal({ seed: 20_250_303 });

const frozen = () => createClock({ startAt: '2025-03-03T15:00:00Z', frozen: true });

test('a frozen clock does not advance, and scheduled actions run in order at their own time', () => {
  const clock = frozen();
  const seen: string[] = [];
  clock.after(60, () => seen.push(`b ${clock.iso()}`));
  clock.after(5, () => {
    seen.push(`a ${clock.iso()}`);
    clock.after(5, () => seen.push(`a2 ${clock.iso()}`));
  });
  clock.after(5, () => seen.push('called off'))();
  clock.advance(4.999);
  expect(seen).toEqual([]);
  clock.advance(100);
  expect(seen).toEqual(['a 2025-03-03T15:00:05.000Z', 'a2 2025-03-03T15:00:10.000Z', 'b 2025-03-03T15:01:00.000Z']);
  expect(clock.iso()).toBe('2025-03-03T15:01:44.999Z');
  clock.restart(Date.parse('2025-03-02T15:00:00Z'));
  expect(clock.iso()).toBe('2025-03-02T15:00:00.000Z');
  clock.restart();
  expect(clock.iso()).toBe('2025-03-03T15:00:00.000Z');
});

test('a running clock runs due actions automatically', async () => {
  const clock = createClock();
  await new Promise<void>((resolve) => void clock.after(0.01, resolve));
  clock.advance(3600);
  expect(clock.now() - Date.now()).toBeGreaterThan(3_599_000);
  clock.stop();
  expect(() => createClock({ startAt: 'yesterday' })).toThrow(RangeError);
});

test('equal seeds give equal numbers, other seeds do not', () => {
  const numbers = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  assert(
    property(integer(), integer({ min: -50, max: 50 }), nat(100), (seed, min, span) => {
      const value = createRandom(seed).whole(min, min + span);
      return value >= min && value <= min + span && Number.isInteger(value);
    }),
  );
});

test('a sliding window drops each event exactly when it expires', () => {
  const clock = frozen();
  const window = createSlidingWindow(clock, 60);
  window.add('x');
  clock.advance(30);
  window.add('x', 2);
  expect([window.count('x'), window.count('y')]).toEqual([3, 0]);
  expect(window.secondsUntilBelow(3, 'x')).toBe(30);
  expect(window.secondsUntilBelow(1, 'x')).toBe(60);
  expect(window.secondsUntilBelow(4, 'x')).toBe(0);
  clock.advance(30);
  expect(window.count('x')).toBe(2);
  clock.advance(30);
  expect(window.count('x')).toBe(0);
});

test('a gauge counts down once for repeated ends', () => {
  const gauge = createGauge();
  const leave = gauge.enter('x');
  gauge.enter('x');
  leave();
  leave();
  expect(gauge.count('x')).toBe(1);
});

test('limits can be changed and turned off, and invalid ones are rejected with a reason', () => {
  const limits = createLimitSettings({ requests_per_hour: 10_000, concurrent: null });
  expect([limits.of('requests_per_hour'), limits.of('concurrent')]).toEqual([10_000, Infinity]);
  limits.change({ requests_per_hour: 5, concurrent: 2 });
  expect(limits.describe()).toEqual({ enforce: true, requests_per_hour: 5, concurrent: 2 });
  limits.change({ enforce: false });
  expect(limits.of('requests_per_hour')).toBe(Infinity);
  expect(() => limits.change({ requests_per_hour: -1 })).toThrow('requests_per_hour must be a whole number');
  expect(() => limits.change({ pages: 1 })).toThrow('limits has no “pages”');
  limits.reset();
  expect(limits.of('requests_per_hour')).toBe(10_000);
});

test('a switch accepts only its values, and a change is applied completely or not at all', () => {
  const behaviour = createBehaviour({
    strict: { sentence: 'Whether it is strict.', default: true },
    form: { sentence: 'Which form.', default: 'long', values: ['long', 'short'] },
    wait: { sentence: 'How long.', default: 5, min: 0, max: 9 },
  });
  const form: 'long' | 'short' = behaviour.get('form');
  expect([behaviour.get('strict'), form, behaviour.get('wait')]).toEqual([true, 'long', 5]);
  expect(() => behaviour.change({ strict: false, form: 'tiny' })).toThrow('form must be one of: long, short.');
  expect(behaviour.get('strict')).toBe(true);
  for (const bad of [{ strict: 1 }, { wait: 10 }, { other: true }, { constructor: true }, [], null])
    expect(() => behaviour.change(bad)).toThrow(BadInput);
  behaviour.change({ wait: 0, strict: false });
  expect(behaviour.describe().map(({ name, value }) => [name, value])).toEqual([
    ['strict', false],
    ['form', 'long'],
    ['wait', 0],
  ]);
});

test('a rule applies after its skips, as often as configured, to matching requests only', () => {
  const faults = createFaults();
  const hit = (method: string, path: string, body = '') =>
    faults.apply({ method, path, query: '', body: () => body })?.action;
  faults.add({ match: { method: 'post', path: '/Invoice$', body: '"a"' }, skip: 1, times: 2, action: { status: 503 } });
  expect(hit('POST', '/v3/company/1/invoice', '{"a":1}')).toBeUndefined();
  expect(hit('GET', '/v3/company/1/invoice', '{"a":1}')).toBeUndefined();
  expect(hit('POST', '/v3/company/1/invoice', '{"b":1}')).toBeUndefined();
  expect(hit('POST', '/v3/company/1/invoice', '{"a":1}')).toEqual({ status: 503 });
  expect(hit('POST', '/v3/company/1/invoice', '{"a":1}')).toEqual({ status: 503 });
  expect(hit('POST', '/v3/company/1/invoice', '{"a":1}')).toBeUndefined();
});

test('probability is seeded: the same rule applies to the same requests', () => {
  const run = (seed: number) => {
    const faults = createFaults();
    faults.add({ probability: 0.5, seed, action: { status: 500 } });
    return Array.from({ length: 30 }, () =>
      faults.apply({ method: 'GET', path: '/', query: '', body: () => '' }) ? 1 : 0,
    );
  };
  expect(run(3)).toEqual(run(3));
  expect(run(3)).not.toEqual(run(4));
  expect(new Set(run(3)).size).toBe(2);
});

test.each([
  [{}, 'action must be a JSON object'],
  [{ action: {} }, 'action must have one of'],
  [{ action: { status: 99 } }, 'action.status must be 200 or more'],
  [{ action: { reset: 'soon' } }, 'action.reset must be one of'],
  [{ action: { reset: 'late' } }, 'goes with reset “late”'],
  [{ action: { reset: 'after', apply_after_seconds: 1 } }, 'and only with it'],
  [{ action: { reset: 'after', status: 500 } }, 'only one of'],
  [{ action: { truncate: 1, body: 'x' } }, 'action.body only goes with status'],
  [{ action: { status: 500, headers: { a: 1 } } }, 'action.headers.a must be a text'],
  [{ match: { path: '(' }, action: { status: 500 } }, 'not a regular expression'],
  [{ match: { host: 'x' }, action: { status: 500 } }, 'match has no “host”'],
  [{ times: 0, action: { status: 500 } }, 'times must be 1 or more'],
  [{ probability: 2, action: { status: 500 } }, 'probability must be 1 or less'],
])('rejects the fault rule %j with a reason', (rule, reason) => {
  expect(() => createFaults().add(rule)).toThrow(reason);
});

test('the journal stays within its limits and keeps numbering', () => {
  const journal = createJournal({ maxEntries: 3, maxBodyCharacters: 25, maxCharactersPerBody: 10 });
  const add = (request_body: string) =>
    journal.open({
      sequence: journal.nextSequence(),
      time: '',
      method: 'GET',
      path: '/',
      query: '',
      owner: null,
      status: 200,
      duration_ms: 0,
      applied: false,
      fault: null,
      request_body,
      response_body: '',
    });
  for (let n = 0; n < 5; n += 1) add('');
  expect(journal.since(0).map((entry) => entry.sequence)).toEqual([3, 4, 5]);
  expect(journal.since(4).map((entry) => entry.sequence)).toEqual([5]);
  const long = add('0123456789abcdef');
  expect(long.request_body).toBe('0123456789…');
  journal.settle(long, 'x'.repeat(50));
  add('01234567');
  expect(journal.since(0).map((entry) => entry.sequence)).toEqual([7]);
  journal.clear();
  expect([journal.since(0), journal.last(), journal.nextSequence()]).toEqual([[], 7, 8]);
});

test('escapes text in HTML', () => {
  const name = `<script>"O'Brien" & co`;
  expect(html`<p title="${name}">${[html`<b>${1}</b>`, name]}${false}${null}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;O&#39;Brien&quot; &amp; co"><b>1</b>&lt;script&gt;&quot;O&#39;Brien&quot; &amp; co</p>',
  );
});
