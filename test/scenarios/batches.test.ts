import { describe, expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { lateApplySeconds } from '#core/ports/accounting.ts';
import { secondsBetween } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';
import { today, type JournalEntry } from '../support/world.ts';

const world = eachWorld();

const firstId = 100_001;
/** Generates N invoices in addition to the sample data, and returns their ids. */
async function invoices(count: number, more: JsonObject = {}): Promise<number[]> {
  await world.autotask.reset({ today, invoices: count, lines_per_invoice: 1, ...more });
  return Array.from({ length: count }, (_, n) => firstId + n);
}
/** Generates invoices with Autotask's numbers. */
async function numberedInvoices(count: number, numberOf = (id: number) => `T-${id}`): Promise<number[]> {
  const ids = await invoices(count);
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: numberOf(id) });
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  return ids;
}

const psaIdOf = (row: JsonObject): number =>
  Number(/^Autotask invoice (\d+)/.exec(String(row['PrivateNote']))?.[1] ?? 0);
/** Generated invoices in QuickBooks by Autotask id. */
const made = async (): Promise<JsonObject[]> =>
  (await world.quickbooks.list('Invoice'))
    .filter((row) => psaIdOf(row) >= firstId)
    .sort((a, b) => psaIdOf(a) - psaIdOf(b));
/** Returns calls of a kind. Batches that only read have no request id. */
const calls = async (what: RegExp): Promise<JournalEntry[]> =>
  (await world.quickbooks.journal()).filter(
    (call) => what.test(call.path) && (!call.path.endsWith('/batch') || requestIdOf(call) !== null),
  );
const requestIdOf = ({ query }: JournalEntry): string | null => new URLSearchParams(query ?? '').get('requestid');

/** Expects each document once in QuickBooks, with the same number in both services. */
async function expectOnce(ids: readonly number[]): Promise<void> {
  const rows = await made();
  expect(rows.map(psaIdOf)).toEqual(ids);
  const references = new Map((await world.autotask.list('Invoices')).map((row) => [row['id'], row['invoiceNumber']]));
  expect(rows.map((row) => references.get(psaIdOf(row)))).toEqual(rows.map((row) => row['DocNumber']));
}

