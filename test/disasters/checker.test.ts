import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { check, type Invariant } from './checker.ts';
import { cents, sourceOf, quickbooksWrites, type Write } from './documents.ts';
import type { JournalEntry } from '../support/world.ts';
import type { Evidence, Row } from './evidence.ts';
import { runCase } from './run.ts';

/** Evidence of an undisturbed run. `good` is the same run with each batched write as a separate call. */
let batched: Evidence;
let unbatched: Evidence;
beforeAll(async () => {
  ({ evidence: batched } = await runCase({ flow: 'invoices', requestid: 'none', crashes: [] }));
  unbatched = splitBatches(batched);
});

/** Splits each batch into single calls, because most violations are planted in single calls. */
function splitBatches(evidence: Evidence): Evidence {
  const writes = quickbooksWrites(evidence);
  const postings = new Map((evidence.tables['postings'] ?? []).map((row) => [row['psa_id'], row['request_id']]));
  /** The request id that the ledger has for a document. */
  const keyOf = ({ answer, requestId }: Write): string =>
    String(postings.get((answer && sourceOf(answer)?.psaId) ?? 0) ?? requestId);
  const accounting = evidence.journal.accounting.flatMap((one): readonly JournalEntry[] =>
    one.path.endsWith('/batch')
      ? writes
          .filter(({ entry }) => entry === one)
          .map((write, index) => ({ ...write, index, key: keyOf(write) }))
          .map(({ realmId, entity, body, answer, key, index }) => ({
            ...one,
            sequence: one.sequence + index / 100,
            path: `/v3/company/${realmId}/${entity.toLowerCase()}`,
            query: new URLSearchParams({ requestid: key }).toString(),
            duration_ms: 0,
            request_body: JSON.stringify(body),
            response_body: JSON.stringify({ [entity]: answer }),
          }))
      : [one],
  );
  return { ...evidence, journal: { ...evidence.journal, accounting } };
}

type Change = (evidence: Evidence) => Evidence;
const rows =
  (table: string, change: (row: Row, at: number) => Row | null): Change =>
  (evidence) => ({
    ...evidence,
    tables: {
      ...evidence.tables,
      [table]: (evidence.tables[table] ?? []).map(change).filter((row) => row !== null),
    },
  });
const added =
  (table: string, row: Row): Change =>
  (evidence) => ({
    ...evidence,
    tables: { ...evidence.tables, [table]: [...(evidence.tables[table] ?? []), row] },
  });
const accounting =
  (entity: string, change: (record: JsonObject) => JsonObject | null): Change =>
  (evidence) => ({
    ...evidence,
    accounting: {
      ...evidence.accounting,
      [entity]: (evidence.accounting[entity] ?? []).map(change).filter((record) => record !== null),
    },
  });
const psa =
  (entity: string, change: (record: JsonObject) => JsonObject): Change =>
  (evidence) => ({ ...evidence, psa: { ...evidence.psa, [entity]: (evidence.psa[entity] ?? []).map(change) } });
const journal =
  (service: 'accounting' | 'psa', change: (entries: readonly JournalEntry[]) => readonly JournalEntry[]): Change =>
  (evidence) => ({ ...evidence, journal: { ...evidence.journal, [service]: change(evidence.journal[service]) } });
const both =
  (...changes: readonly Change[]): Change =>
  (evidence) =>
    changes.reduce((now, change) => change(now), evidence);

