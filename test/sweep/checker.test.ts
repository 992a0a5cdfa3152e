import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { check, type Invariant } from './checker.ts';
import { cents, sourceOf, writesToBooks, type Write } from './documents.ts';
import type { Evidence, JournalEntry, Row } from './evidence.ts';
import { newRunner } from './run.ts';
import { serverOf } from './server.ts';

let database: TestDatabase;
/** Evidence of a run that nobody disturbed; `good` is the same as if each of its writes had been a call of its own. */
let together: Evidence;
let good: Evidence;
beforeAll(async () => {
  database = await newDatabase();
  const runner = newRunner(await serverOf(database));
  ({ evidence: together } = await runner.run({ flow: 'invoices', requestid: 'none', crashes: [] }));
  good = apart(together);
  await runner.close();
});
afterAll(() => database.close());

/** Calls of one write each are what most violations are planted in. */
function apart(evidence: Evidence): Evidence {
  const writes = writesToBooks(evidence);
  const postings = new Map((evidence.tables['postings'] ?? []).map((row) => [row['psa_id'], row['request_id']]));
  /** A document of its own goes under the key that the ledger knows. */
  const keyOf = ({ answer, requestId }: Write): string =>
    String(postings.get((answer && sourceOf(answer)?.psaId) ?? 0) ?? requestId);
  const books = evidence.journal.books.flatMap((one): readonly JournalEntry[] =>
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
  return { ...evidence, journal: { ...evidence.journal, books } };
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
const books =
  (entity: string, change: (record: JsonObject) => JsonObject | null): Change =>
  (evidence) => ({
    ...evidence,
    books: {
      ...evidence.books,
      [entity]: (evidence.books[entity] ?? []).map(change).filter((record) => record !== null),
    },
  });
const psa =
  (entity: string, change: (record: JsonObject) => JsonObject): Change =>
  (evidence) => ({ ...evidence, psa: { ...evidence.psa, [entity]: (evidence.psa[entity] ?? []).map(change) } });
const journal =
  (service: 'books' | 'psa', change: (entries: readonly JournalEntry[]) => readonly JournalEntry[]): Change =>
  (evidence) => ({ ...evidence, journal: { ...evidence.journal, [service]: change(evidence.journal[service]) } });
const both =
  (...changes: readonly Change[]): Change =>
  (evidence) =>
    changes.reduce((now, change) => change(now), evidence);

const isOurs = (record: JsonObject): boolean => sourceOf(record)?.psaId === 48_213;
const isCreate = ({ path, method }: JournalEntry): boolean => method === 'POST' && path.endsWith('/invoice');
const first = (entries: readonly JournalEntry[], isMeant: (one: JournalEntry) => boolean): JournalEntry => {
  const found = entries.find(isMeant);
  if (found === undefined) throw new Error('nothing of that kind arrived');
  return found;
};
/** The same write, carried out a second time under another id. */
const twice: Change = both(
  journal('books', (entries) => {
    const one = first(entries, isCreate);
    const again = one.response_body.replace(/"Id":"\d{4}"/, '"Id":"99999"');
    return [...entries, { ...one, query: 'requestid=another', sequence: 9_999, response_body: again }];
  }),
  (evidence) => ({
    ...evidence,
    books: {
      ...evidence.books,
      Invoice: (evidence.books['Invoice'] ?? []).flatMap((record) =>
        isOurs(record) ? [record, { ...record, Id: '99999' }] : [record],
      ),
    },
  }),
);
const neverMade: Change = both(
  journal('books', (entries) => entries.filter((one) => !(isCreate(one) && one.request_body.includes('48213')))),
  books('Invoice', (record) => (isOurs(record) ? null : record)),
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
  request_body: `grant_type=refresh_token&refresh_token=${token}`,
  response_body: answer,
});
const asked =
  (change: (one: Evidence['asked'][number]) => Evidence['asked'][number]): Change =>
  (evidence) => ({ ...evidence, asked: evidence.asked.map(change) });

/** As if an invoice had been refused, and an administrator had got so many mails about it. */
const refusedAndMailed =
  (times: number): Change =>
  (evidence) => ({
    ...asked((one) => (one.psaId === 48_213 ? { ...one, end: 'refused' } : one))(evidence),
    alerted: ['ada@msp.example'],
    alertMails: Array.from({ length: times }, () => ({
      to: 'ada@msp.example',
      text: 'Invoice\r\n48213: nothing to post.',
      source: '',
    })),
  });
/** As if the company had been changed, with this document in a company of its own. */
const inCompany = (realmId: string): Change => asked((one) => ({ ...one, realmId }));

test('what an undisturbed run leaves breaks no invariant', () => {
  for (const evidence of [together, good]) expect([check(evidence, 'now'), check(evidence, 'quiet')]).toEqual([[], []]);
});

test.each<[Invariant, string, Change, string]>([
  ['I1', 'a second invoice of the same source', twice, 'asked for 1, the books made'],
  [
    'I1',
    'a document that nobody asked for',
    (evidence) => ({ ...evidence, asked: evidence.asked.slice(1) }),
    'asked for 0',
  ],
  [
    'I1',
    'a customer that was made twice',
    journal('books', (entries) => {
      const one = first(entries, ({ path }) => path.endsWith('/customer'));
      return [...entries, { ...one, response_body: one.response_body.replace(/"Id":"\d+"/g, '"Id":"999"') }];
    }),
    'was made as Customer',
  ],
  [
    'I1',
    'a mail that went out twice',
    (evidence) => ({ ...evidence, mails: evidence.mails.flatMap((mail) => [mail, mail]) }),
    'mailed 2 times',
  ],
  ['I1', 'a mail that nobody wanted', asked((one) => ({ ...one, isMailed: false })), 'mailed 1 times'],
  ['I1', 'an alert that came twice', refusedAndMailed(2), 'was told 2 times'],
  ['I2', 'a mail that never went out', (evidence) => ({ ...evidence, mails: [] }), 'was not mailed'],
  ['I2', 'an alert that never came', refusedAndMailed(0), 'was never told'],
  ['I2', 'an invoice that was never made', neverMade, 'the books have 0'],
  [
    'I2',
    'a total that changed, and that the books did not follow',
    both(
      asked((one) => (one.psaId === 48_213 ? { ...one, postedAt: '1966.25' } : one)),
      psa('Invoices', (row) => (row['id'] === 48_213 ? { ...row, invoiceTotal: 2066.25 } : row)),
    ),
    'come to 196625 cents, the PSA says 206625',
  ],
  ['I2', 'a success that no log tells of', rows('logs', () => null), 'no log row tells'],
  ['I3', 'another number in the PSA', psa('Invoices', (row) => ({ ...row, invoiceNumber: '7' })), 'the PSA shows “7”'],
  [
    'I3',
    'a word that says that it runs',
    psa('ExpenseReports', (row) => ({ ...row, quickBooksReferenceNumber: 'IN PROCESS' })),
    'still shows',
  ],
  [
    'I3',
    'a ledger that names what is not there',
    rows('postings', (row) => ({ ...row, target_id: '1' })),
    'never made',
  ],
  [
    'I4',
    'an attempt without its log row',
    rows('logs', (row, at) => (at === 0 ? null : row)),
    '1 attempts ended, 0 rows',
  ],
  ['I4', 'a last word that is not the truth', rows('logs', (row) => ({ ...row, success: false })), 'says otherwise'],
  [
    'I4',
    'a request that the ledger does not know',
    rows('postings', (row) => ({ ...row, request_id: 'x' })),
    'does not know',
  ],
  [
    'I5',
    'an invoice that is a cent off',
    books('Invoice', (record) => (isOurs(record) ? { ...record, TotalAmt: 1966.26 } : record)),
    '196626 cents',
  ],
  [
    'I5',
    'an amount of a computer’s arithmetic',
    books('Invoice', (record) => (isOurs(record) ? { ...record, TotalAmt: 1966.250_000_1 } : record)),
    'not an amount to the cent',
  ],
  [
    'I5',
    'a line that is a cent off',
    books('Invoice', (record) =>
      isOurs(record) ? { ...record, Line: [{ DetailType: 'SalesItemLineDetail', Amount: 1966.24 }] } : record,
    ),
    'lines of 196624 cents',
  ],
  ['I5', 'a ledger that says another total', rows('postings', (row) => ({ ...row, total: 1 })), 'the ledger says 1'],
  [
    'I6',
    'a call with the access of another company',
    journal('books', (entries) => entries.map((one) => (isCreate(one) ? { ...one, owner: '4711' } : one))),
    'came with the access of 4711',
  ],
  [
    'I6',
    'a call as a user of another client',
    journal('psa', (entries) => entries.map((one) => ({ ...one, owner: 'somebody@else.example' }))),
    'came as somebody@else.example',
  ],
  ['I6', 'a document in the books of the company before', inCompany('4711'), 'where it does not belong'],
  [
    'I2',
    'a document that nobody says was left',
    both(
      neverMade,
      asked((one) => ({ ...one, end: 'left' })),
    ),
    'does anything say that it was left',
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
    journal('books', (entries) => {
      const one = { ...first(entries, isCreate), applied: false, duration_ms: 1_000 };
      return [...entries, ...Array.from({ length: 11 }, () => ({ ...one, method: 'GET' }))];
    }),
    'requests at once',
  ],
  [
    'I7',
    'a call that is one too many',
    journal('psa', (entries) => entries.map((one, at) => (at === 3 ? { ...one, status: 429 } : one))),
    'was one too many',
  ],
  ['I8', 'a test that writes', asked((one) => ({ ...one, end: 'simulated' })), 'a test sent POST'],
  [
    'I9',
    'an attempt that never ends',
    rows('attempts', (row) => ({ ...row, is_ended: false, state: 'unsure' })),
    'still unsure',
  ],
  ['I9', 'a job that never ends', rows('jobs', (row) => ({ ...row, status: 'running' })), 'is running'],
  [
    'I9',
    'a lease that nobody gives back',
    rows('leases', (row) => ({ ...row, owner: 'a dead worker' })),
    'holds the lease',
  ],
  [
    'I10',
    'tokens that were answered and not stored',
    journal('books', (entries) => [...entries, refresh('RT1-a', 200, '{"refresh_token":"RT1-newer"}')]),
    'older than the last one',
  ],
  [
    'I10',
    'a person who has to reconnect for nothing',
    rows('connections', (row) =>
      row['service'] === 'accounting' ? { ...row, status: 'inactive', problem: 'reconnect' } : row,
    ),
    'although the stored access is the newest',
  ],
  [
    'I10',
    'two refreshes at once',
    journal('books', (entries) => [...entries, refresh('RT1-a', 400), refresh('RT1-a', 400)]),
    'at once',
  ],
  [
    'I10',
    'a lost token that is tried for ever',
    journal('books', (entries) => [
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
    'a secret that was printed',
    (evidence) => ({ ...evidence, printed: `failed with ${evidence.secrets[0]}` }),
    'stands in the open: what was printed',
  ],
  [
    'I10',
    'a secret in a table',
    (evidence) => added('logs', { ...evidence.tables['logs']?.[0], message: evidence.secrets[1] })(evidence),
    'stands in the open: table logs',
  ],
  [
    'I11',
    'an attempt that begins anew',
    added('history', { what: 'attempt', id: 'x', was: 'done', became: 'posting' }),
    'went from “done” to “posting”',
  ],
  [
    'I11',
    'a document that is unmade',
    added('history', { what: 'posting', id: 'x', was: 'synced', became: 'refused' }),
    'went from “synced” to “refused”',
  ],
  [
    'I12',
    'a write that is sent again and again',
    journal('books', (entries) => [...entries, { ...first(entries, isCreate), applied: false }]),
    'was sent 2 times',
  ],
  [
    'I12',
    'attempts that pile up',
    (evidence) => {
      const [one = {}] = evidence.tables['attempts'] ?? [];
      return [1, 2, 3].reduce((now) => added('attempts', one)(now), evidence);
    },
    '4 attempts',
  ],
  [
    'I13',
    'a second wish that added nothing',
    asked((one) => (one.psaId === 48_213 ? { ...one, times: 2 } : one)),
    'asked 2 times: 1 documents',
  ],
  ['I14', 'a success of what is not there', neverMade, 'shown as a success, and the books have nothing'],
  [
    'I14',
    'a failure of what is there',
    rows('job_results', (row) => ({ ...row, outcome: 'failed' })),
    'shown as a failure, and the books have it',
  ],
  [
    'I14',
    'an outcome before it is known',
    rows('attempts', (row) => ({ ...row, is_ended: false, state: 'unsure' })),
    'while it is under way',
  ],
  [
    'I14',
    'a ledger that says refused of what is there',
    rows('postings', (row) => ({ ...row, status: 'refused' })),
    'says that the books refused it',
  ],
])('%s finds %s', (invariant, _what, plant, saw) => {
  const found = check(plant(good), 'quiet').filter((violation) => violation.invariant === invariant);
  expect(found.map((violation) => violation.saw).join('\n')).toContain(saw);
});

test('an amount is read in whole cents, and what has more decimals is none', () => {
  expect([cents(1966.25), cents(0.1), cents(-100), cents('7.5')]).toEqual([196_625, 10, -10_000, 750]);
  expect(() => cents(0.1 + 0.2)).toThrow('not an amount to the cent');
});