describe("with QuickBooks' numbers", () => {
  test('forty documents need few calls, smaller ones first, and numbers follow the ids in Autotask', async () => {
    const ids = await invoices(40);
    const before = world.transactions();
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'finished', total: 40, succeeded: 40 });
    const sizes = (await calls(/\/batch$/)).map(({ request_body: body }) => (body.match(/"bId"/g) ?? []).length);
    expect(sizes).toEqual([2, 4, 8, 16, 10]);
    expect(await calls(/\/invoice$/)).toEqual([]);
    await expectOnce(ids);
    expect((await made()).map((row) => Number(row['DocNumber']))).toEqual(ids.map((id) => id - firstId + 1_042));
    expect((world.transactions() - before) / 40).toBeLessThanOrEqual(4);
  });

  test.each(['all', 'none'])(
    'a batch cut before it was applied is sent again, before later documents (requestid honored by %s)',
    async (requestid) => {
      await world.quickbooks.behave({ requestid });
      const ids = await invoices(35);
      await world.quickbooks.fault({
        match: { path: '/batch$', query: 'requestid' },
        times: 1,
        action: { reset: 'before' },
      });
      const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
      expect(job).toMatchObject({ status: 'finished', succeeded: 35 });
      await expectOnce(ids);
      const numbers = (await made()).map((row) => Number(row['DocNumber']));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const [first, again] = await calls(/\/batch$/);
      expect(again).toMatchObject({ request_body: first?.request_body });
      expect(again === undefined ? null : requestIdOf(again)).toBe(first === undefined ? '' : requestIdOf(first));
    },
  );

  test('later documents wait until earlier ones are known to be posted', async () => {
    const ids = await invoices(125);
    // A job reads 120 documents first. The last one is left unsure while the next ones wait.
    const lastRead = firstId + 119;
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid', body: `invoice ${lastRead}\\b` },
      times: 1,
      action: { reset: 'before' },
    });
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'finished', succeeded: 125 });
    await expectOnce(ids);
    const numbers = (await made()).map((row) => Number(row['DocNumber']));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const sent = (await calls(/\/batch$/)).map(({ request_body: body }) => body);
    const [inDoubt, after] = [String(lastRead), String(lastRead + 1)].map((id) =>
      sent.flatMap((body, index) => (body.includes(`invoice ${id}`) ? [index] : [])),
    );
    expect(inDoubt).toHaveLength(2);
    expect(after).toHaveLength(1);
    expect(after?.[0]).toBeGreaterThan(inDoubt?.[1] ?? Number.POSITIVE_INFINITY);
  });

  test('documents that a dead worker left unsure do not delay the others, and are posted once when they are due', async () => {
    const ids = await invoices(40);
    let batches = 0;
    const died = world.sync('invoice', { mode: 'live', psaIds: ids }, (name, when) => {
      if (name !== 'post:batch' || when !== 'before') return;
      batches += 1;
      if (batches === 3) throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    await world.advance(15);
    const began = world.clock.now();
    await world.work(undefined, 'its successor');
    expect(secondsBetween(began, world.clock.now())).toBeLessThan(20);
    const unsure = ids.slice(6, 14);
    expect((await made()).map(psaIdOf)).toEqual(ids.filter((id) => !unsure.includes(id)));
    await world.advance(lateApplySeconds);
    await world.work(undefined, 'its successor');
    await expectOnce(ids);
    const [job] = await world.store.listNewestJobs();
    expect(job).toMatchObject({ status: 'finished', total: 40, done: 40 });
  });

  test('a batch with a lost response is found by one query', async () => {
    await world.quickbooks.behave({ requestid: 'none' });
    const ids = await invoices(20);
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 1,
      action: { reset: 'after' },
    });
    const before = (await calls(/\/query$/)).length;
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'finished', succeeded: 20 });
    await expectOnce(ids);
    const searches = (await calls(/\/query$/)).slice(before).filter(({ query }) => /TxnDate/.test(query));
    // One search before sending, and one for all lost responses.
    expect(searches).toHaveLength(2);
    const sent = (await calls(/\/batch$/)).map(({ request_body: body }) => body);
    expect(sent).toHaveLength(4);
    expect(new Set(sent).size).toBe(4);
  });

  test('two hundred invoices of five lines use only the necessary calls and are not throttled', async () => {
    const ids = await invoices(290, { lines_per_invoice: 5 });
    // Caches are warm and missing records exist.
    const { results } = await world.sync('invoice', { mode: 'test' });
    const others = results.map(({ psaId }) => psaId).filter((id) => id < firstId);
    await world.sync('invoice', { mode: 'live', psaIds: [...others, ...ids.slice(0, 60)] });
    await world.sync('invoice', { mode: 'test', psaIds: ids.slice(60, 61) });
    await fetch(`${world.quickbooks.url}/__sandbox/limits`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"enforce":true}',
    });
    await world.advance(60);
    const since = [await world.quickbooks.journal(), await world.autotask.journal()].map(({ length }) => length);
    const before = world.transactions();
    // Held documents are checked again hourly, so exclude that cost.
    await world.saveSettings({ inv_sync_active: true, closed_period_policy: 'next_open_day' });
    await world.cycle();
    await expectOnce(ids);
    const count = (await world.store.listJobs(1))[0]?.succeeded ?? 0;
    expect(count).toBeGreaterThanOrEqual(200);
    const [accounting = [], psa = []] = [await world.quickbooks.journal(), await world.autotask.journal()].map(
      (all, index) => all.slice(since[index]),
    );
    expect(accounting.length / count).toBeLessThanOrEqual(0.07);
    expect((accounting.length + psa.length) / count).toBeLessThanOrEqual(1.15);
    expect([...accounting, ...psa].filter(({ status }) => status === 429)).toEqual([]);
    expect((world.transactions() - before) / count).toBeLessThanOrEqual(4);
  });

  test('a batch that is applied late is posted once', async () => {
    const ids = await invoices(2);
    await world.quickbooks.behave({ requestid: 'none' });
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 1,
      action: { reset: 'late', apply_after_seconds: 100 },
    });
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job.results.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'pending'));
    await world.advance(135);
    await world.work();
    await expectOnce(ids);
    expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 2 });
  });

  test('a canceled job ends between two calls, and unstarted documents leave no trace', async () => {
    const ids = await invoices(61);
    await world.quickbooks.fault({ match: { path: '/batch$', query: 'requestid' }, action: { delay_ms: 300 } });
    const { id } = await submit(world.tenant, {
      kind: 'invoice',
      mode: 'live',
      force: false,
      psaIds: ids,
      actor: { username: 'admin@northwind-msp.example' },
    });
    let cancelled: Promise<unknown> | undefined;
    await world.work((name, when) => {
      if (name === 'post:batch' && when === 'before') cancelled ??= world.store.cancelJob(id, world.clock.now());
    });
    await cancelled;
    const job = await world.store.readJob(id);
    expect(job).toMatchObject({ status: 'cancelled', total: 61 });
    const begun = (await made()).map(psaIdOf);
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(61);
    await expectOnce(begun);
    expect(job?.results.map(({ psaId }) => psaId).toSorted()).toEqual(begun);
    expect(await world.store.listBusy('invoice')).toEqual([]);
  });
});

