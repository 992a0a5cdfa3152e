/**
 * Fills a running demo (`npm start`, or `npm run dev`) with a typical company: posted, paid, changed and deleted
 * documents, a failure that needs attention, and reconciled months, so that every screen shows data.
 *
 *   npm run seed                                   40 invoices in addition to the sample data, at http://localhost:3000
 *   npm run seed -- --invoices=500 --url=http://localhost:3400 --autotask=http://localhost:3401 --quickbooks=…
 *
 * Resets both sandbox services: their previous data is deleted. A second run gives the same result.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JsonObject } from '#core/values/json.ts';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { controlOf } from '#test/support/world.ts';

export interface Seed {
  /** Addresses of the product, of the Autotask sandbox and of the QuickBooks sandbox. */
  readonly url: string;
  readonly autotask: string;
  readonly quickbooks: string;
  /** Generated invoices in addition to the sample data. */
  readonly invoices: number;
}

/** Invoices changed after their sync: one is paid and its total raised in the PSA, the other deleted in QuickBooks. */
const sampleInvoices = { raised: 48_213, deleted: 48_214 } as const;
const maxMs = 10 * 60_000;

/**
 * @returns how many documents the live sync posted and how many need attention.
 * @throws Error when the demo does not run, or a job does not end within ten minutes.
 */
export async function seed(
  of: Seed,
): Promise<{ readonly posted: number; readonly failed: number; readonly months: readonly string[] }> {
  const [autotask, quickbooks] = [controlOf(of.autotask), controlOf(of.quickbooks)];
  await autotask.reset({ invoices: of.invoices, purchase_orders: 5, expense_reports: 5 });
  await quickbooks.reset({});
  const api = await signIn(of.url);
  await api.connectQuickBooks();
  await api.data('POST', '/api/my/settings/', { inv_default_income_account: '2', inv_max_age_days: 90 });
  const job = await submitted(api, '/api/my/invoices/sync/submit/all', { mode: 'live' });
  const documents = await quickbooks.list('Invoice');
  const madeFor = (psaId: number) =>
    documents.find((one) => new RegExp(`^Autotask invoice ${psaId}\\b`).test(textOf(one, 'PrivateNote')));
  const [raised, deleted] = [madeFor(sampleInvoices.raised), madeFor(sampleInvoices.deleted)];
  if (raised === undefined || deleted === undefined) throw new Error('The sample invoices were not posted: see Logs.');
  await quickbooks.add('Payment', {
    CustomerRef: raised['CustomerRef'] ?? null,
    TxnDate: textOf(raised, 'TxnDate'),
    TotalAmt: Number(raised['TotalAmt']),
    Line: [{ Amount: Number(raised['TotalAmt']), LinkedTxn: [{ TxnId: textOf(raised, 'Id'), TxnType: 'Invoice' }] }],
  });
  await autotask.put('Invoices', sampleInvoices.raised, { invoiceTotal: Number(raised['TotalAmt']) + 100 });
  await quickbooks.remove('Invoice', textOf(deleted, 'Id'));
  const months = [...new Set([raised, deleted].map((one) => textOf(one, 'TxnDate').slice(0, 7)))];
  for (const month of months) await api.data('POST', `/api/my/closes/${month}/prepare`, {});
  return { posted: Number(job['succeeded']), failed: Number(job['failed']), months };
}

/** Returns a text member; empty when it is no text. */
export const textOf = (of: JsonObject, name: string): string => {
  const value = of[name];
  return typeof value === 'string' ? value : '';
};

/**
 * Submits a sync and waits until it has ended.
 *
 * @param path of the call that returns the job
 * @throws Error when it does not end within ten minutes
 */
export async function submitted(api: ApiClient, path: string, body: JsonObject): Promise<JsonObject> {
  const { job } = (await api.data('POST', path, body)) as { job: JsonObject };
  const until = performance.now() + maxMs;
  for (;;) {
    const { job: found } = (await api.data('GET', `/api/my/jobs/${textOf(job, 'id')}`)) as { job: JsonObject };
    if (!['queued', 'running'].includes(textOf(found, 'status'))) return found;
    if (performance.now() > until) throw new Error('The sync did not end within ten minutes: see Jobs.');
    await delay(500);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://localhost:3000' },
      autotask: { type: 'string', default: 'http://localhost:4010' },
      quickbooks: { type: 'string', default: 'http://localhost:4020' },
      invoices: { type: 'string', default: '40' },
    },
  });
  const { posted, failed, months } = await seed({ ...values, invoices: Number(values.invoices) });
  console.log(`${posted} documents were posted, ${failed} need attention; ${months.join(' and ')} is being prepared.`);
}
