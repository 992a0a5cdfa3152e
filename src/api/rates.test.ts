import { expect, test } from 'vitest';
import { createRates, TooManyCalls } from './rates.ts';

const client = { key: 'client a', perMinute: 2 };

test('restarts each minute and returns the remaining time', () => {
  let now = 5_000;
  const rates = createRates(() => now);
  rates.admit([client]);
  rates.admit([client]);
  now += 20_500;
  const refused = () => rates.admit([client]);
  expect(refused).toThrow(TooManyCalls);
  expect(refused).toThrow(expect.objectContaining({ retryAfterSeconds: 40 }));
  now += 39_500;
  expect(refused).not.toThrow();
});

test('does not count a rejected call', () => {
  const rates = createRates(() => 0);
  const user = { key: 'user a', perMinute: 1 };
  rates.admit([user, client]);
  for (let tries = 0; tries < 5; tries += 1) expect(() => rates.admit([user, client])).toThrow(TooManyCalls);
  expect(() => rates.admit([client])).not.toThrow();
});

test('counts a limited number of callers', () => {
  const rates = createRates(() => 0);
  rates.admit([client, client]);
  expect(() => rates.admit([client])).toThrow(TooManyCalls);
  for (let address = 0; address < 100_000; address += 1) rates.admit([{ key: `address ${address}`, perMinute: 1 }]);
  expect(() => rates.admit([client])).not.toThrow();
});
