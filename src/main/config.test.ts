import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: 'k3Vd0q9ZtB6yLmXw8sRfHnJcAe2uPgT5',
  AUTOTASK_INTEGRATION_CODE: 'code',
  QBO_CLIENT_ID: 'id',
  QBO_CLIENT_SECRET: 'secret',
  QBO_WEBHOOK_VERIFIER: 'verifier',
};
const read = (change: Readonly<Record<string, string>>) => readConfig({ ...production, ...change });

describe('a secret that people make up', () => {
  const weak = [
    ['32 equal letters', 'x'.repeat(32)],
    ['two letters in turn', 'ab'.repeat(20)],
    ['a word again and again', 'changeme'.repeat(4)],
    ['a sentence that begins anew', 'this is my secret this is my secret '],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['digits', '1234567890123456789012345678901234567890'],
    ['few different letters', 'aabbbabaabbaabababbabaabbbaababa'],
  ] as const;
  test.each(weak)('is refused: %s', (_what, secret) => {
    expect(() => read({ SECRET_KEY: secret })).toThrow('SECRET_KEY (is too easy to guess');
    expect(() => read({ SECRET_KEY: `${production.SECRET_KEY},${secret}` })).toThrow('SECRET_KEY (is too easy');
    expect(() => read({ METRICS_TOKEN: secret })).toThrow('METRICS_TOKEN (is too easy to guess');
  });

  test.each([
    ['base64', production.SECRET_KEY],
    ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015'],
    ['words', 'orbit-velvet-cactus-thimble-ember-quartz'],
    ['several', `${production.SECRET_KEY}, 9f86d081884c7d659a2feaa0c55ad015`],
  ])('is not what chance makes: %s', (_what, secret) => {
    expect(read({ SECRET_KEY: secret }).secretKey).toBe(secret);
  });
});

describe('the proxies in front', () => {
  test.each([
    [undefined, false],
    ['', false],
    ['1', 1],
    ['5', 5],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['loopback, 192.0.2.7, 2001:db8::/32', ['loopback', '192.0.2.7', '2001:db8::/32']],
  ])('%s', (text, expected) => {
    expect(readConfig({ ...production, TRUST_PROXY: text }).trustProxy).toEqual(expected);
  });

  test.each([
    '0',
    '6',
    '-1',
    '1.5',
    'true',
    '*',
    'all',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0',
    '4.0.0.0/2',
    '1.2.3.4/33',
    '::1/200',
    'proxy.example',
    '10.0.0.0/8,',
  ])('that are senseless are refused: %s', (text) =>
    expect(() => read({ TRUST_PROXY: text })).toThrow('TRUST_PROXY ('),
  );
});

describe('the address of the application', () => {
  test('outside a demo is https, or on this machine', () => {
    expect(() => read({ APP_URL: 'http://tallybridge.example' })).toThrow('APP_URL must begin with https://');
    expect(() => read({ APP_URL: 'http://localhost.example' })).toThrow('APP_URL must begin with https://');
    for (const url of ['https://tallybridge.example', 'http://localhost:3000', 'http://127.0.0.1:3000'])
      expect(read({ APP_URL: url }).appUrl).toBe(url);
    expect(readConfig({ APP_URL: 'http://tallybridge.example' }).isDemo).toBe(true);
  });
});
