import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig, variableNames } from './config.ts';

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/real',
  SECRET_KEY: 'k3Vd0q9ZtB6yLmXw8sRfHnJcAe2uPgT5',
  AUTOTASK_INTEGRATION_CODE: 'code',
  QBO_CLIENT_ID: 'id',
  QBO_CLIENT_SECRET: 'secret',
  QBO_WEBHOOK_VERIFIER: 'verifier',
};
const read = (change: Readonly<Record<string, string>>) => readConfig({ ...production, ...change });

describe('a secret', () => {
  const weak = [
    ['32 equal characters', 'x'.repeat(32)],
    ['two alternating letters', 'ab'.repeat(20)],
    ['a repeated word', 'changeme'.repeat(4)],
    ['a repeated sentence', 'this is my secret this is my secret '],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['digits', '1234567890123456789012345678901234567890'],
    ['few different characters', 'aabbbabaabbaabababbabaabbbaababa'],
  ] as const;
  test.each(weak)('is rejected: %s', (_what, secret) => {
    expect(() => read({ SECRET_KEY: secret })).toThrow('SECRET_KEY (is too easy to guess');
    expect(() => read({ SECRET_KEY: `${production.SECRET_KEY},${secret}` })).toThrow('SECRET_KEY (is too easy');
    expect(() => read({ METRICS_TOKEN: secret })).toThrow('METRICS_TOKEN (is too easy to guess');
  });

  test.each([
    ['base64', production.SECRET_KEY],
    ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015'],
    ['words', 'orbit-velvet-cactus-thimble-ember-quartz'],
    ['several', `${production.SECRET_KEY}, 9f86d081884c7d659a2feaa0c55ad015`],
  ])('is accepted: %s', (_what, secret) => {
    expect(read({ SECRET_KEY: secret }).secretKey).toBe(secret);
  });
});

describe('trusted proxies', () => {
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
  ])('are rejected: %s', (text) => expect(() => read({ TRUST_PROXY: text })).toThrow('TRUST_PROXY ('));
});

describe('the application URL', () => {
  test('must use https or be local outside a demo', () => {
    expect(() => read({ APP_URL: 'http://tallybridge.example' })).toThrow('APP_URL must begin with https://');
    expect(() => read({ APP_URL: 'http://localhost.example' })).toThrow('APP_URL must begin with https://');
    for (const url of ['https://tallybridge.example', 'http://localhost:3000', 'http://127.0.0.1:3000'])
      expect(read({ APP_URL: url }).appUrl).toBe(url);
    expect(readConfig({ APP_URL: 'http://tallybridge.example', DEMO: 'true' }).isDemo).toBe(true);
  });
});

describe('the demo', () => {
  const key = production.SECRET_KEY;
  test.each<[environment: Record<string, string>, isDemo: boolean]>([
    [{}, true],
    [{ PORT: '3100', HOST: '0.0.0.0', DATA_DIR: 'data', LOG_LEVEL: 'debug' }, true],
    [{ AUTOTASK_URL: 'http://127.0.0.1:4010', QBO_API_URL: 'http://localhost:4020' }, true],
    [{ DEMO: 'true', DATABASE_URL: 'postgres://db/demo', SECRET_KEY: key }, true],
    [{ DEMO: 'true', NODE_ENV: 'production' }, true],
  ])('%j starts a demo: %j', (environment, isDemo) => expect(readConfig(environment).isDemo).toBe(isDemo));

  test.each<Record<string, string>>([
    { DATABASE_URL: 'postgres://db/real' },
    { SECRET_KEY: key },
    { APP_URL: 'https://tallybridge.example' },
    { DATABASE_URL: 'postgres://db/real', SECRET_KEY: key, APP_URL: 'https://tallybridge.example' },
    { QBO_CLIENT_ID: 'id' },
    { SMTP_URL: 'smtp://mail.example' },
    { METRICS_TOKEN: key },
    { MAIL_FROM: 'billing@msp.example' },
    { SECURITY_CONTACT: 'mailto:security@msp.example' },
    { TRUST_PROXY: '1' },
    { AUTOTASK_URL: 'https://webservices5.autotask.net/ATServicesRest/' },
    { QBO_API_URL: 'https://sandbox-quickbooks.api.intuit.com' },
    { NODE_ENV: 'production' },
    { DEMO: 'false' },
  ])('%j never starts a demo', (environment) =>
    expect(() => readConfig(environment)).toThrow(/^Outside demo mode these variables must be set: .*QBO_/),
  );

  test.each<[environment: Record<string, string>, isExposed: boolean]>([
    [{}, false],
    [{ HOST: '127.0.0.1' }, false],
    [{ HOST: 'localhost' }, false],
    [{ HOST: '::1' }, false],
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '::' }, true],
    [{ HOST: '192.168.1.20' }, true],
    [{ HOST: '127.0.0.1.example' }, true],
    [{ DEMO: 'true', APP_URL: 'https://demo.example' }, true],
    [{ DEMO: 'true', TRUST_PROXY: '1' }, true],
    [{ DEMO: 'true', APP_URL: 'http://localhost:3000' }, false],
  ])('%j is reachable from other machines: %j', (environment, isExposed) =>
    expect(readConfig(environment).isExposedDemo).toBe(isExposed),
  );

  test.each([
    ['AUTOTASK_INTEGRATION_CODE', 'code'],
    ['QBO_CLIENT_ID', 'id'],
    ['QBO_CLIENT_SECRET', 'secret'],
    ['QBO_WEBHOOK_VERIFIER', 'verifier'],
    ['AUTOTASK_URL', 'https://webservices5.autotask.net/ATServicesRest/'],
    ['QBO_DISCOVERY_URL', 'https://developer.api.intuit.com/.well-known/openid_configuration'],
    ['QBO_API_URL', 'https://sandbox-quickbooks.api.intuit.com'],
  ])('never sends %s of a deployment to a sandbox', (name, value) =>
    expect(() => readConfig({ DEMO: 'true', [name]: value })).toThrow(
      `A demo uses the sandbox services only, so these variables must not be set: ${name}. Unset them, or run a deployment with DEMO=false.`,
    ),
  );
});

