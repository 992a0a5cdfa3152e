import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decimal } from '#core/values/decimal.ts';
import type { LogEntry } from '#core/records/log.ts';
import type { JsonObject } from '#core/values/json.ts';
import { cookiesOf, newApi, password, people, type TestApi } from '../support/api.ts';
import { companies, invoice, mappings, psa } from '../cases/sample-world.ts';
import { factsOfInvoice, type InvoiceGiven } from '../cases/invoice-given.ts';
import { asLedgerline, jsonPsa, namesOfAutotask, type JsonPsaFile } from './psa.ts';

/**
 * A second PSA, stored in a JSON file, with the entire product: connected on its own form, then synced with the golden
 * invoice cases against the QuickBooks sandbox. Cases that need other QuickBooks data run in `test/cases` only.
 */
const root = join(import.meta.dirname, '..', 'cases', 'invoice');
const apiKey = 'a-key-of-ledgerline';
let api: TestApi;
let folder: string;
let path: string;

/** Members in which a case may differ from the sample data. */
const variableMembers = new Set(['about', 'invoice', 'posted', 'settings', 'repeatLines']);
const readGiven = (name: string) => JSON.parse(readFileSync(join(root, name, 'given.json'), 'utf8')) as InvoiceGiven;
/** Cases that stop before a document is read, for example without an income account. */
const stoppedEarly = new Set(['r-no-income-account']);
const cases = readdirSync(root)
  .filter((name) => !stoppedEarly.has(name))
  .filter((name) => Object.keys(readGiven(name)).every((key) => variableMembers.has(key)));

interface Expected {
  readonly outcome: 'plan' | 'refuse' | 'skip';
  readonly figures?: { readonly lines?: readonly string[] };
  readonly problems?: readonly string[];
  readonly message?: string;
}

function keep(change: Partial<JsonPsaFile>): void {
  const file: JsonPsaFile = { apiKey, companies, lists: psa, invoices: [], ...change };
  writeFileSync(path, JSON.stringify(file));
}

const inFile = () => (JSON.parse(readFileSync(path, 'utf8')) as JsonPsaFile).invoices;

/** Opens and submits the connect form like a browser. */
async function connect(key: string): Promise<Awaited<ReturnType<TestApi['call']>>> {
  const signedIn = await api.call('POST', '/auth/login', {
    body: { username: people.admin, password },
    headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin', 'x-requested-with': 'fetch' },
  });
  const token = String(signedIn.data['token']);
  const cookie = cookiesOf(signedIn);
  const { data } = await api.call('POST', '/auth/connect-ticket', {
    token,
    body: { service: 'autotask' },
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  const page = await fetch(`${api.url}/connect/autotask?token=${String(data['ticket'])}`, { headers: { cookie } });
  const html = await page.text();
  for (const text of ['Connect to Ledgerline', 'Data file', 'Member', 'API key', 'Shown once by Ledgerline.'])
    expect(html).toContain(text);
  for (const name of namesOfAutotask) expect(html).not.toContain(name);
  const code = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return api.call('POST', '/connect/autotask', {
    body: new URLSearchParams({ form: code, file: path, member: ' betty ', api_key: key }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: `${cookie}; ${cookiesOf(page)}`,
      'sec-fetch-site': 'same-origin',
      origin: 'http://localhost:3000',
    },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-ledgerline-'));
  path = join(folder, 'psa.json');
  keep({});
  api = await newApi({ psa: jsonPsa });
  await api.world.store.saveMappings(mappings.map(({ id: _id, ...mapping }) => mapping));
}, 120_000);
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a PSA other than Autotask', () => {
  test('connects with its own form and reports a wrong key', async () => {
    const refused = await connect('wrong');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Ledgerline did not accept');
    expect((await connect(apiKey)).headers.get('location')).toBe('/connections?reload=autotask');
    expect(await api.world.store.readPsaCredentials()).toEqual({ file: path, userName: 'betty', secret: apiKey });
    const formatted = await api.call('GET', '/api/my', { token: await api.signIn(people.admin) });
    expect(JSON.stringify(formatted.data['connections'])).toContain('Ledgerline');
    expect((await api.call('GET', '/api/environment')).data['psa']).toEqual({
      key: 'ledgerline',
      label: 'Ledgerline',
      api_user_steps: [],
    });
  });

  test.each(cases)('%s', async (name) => {
    const given = readGiven(name);
    const expected = JSON.parse(readFileSync(join(root, name, 'plan.json'), 'utf8')) as Expected;
    const facts = factsOfInvoice(given);
    keep({ invoices: [{ ...facts.invoice, number: '' }] });
    await api.world.saveSettings(facts.settings);
    const job = await api.world.sync('invoice', { mode: 'test', psaIds: [facts.invoice.id] });
    const result = api.world.resultOf(job, facts.invoice.id);
    const entry = result?.logKey === null || result === undefined ? null : await api.world.store.readLog(result.logKey);
    if (expected.outcome === 'skip' && entry === null) {
      expect(result?.outcome).not.toBe('synced');
      return;
    }
    if (entry === null) throw new Error('no log entry');
    expect(entry.success).toBe(expected.outcome !== 'refuse');
    if (expected.problems !== undefined)
      expect(entry.problems.map(({ code }) => code)).toEqual(expected.problems.map((one) => one.split(' ')[0]));
    if (expected.figures?.lines !== undefined)
      expect(linesOf(entry)).toEqual(expected.figures.lines.map((one) => one.replace(/\s+$/, '')));
    for (const name of namesOfAutotask) expect(entry.transcript).not.toContain(name);
    if (existsSync(join(root, name, 'transcript.txt')))
      for (const line of readFileSync(join(root, name, 'transcript.txt'), 'utf8')
        .trim()
        .split('\n')
        .slice(1))
        if (!line.startsWith('DEBUG')) expect(entry.transcript).toContain(asLedgerline(line));
  });

  test('posts an invoice and writes the number back to the file', async () => {
    const facts = factsOfInvoice(readGiven('a-plain-invoice'));
    keep({ invoices: [invoice({ ...facts.invoice, number: '' })] });
    await api.world.saveSettings(facts.settings);
    const job = await api.world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(job).toMatchObject({ succeeded: 1, failed: 0 });
    const posted = (await api.world.quickbooks.list('Invoice')).find((row) =>
      String(row['PrivateNote']).startsWith('Ledgerline invoice 48213'),
    );
    expect(posted).toMatchObject({ TotalAmt: 1966.25 });
    expect(inFile()[0]?.number).toBe(posted?.['DocNumber']);
  });
});

/** Formats a document's amounts like the golden cases. */
function linesOf({ document }: LogEntry): readonly string[] {
  const lines = (document?.['Line'] ?? []) as unknown as readonly JsonObject[];
  return lines.map((line) => {
    const detail = line['SalesItemLineDetail'] as JsonObject | undefined;
    const code = (detail?.['TaxCodeRef'] as JsonObject | undefined)?.['value'];
    return `${text(detail?.['Qty'])} x ${text(detail?.['UnitPrice'])} = ${text(line['Amount'])} ${String(code ?? '')}`.trim();
  });
}

const text = (value: unknown): string => String(decimal(String(value ?? 0)));
