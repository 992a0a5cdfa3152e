import type { JsonObject } from '#core/values/json.ts';
import { sourceOf } from '../support/business.ts';
import { centsOf, shownCents } from '../support/cents.ts';
import type { World } from '../support/world.ts';

/** A deed of a person to an invoice behind the product's back. */
export type Touched =
  | 'voided in the PSA'
  | 'changed in the PSA'
  | 'paid'
  | 'voided in the books'
  | 'deleted in the books'
  | 'changed in the books';

/** An invoice of a scenario, as its players know it. */
export interface Known {
  readonly id: number;
  readonly touched: ReadonlySet<Touched>;
  /** How often a person asked for another document. */
  readonly forced: number;
}

/** A promise that was broken, and by what. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const endsInMark = (number: string): boolean => /(^|\s)(ERROR|IN PROCESS)$/.test(number);

/** Our own payments say what they pay. */
const paidBy = (payment: JsonObject): number | null => {
  const found = /Autotask invoice (\d+) marked paid/.exec(text(payment['PrivateNote']));
  return found === null ? null : Number(found[1]);
};

/**
 * Holds both services against what must be true once everything is at rest. It reads the services' own records, and of
 * the product only what any user may read: the log and the jobs.
 */
export async function check(world: World, invoices: readonly Known[]): Promise<readonly Violation[]> {
  const [sales, credits, payments, psaInvoices, orders, reports, psaOrders, psaReports, logs, jobs] = await Promise.all(
    [
      world.quickbooks.list('Invoice'),
      world.quickbooks.list('CreditMemo'),
      world.quickbooks.list('Payment'),
      world.autotask.list('Invoices'),
      world.quickbooks.list('PurchaseOrder'),
      world.quickbooks.list('Bill'),
      world.autotask.list('PurchaseOrders'),
      world.autotask.list('ExpenseReports'),
      world.logs(),
      world.store.listJobs(50),
    ],
  );
  const violations: Violation[] = [];
  const broken = (rule: string, detail: string) => violations.push({ rule, detail });
  const bySource = Map.groupBy([...sales, ...credits], (row) => sourceOf(row) ?? '');
  const ofPsa = new Map(psaInvoices.map((row) => [Number(row['id']), row]));
  const isRefused = (id: number) => logs.some((log) => log.psaId === id && !log.success && !log.isTest);

  for (const { id, touched, forced } of invoices) {
    const head = ofPsa.get(id) ?? {};
    const standing = (bySource.get(`invoice ${id}`) ?? []).filter((row) => centsOf(row['TotalAmt']) !== 0);
    const [document] = standing;
    const number = text(head['invoiceNumber']);
    const said = `invoice ${id}${touched.size === 0 ? '' : ` (${[...touched].join(', ')})`}, forced ${forced}`;
    if (standing.length > 1 + forced)
      broken(
        'nothing is posted twice',
        `${said} stands ${standing.length} times: ${standing.map((row) => text(row['Id'])).join(', ')}`,
      );
    if (number.endsWith('IN PROCESS')) broken('no mark of work stays', `${said}: ${number}`);
    if (document === undefined) {
      if (touched.size === 0) broken('nothing is lost', `${said} is not in the books, its number is "${number}"`);
      else if (!touched.has('voided in the PSA') && !isRefused(id) && !logs.some((log) => log.psaId === id))
        broken('whatever is not in the books is explained', `${said} has no log entry`);
      continue;
    }
    if (touched.size > 0) continue;
    if (centsOf(document['TotalAmt']) !== centsOf(head['invoiceTotal']))
      broken(
        'every amount is right to the cent',
        `${said}: ${shownCents(centsOf(document['TotalAmt']))}, in the PSA ${shownCents(centsOf(head['invoiceTotal']))}`,
      );
    if (endsInMark(number)) broken('what was posted carries no mark', `${said}: ${number}`);
    if (!standing.some((row) => text(row['DocNumber']) === number))
      broken(
        'both sides name the same number',
        `${said}: ${number}, in the books ${standing.map((row) => text(row['DocNumber'])).join(', ')}`,
      );
    if (text(head['paidDate']) !== '')
      broken('a paid date comes from money', `${said} is paid on ${text(head['paidDate'])}`);
  }

  const byNumber = new Map([...sales, ...credits].map((row) => [text(row['DocNumber']), row]));
  for (const log of logs) {
    const linked = /^Relinked: .* as (.+)\.$/.exec(log.message)?.[1];
    if (log.isTest || !log.success || linked === undefined) continue;
    const found = byNumber.get(linked);
    const total = centsOf(found?.['TotalAmt']);
    if (found !== undefined && total !== 0 && total !== Math.abs(centsOf(Number(log.amount))))
      broken(
        'nothing is linked to another document',
        `invoice ${String(log.psaId)} of ${String(log.amount)} was linked to ${shownCents(total)}`,
      );
  }

  for (const [id, ours] of Map.groupBy(
    payments.filter((row) => centsOf(row['TotalAmt']) !== 0),
    paidBy,
  )) {
    if (id === null) continue;
    const paid = ours.reduce((sum, row) => sum + centsOf(row['TotalAmt']), 0);
    const total = centsOf(ofPsa.get(id)?.['invoiceTotal']);
    if (ours.length > 1) broken('a payment is made once', `invoice ${id} was paid by us ${ours.length} times`);
    if (paid > total)
      broken('cash is never invented', `invoice ${id} of ${shownCents(total)} was paid ${shownCents(paid)} by us`);
  }

  const once = (rows: readonly JsonObject[], kind: string, made: readonly JsonObject[]) => {
    const standing = Map.groupBy(made, (row) => sourceOf(row) ?? '');
    for (const row of rows) {
      const count = standing.get(`${kind} ${Number(row['id'])}`)?.length ?? 0;
      if (count !== 1)
        broken(
          count === 0 ? 'nothing is lost' : 'nothing is posted twice',
          `${kind} ${Number(row['id'])} stands ${count} times`,
        );
    }
  };
  once(psaOrders, 'purchase order', orders);
  once(psaReports, 'expense report', reports);

  for (const job of jobs)
    if (job.status === 'queued' || job.status === 'running')
      broken('every job ends', `a job of ${job.kind} is ${job.status}`);
  return violations;
}
