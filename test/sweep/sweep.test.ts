import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { violationText } from './checker.ts';
import { casesOf, crashPoints } from './cases.ts';
import { newRunner, type Runner } from './run.ts';
import { serverOf } from './server.ts';

let database: TestDatabase;
let runner: Runner;
beforeAll(async () => {
  database = await newDatabase();
  runner = newRunner(await serverOf(database));
});
afterAll(async () => {
  await runner.close();
  await database.close();
});

test.each([
  ['invoice', 'none', ['post:create_item:1:after']],
  ['invoices', 'none', ['post:batch:1:after']],
  ['invoices', 'all', ['post:batch:1:after:stop']],
  ['invoices', 'all', ['commit:posted:2:before']],
  ['refused invoice', 'none', ['psa:mark:1:after']],
  ['purchase orders', 'none', ['post:batch:1:after']],
  ['expense report', 'none', ['psa:running:1:after']],
  ['expense reports', 'all', ['post:create_bill:1:before']],
  ['expense reports', 'none', ['commit:refused:1:before:stop']],
  ['payment in QuickBooks', 'none', ['psa:write:1:after']],
  ['payment in Autotask', 'none', ['post:create_payment:1:after']],
  ['void', 'none', ['post:void:1:after']],
  ['token refresh', 'all', ['oauth.refresh:1:after']],
  ['token refresh without grace', 'all', ['oauth.refresh:1:after']],
  ['token refresh without grace', 'none', ['post:create_invoice:1:after']],
  ['clear status', 'all', ['psa.writeInvoice:1:after']],
  ['test sync', 'none', ['commit:simulated:1:before']],
  ['sync again', 'none', ['post:create_invoice:1:after']],
  ['billed difference', 'none', ['post:create_invoice:1:after']],
  ['updated books', 'none', ['post:update:1:after']],
  ['invoice', 'none', ['post:mail:1:after']],
  ['alert mails', 'none', ['mail.send:1:before']],
  ['another company', 'none', ['store.saveConnection:1:before']],
  ['restored ledger', 'none', ['store.adoptPostings:1:after']],
  ['restored ledger', 'none', ['store.adoptPostings:1:before']],
  ['restored PSA', 'none', ['psa:write:1:after']],
  ['restored PSA', 'all', ['psa:mark:1:before']],
  ['invoice', 'all', ['half:2']],
  ['invoice', 'none', ['post:create_invoice:1:after', 'commit:posted:1:after']],
  ['invoice', 'none', ['post:create_invoice:1:before:stop']],
  ['invoice', 'none', ['post:create_invoice:1:after:stop']],
  ['invoice', 'none', ['books.post:2:before:stop']],
] as const)(
  '%s, requestid honored by %s, killed or stopped at %j: every invariant holds',
  async (flow, requestid, crashes) => {
    const { violations, missed } = await runner.run({ flow, requestid, crashes });
    expect(violations, violations.map(violationText).join('\n')).toEqual([]);
    expect(missed).toEqual([]);
  },
  120_000,
);

test('freezes a process before each change, and again after its lease was checked', () => {
  const effects = [
    'post:create_bill:1:before',
    'books.post:1:before',
    'books.post:1:after',
    'post:create_bill:1:after',
  ];
  const freezes = casesOf('expense report', 'none', effects).flatMap(({ crashes }) =>
    crashes.filter((crash) => crash.endsWith(':stop')),
  );
  expect(freezes).toEqual(['post:create_bill:1:before:stop', 'books.post:1:before:stop']);
});

test('merges adjacent crash points, but keeps one before and one after each effect', () => {
  const effects = [
    'a:1:before',
    'a:1:after',
    'b:1:before',
    'c:1:before',
    'c:1:after',
    'b:1:after',
    'd:1:before',
    'd:1:after',
  ];
  expect(crashPoints(effects)).toEqual([
    'a:1:before',
    'a:1:after',
    'b:1:before',
    'b:1:after',
    'd:1:before',
    'd:1:after',
  ]);
});