describe("with Autotask's numbers", () => {
  test('a refused document does not affect others', async () => {
    // Two documents have the same number, so QuickBooks accepts one.
    const ids = await numberedInvoices(14, (id) => (id === firstId + 6 ? `T-${firstId + 5}` : `T-${id}`));
    const job = await world.sync('invoice', { mode: 'live', psaIds: ids });
    expect(job).toMatchObject({ status: 'finished', succeeded: 13, failed: 1 });
    const refused = job.results.filter(({ outcome }) => outcome === 'failed').map(({ psaId }) => psaId);
    expect([[firstId + 5], [firstId + 6]]).toContainEqual(refused);
    await expectOnce(ids.filter((id) => !refused.includes(id)));
  });

  test('items missing in a response are searched for, and found ones count', async () => {
    const ids = await numberedInvoices(12);
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 2,
      action: {
        status: 200,
        apply: true,
        headers: { 'content-type': 'application/json' },
        body: '{"BatchItemResponse":[]}',
      },
    });
    expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ succeeded: 12 });
    await expectOnce(ids);
  });

  test('a truncated body is no response', async () => {
    const ids = await numberedInvoices(12);
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 1,
      action: { truncate: 400, clean: true },
    });
    expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ succeeded: 12 });
    await expectOnce(ids);
  });

  test('a half-applied batch is resolved per document', async () => {
    await world.quickbooks.behave({ requestid: 'none' });
    const ids = await numberedInvoices(60);
    const died = world.sync('invoice', { mode: 'live', psaIds: ids }, (name, when) => {
      if (name === 'post:batch' && when === 'after') throw new ProcessEnded('the worker dies');
    });
    await expect(died).rejects.toThrow('the worker dies');
    // The first document was sent alone, so it is done.
    const gone = (await made()).filter((_, index) => index % 2 === 1);
    expect(gone.length).toBeGreaterThan(0);
    for (const row of gone) await world.quickbooks.remove('Invoice', String(row['Id']));
    await world.work(undefined, 'its successor');
    for (const row of gone) expect((await made()).map(psaIdOf)).not.toContain(psaIdOf(row));
    await world.advance(135);
    await world.work(undefined, 'its successor');
    await expectOnce(ids);
  });

  test('a rejected batch is sent one document at a time', async () => {
    const ids = await numberedInvoices(12);
    const fault = { Fault: { Error: [{ Message: 'Bad', Detail: 'Malformed', code: '400' }], type: 'ValidationFault' } };
    await world.quickbooks.fault({
      match: { path: '/batch$', query: 'requestid' },
      times: 1,
      action: { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(fault) },
    });
    expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ succeeded: 12 });
    await expectOnce(ids);
  });
});

