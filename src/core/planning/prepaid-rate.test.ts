import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, equals, minus, round2, times, zero } from '../values/decimal.ts';
import { recordedRate } from './prepaid-shortfall.ts';

test('a balance that is taken at its recorded rate ends at 0 in both currencies', () => {
  const cents = fc.integer({ min: 1, max: 100_000_000 }).map((whole) => decimal((whole / 100).toFixed(2)));
  const rates = fc.integer({ min: 10, max: 300_000 }).map((whole) => decimal((whole / 10_000).toFixed(4)));
  fc.assert(
    fc.property(
      cents,
      rates,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      (own, at, parts) => {
        let balance = { own, home: round2(times(own, at)) };
        fc.pre(!equals(balance.home, zero));
        for (const part of [...parts, 1]) {
          const taken = part === 1 ? balance.own : round2(times(balance.own, decimal(part.toFixed(4))));
          const home = round2(times(taken, recordedRate(balance)));
          balance = { own: minus(balance.own, taken), home: minus(balance.home, home) };
          if (equals(balance.own, zero) || !balance.home.match(/[1-9]/)) break;
        }
        if (equals(balance.own, zero)) expect(balance.home).toBe(zero);
      },
    ),
    { seed: 20_250_303 },
  );
});

test('a rate has as few decimals as give the amount in the home currency', () => {
  expect(recordedRate({ own: decimal('1350'), home: decimal('999.27') })).toBe('0.7402');
  expect(recordedRate({ own: decimal('945'), home: decimal('699.49') })).toBe('0.7402');
});