describe('a secret in a file', () => {
  test('is read without its line break', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tallybridge-config-'));
    const path = join(folder, 'key');
    const secret = '9f86d081884c7d659a2feaa0c55ad015';
    writeFileSync(path, `${secret}\n`);
    const { SECRET_KEY: _, ...others } = production;
    expect(readConfig({ ...others, SECRET_KEY_FILE: path }).secretKey).toBe(secret);
    expect(() => read({ SECRET_KEY_FILE: path })).toThrow('SECRET_KEY and SECRET_KEY_FILE are both set');
    rmSync(folder, { recursive: true });
    expect(() => readConfig({ ...others, SECRET_KEY_FILE: path })).toThrow(
      'The file of SECRET_KEY_FILE cannot be read (ENOENT)',
    );
  });
});

test('a mail server needs a sender', () => {
  expect(() => read({ SMTP_URL: 'smtp://mail.example' })).toThrow('these variables must be set: MAIL_FROM');
  const sender = 'Billing <billing@msp.example>';
  expect(read({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: sender }).mailFrom).toBe(sender);
});

test.each([
  ['PORT', 'web', 'PORT (must be a whole number)'],
  ['PORT', '1.5', 'PORT (must be a whole number)'],
  ['SYNC_INTERVAL_MINUTES', '0', 'SYNC_INTERVAL_MINUTES (must be at least 1)'],
  ['SYNC_INTERVAL_MINUTES', '1441', 'SYNC_INTERVAL_MINUTES (must be at most 1440)'],
  ['TALLYBRIDGE_ROLE', 'web', 'TALLYBRIDGE_ROLE (must be one of: api, worker, all)'],
  ['APP_URL', 'here', 'APP_URL (must be an address (URL))'],
])('%s=%s is rejected with what it must be', (name, value, text) => {
  expect(() => read({ [name]: value })).toThrow(`The configuration cannot be used: ${text}.`);
});

test.each([
  [{}, { tier: 'builder', calls: 500_000 }],
  [{ QBO_TIER: 'silver' }, { tier: 'silver', calls: 1_000_000 }],
  [
    { QBO_TIER: 'gold', QBO_MONTHLY_READS: '4000000' },
    { tier: 'gold', calls: 4_000_000 },
  ],
  [{ QBO_MONTHLY_READS: '0' }, { tier: 'builder', calls: null }],
])('%j includes %j', (given, reads) => {
  expect(read(given).reads).toEqual(reads);
});

test('production needs a database, and never falls back to the embedded one', () => {
  expect(() => read({ DATABASE_URL: '' })).toThrow('these variables must be set: DATABASE_URL');
  expect(read({ DATABASE_URL: '', NODE_ENV: '' }).databaseUrl).toBeUndefined();
});

test('compose.yaml passes every variable that it does not set', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'compose.yaml'), 'utf8');
  const passed = [...text.matchAll(/^ {2}([A-Z_]+): \$\{\1:-\}$/gm)].map(([, name]) => name);
  // The image and compose.yaml decide these.
  const decided = ['DATABASE_URL', 'DATA_DIR', 'DEMO', 'HOST', 'NODE_ENV', 'PORT', 'TALLYBRIDGE_ENV_FILE'];
  const ofOthers = ['SANDBOX_AUTOTASK_PORT', 'SANDBOX_HOST', 'SANDBOX_QBO_PORT', 'TALLYBRIDGE_ROLE', 'WORKER_PORT'];
  expect([...passed, ...decided, ...ofOthers].toSorted()).toEqual(variableNames.toSorted());
});