const isOurs = (record: JsonObject): boolean => sourceOf(record)?.psaId === 48_213;
const isCreate = ({ path, method }: JournalEntry): boolean => method === 'POST' && path.endsWith('/invoice');
const first = (entries: readonly JournalEntry[], isMeant: (one: JournalEntry) => boolean): JournalEntry => {
  const found = entries.find(isMeant);
  if (found === undefined) throw new Error('request not found in the journal');
  return found;
};
/** The same write applied a second time under another id. */
const duplicateInvoice: Change = both(
  journal('accounting', (entries) => {
    const one = first(entries, isCreate);
    const again = one.response_body.replace(/"Id":"\d{4}"/, '"Id":"99999"');
    return [...entries, { ...one, query: 'requestid=another', sequence: 9_999, response_body: again }];
  }),
  (evidence) => ({
    ...evidence,
    accounting: {
      ...evidence.accounting,
      Invoice: (evidence.accounting['Invoice'] ?? []).flatMap((record) =>
        isOurs(record) ? [record, { ...record, Id: '99999' }] : [record],
      ),
    },
  }),
);
const missingInvoice: Change = both(
  journal('accounting', (entries) => entries.filter((one) => !(isCreate(one) && one.request_body.includes('48213')))),
  accounting('Invoice', (record) => (isOurs(record) ? null : record)),
);
const refresh = (token: string, status: number, answer = ''): JournalEntry => ({
  sequence: 10_000,
  time: '2025-03-04T15:00:00.000Z',
  method: 'POST',
  path: '/oauth2/v1/tokens/bearer',
  query: '',
  owner: null,
  status,
  duration_ms: 5,
  applied: status === 200,
  fault: null,
  request_body: `grant_type=refresh_token&refresh_token=${token}`,
  response_body: answer,
});
const changeExpected =
  (change: (one: Evidence['expected'][number]) => Evidence['expected'][number]): Change =>
  (evidence) => ({ ...evidence, expected: evidence.expected.map(change) });

/** An invoice was refused, and an administrator got this number of emails about it. */
const refusedAndMailed =
  (times: number): Change =>
  (evidence) => ({
    ...changeExpected((one) => (one.psaId === 48_213 ? { ...one, end: 'refused' } : one))(evidence),
    alerted: ['ada@msp.example'],
    alertMails: Array.from({ length: times }, () => ({
      to: 'ada@msp.example',
      text: 'Invoice\r\n48213: nothing to post.',
      source: '',
    })),
  });
/** The document belongs to this company. */
const inCompany = (realmId: string): Change => changeExpected((one) => ({ ...one, realmId }));

test('accepts the evidence of an undisturbed run', () => {
  for (const evidence of [batched, unbatched])
    expect([check(evidence, 'now'), check(evidence, 'quiet')]).toEqual([[], []]);
});