test('the maximum number of documents is one job, even if repeated', async () => {
  const psaIds = Array.from({ length: 10_000 }, (_, n) => 7_000_000 + n * 13);
  const request = {
    kind: 'invoice',
    mode: 'test',
    force: false,
    actor: { username: 'admin@northwind-msp.example' },
  } as const;
  const first = await submit(world.tenant, { ...request, psaIds });
  expect((await submit(world.tenant, { ...request, psaIds: psaIds.toReversed() })).id).toBe(first.id);
  expect((await submit(world.tenant, { ...request, psaIds: psaIds.slice(1) })).id).not.toBe(first.id);
});

test('documents of one new customer create it once', async () => {
  const ids = await invoices(24, { companies: 2 });
  const before = (await world.quickbooks.list('Customer')).length;
  expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ succeeded: 24 });
  const customers = (await world.quickbooks.list('Customer')).slice(before);
  expect(customers.map((row) => String(row['DisplayName'])).filter((name) => name.endsWith(')'))).toEqual([]);
  expect(new Set((await made()).map((row) => (row['CustomerRef'] as JsonObject)['value'])).size).toBe(2);
  expect(customers).toHaveLength(2);
  await expectOnce(ids);
});

test('documents whose customers exist do not wait for the new customers of others, which few calls create', async () => {
  const ids = await invoices(48, { companies: 24 });
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `T-${id}` });
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  const companyOf = new Map(
    (await world.autotask.list('Invoices')).map((row) => [Number(row['id']), row['companyID']]),
  );
  // Another invoice of its customer is among the others.
  const known = ids.find((id) => ids.some((other) => other !== id && companyOf.get(other) === companyOf.get(id))) ?? 0;
  const others = ids.filter((id) => id !== known);
  expect(await world.sync('invoice', { mode: 'live', psaIds: [known] })).toMatchObject({ succeeded: 1 });
  const before = (await world.quickbooks.list('Customer')).length;
  await world.quickbooks.fault({
    match: { path: '/(batch|customer)$', body: '"DisplayName"' },
    times: 100,
    action: { delay_ms: 1_000 },
  });
  let customersThen: number | undefined;
  const job = await world.sync('invoice', { mode: 'live', psaIds: others }, async (name, when) => {
    if (name === 'commit:posted' && when === 'after')
      customersThen ??= (await world.quickbooks.list('Customer')).length;
  });
  expect(job).toMatchObject({ status: 'finished', succeeded: 47 });
  await expectOnce(ids);
  expect(customersThen).toBe(before);
  const created = (await calls(/\/(batch|customer)$/)).filter(({ request_body: body }) =>
    body.includes('"DisplayName"'),
  );
  expect((await world.quickbooks.list('Customer')).length - before).toBeGreaterThan(15);
  // Two customers in each, because two calls of the job carry as many documents.
  expect(created.length).toBeLessThanOrEqual(14);
});

test('a call that stops the job also stops the chunk beside its own', async () => {
  const ids = await numberedInvoices(250);
  const ended = { Fault: { Error: [{ Message: 'Expired', Detail: 'Ended', code: '6190' }], type: 'ValidationFault' } };
  await world.quickbooks.fault({
    match: { path: '/batch$', query: 'requestid', body: `invoice ${firstId + 80}\\b` },
    times: 1,
    action: { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(ended) },
  });
  // The calls of the first 120 documents are so slow that those of the second 120 begin before their end.
  await world.quickbooks.fault({
    match: { path: '/batch$', query: 'requestid' },
    times: 1_000,
    action: { delay_ms: 700 },
  });
  expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ status: 'failed' });
  const posted = (await made()).map(psaIdOf);
  // Only calls that were admitted before left after it: at most eight, with at most eleven documents each.
  expect(posted.filter((id) => id >= firstId + 120).length).toBeLessThanOrEqual(88);
  await world.quickbooks.clearFaults();
  expect(await world.sync('invoice', { mode: 'live', psaIds: ids })).toMatchObject({ status: 'finished', failed: 0 });
  await expectOnce(ids);
});