test.each<[Invariant, string, Change, string]>([
  ['I1', 'a second document for the same invoice', duplicateInvoice, 'expected at most 1, QuickBooks has'],
  [
    'I1',
    'an unexpected document',
    (evidence) => ({ ...evidence, expected: evidence.expected.slice(1) }),
    'expected at most 0',
  ],
  [
    'I1',
    'a duplicate customer',
    journal('accounting', (entries) => {
      const one = first(entries, ({ path }) => path.endsWith('/customer'));
      return [...entries, { ...one, response_body: one.response_body.replace(/"Id":"\d+"/g, '"Id":"999"') }];
    }),
    'was created as Customer',
  ],
  [
    'I1',
    'an invoice emailed twice',
    (evidence) => ({ ...evidence, mails: evidence.mails.flatMap((mail) => [mail, mail]) }),
    'emailed 2 times',
  ],
  ['I1', 'an unwanted email', changeExpected((one) => ({ ...one, isMailed: false })), 'emailed 1 times'],
  ['I1', 'a duplicate alert', refusedAndMailed(2), 'got 2 alerts'],
  ['I2', 'a missing email', (evidence) => ({ ...evidence, mails: [] }), 'was not emailed'],
  ['I2', 'a missing alert', refusedAndMailed(0), 'got no alert'],
  ['I2', 'a missing invoice', missingInvoice, 'QuickBooks has 0'],
  [
    'I2',
    'a changed total that QuickBooks does not have',
    both(
      changeExpected((one) => (one.psaId === 48_213 ? { ...one, postedAt: '1966.25' } : one)),
      psa('Invoices', (row) => (row['id'] === 48_213 ? { ...row, invoiceTotal: 2066.25 } : row)),
    ),
    'total 196625 cents, Autotask has 206625',
  ],
  ['I2', 'a success without a log row', rows('logs', () => null), 'no log row for the success'],
  [
    'I3',
    'a different number in Autotask',
    psa('Invoices', (row) => ({ ...row, invoiceNumber: '7' })),
    'Autotask shows “7”',
  ],
  [
    'I3',
    'a leftover IN PROCESS',
    psa('ExpenseReports', (row) => ({ ...row, quickBooksReferenceNumber: 'IN PROCESS' })),
    'still shows',
  ],
  [
    'I3',
    'a ledger row for a missing document',
    rows('postings', (row) => ({ ...row, target_id: '1' })),
    'which is not in QuickBooks',
  ],
  [
    'I4',
    'an attempt without a log row',
    rows('logs', (row, at) => (at === 0 ? null : row)),
    '1 attempts ended, 0 log rows',
  ],
  ['I4', 'a wrong last log row', rows('logs', (row) => ({ ...row, success: false })), 'says otherwise'],
  [
    'I4',
    'a request missing in the ledger',
    rows('postings', (row) => ({ ...row, request_id: 'x' })),
    'is not in the ledger',
  ],
  [
    'I5',
    'an invoice total off by a cent',
    accounting('Invoice', (record) => (isOurs(record) ? { ...record, TotalAmt: 1966.26 } : record)),
    '196626 cents',
  ],
  [
    'I5',
    'an amount with floating-point noise',
    accounting('Invoice', (record) => (isOurs(record) ? { ...record, TotalAmt: 1966.250_000_1 } : record)),
    'not in whole cents',
  ],
  [
    'I5',
    'a line off by a cent',
    accounting('Invoice', (record) =>
      isOurs(record) ? { ...record, Line: [{ DetailType: 'SalesItemLineDetail', Amount: 1966.24 }] } : record,
    ),
    'lines of 196624 cents',
  ],
  ['I5', 'a wrong total in the ledger', rows('postings', (row) => ({ ...row, total: 1 })), 'the ledger has 1'],
  [
    'I6',
    'a call with the token of another company',
    journal('accounting', (entries) => entries.map((one) => (isCreate(one) ? { ...one, owner: '4711' } : one))),
    'used the token of 4711',
  ],
  [
    'I6',
    'a call by the user of another client',
    journal('psa', (entries) => entries.map((one) => ({ ...one, owner: 'other-client@example.com' }))),
    'was sent by other-client@example.com',
  ],
  ['I6', 'a document in the previous company', inCompany('4711'), 'belongs to another company'],
  [
    'I2',
    'a document neither posted nor reported',
    both(
      missingInvoice,
      changeExpected((one) => ({ ...one, end: 'abandoned' })),
    ),
    'neither in QuickBooks nor reported as abandoned',
  ],
  [
    'I6',
    'an attempt in a job of another client',
    rows('jobs', (row) => ({ ...row, tenant_id: 'another' })),
    'its job belongs to another client',
  ],
  [
    'I7',
    'eleven calls at once',
    journal('accounting', (entries) => {
      const one = { ...first(entries, isCreate), applied: false, duration_ms: 1_000 };
      return [...entries, ...Array.from({ length: 11 }, () => ({ ...one, method: 'GET' }))];
    }),
    'concurrent requests',
  ],
  [
    'I7',
    'a rate-limited call',
    journal('psa', (entries) => entries.map((one, at) => (at === 3 ? { ...one, status: 429 } : one))),
    'was rate limited',
  ],
  [
    'I8',
    'a write during a test sync',
    changeExpected((one) => ({ ...one, end: 'simulated' })),
    'a test sync sent POST',
  ],
  [
    'I9',
    'an attempt that never ends',
    rows('attempts', (row) => ({ ...row, is_ended: false, state: 'unsure' })),
    'still unsure',
  ],
  ['I9', 'a job that never ends', rows('jobs', (row) => ({ ...row, status: 'running' })), 'is running'],
  ['I9', 'a job that lost a document', rows('jobs', (row) => ({ ...row, total: 4 })), 'ended as 3 of 4'],
  [
    'I9',
    'a lease that is never released',
    rows('leases', (row) => ({ ...row, owner: 'a dead worker' })),
    'holds the lease',
  ],
  [
    'I10',
    'tokens that were not saved',
    journal('accounting', (entries) => [...entries, refresh('RT1-a', 200, '{"refresh_token":"RT1-newer"}')]),
    'older than the newest one',
  ],
  [
    'I10',
    'a needless request to reconnect',
    rows('connections', (row) =>
      row['service'] === 'accounting' ? { ...row, status: 'inactive', problem: 'reconnect' } : row,
    ),
    'although the stored tokens are the newest',
  ],
  [
    'I10',
    'two concurrent refreshes',
    journal('accounting', (entries) => [...entries, refresh('RT1-a', 400), refresh('RT1-a', 400)]),
    'two concurrent refreshes',
  ],
  [
    'I10',
    'a lost token that is retried without end',
    journal('accounting', (entries) => [
      ...entries,
      ...Array.from({ length: 4 }, (_, at) => ({
        ...refresh('RT1-a', 400),
        time: `2025-03-04T15:0${at}:00.000Z`,
      })),
    ]),
    'was tried 4 times',
  ],
  [
    'I10',
    'a secret in the output',
    (evidence) => ({ ...evidence, output: `failed with ${evidence.secrets[0]}` }),
    'is readable in the output',
  ],
  [
    'I10',
    'a secret in a table',
    (evidence) => added('logs', { ...evidence.tables['logs']?.[0], message: evidence.secrets[1] })(evidence),
    'is readable in table logs',
  ],
  [
    'I11',
    'a restarted attempt',
    added('history', { what: 'attempt', id: 'x', was: 'done', became: 'posting' }),
    'went from “done” to “posting”',
  ],
  [
    'I11',
    'a document that went back to refused',
    added('history', { what: 'posting', id: 'x', was: 'synced', became: 'refused' }),
    'went from “synced” to “refused”',
  ],
  [
    'I12',
    'a write sent too often',
    journal('accounting', (entries) => [...entries, { ...first(entries, isCreate), applied: false }]),
    'was sent 2 times',
  ],
  [
    'I12',
    'too many attempts',
    (evidence) => {
      const [one = {}] = evidence.tables['attempts'] ?? [];
      return [1, 2, 3].reduce((now) => added('attempts', one)(now), evidence);
    },
    '4 attempts',
  ],
  [
    'I13',
    'a missing second document',
    changeExpected((one) => (one.psaId === 48_213 ? { ...one, times: 2 } : one)),
    'expected 2 documents, QuickBooks has 1',
  ],
  ['I14', 'a success without a document', missingInvoice, 'shown as succeeded, but not in QuickBooks'],
  [
    'I14',
    'a failure of a posted document',
    rows('job_results', (row) => ({ ...row, outcome: 'failed' })),
    'shown as failed, but in QuickBooks',
  ],
  [
    'I14',
    'an outcome before the end',
    rows('attempts', (row) => ({ ...row, is_ended: false, state: 'unsure' })),
    'while in progress',
  ],
  [
    'I14',
    'a posted document that the ledger calls refused',
    rows('postings', (row) => ({ ...row, status: 'refused' })),
    'is in QuickBooks',
  ],
])('%s reports %s', (invariant, _what, plant, message) => {
  const found = check(plant(unbatched), 'quiet').filter(({ rule }) => rule.startsWith(`${invariant} `));
  expect(found.map(({ detail }) => detail).join('\n')).toContain(message);
});

test('reads amounts in whole cents and rejects fractions of a cent', () => {
  expect([cents(1966.25), cents(0.1), cents(-100), cents('7.5')]).toEqual([196_625, 10, -10_000, 750]);
  expect(() => cents(0.1 + 0.2)).toThrow('not in whole cents');
});
