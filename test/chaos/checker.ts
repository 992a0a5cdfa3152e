import type { JsonObject } from '#core/values/json.ts';
import { isDifference, sourceOf } from '../support/business.ts';
import { centsOf, shownCents } from '../support/cents.ts';
import type { World } from '../support/world.ts';
import type { Office } from './office.ts';

/** A change to an invoice that bypasses the product. */
export type Touched =
  | 'voided in the PSA'
  | 'changed in the PSA'
  | 'paid in the books'
  | 'paid date noted'
  | 'payment taken back'
  | 'voided in the books'
  | 'deleted in the books'
  | 'changed in the books'
  /** The PSA was restored: later changes are lost. */
  | 'forgotten by the PSA'
  /** The PSA was restored, and gave the id to another invoice. */
  | 'given out again';

/** An invoice of a scenario, as its players know it. */
export interface Known {
  readonly id: number;
  readonly touched: ReadonlySet<Touched>;
  /** How often a person asked for another document. */
  readonly forced: number;
  /** How many other invoices had the id before. */
  readonly earlier: number;
}

/** A purchase order or an expense report of a scenario. */
export interface Purchase {
  readonly kind: 'purchase order' | 'expense report';
  readonly id: number;
  readonly cents: number;
  /** Number of additional documents that a user requested. */
  forced: number;
  /** A user deleted its document in QuickBooks. */
  isDeleted: boolean;
}

/** A scenario that was played. */
export interface Played {
  readonly invoices: readonly Known[];
  readonly purchases: readonly Purchase[];
  /** The service that numbers invoices. */
  readonly numbering: 'psa' | 'books';
}

/** A broken rule with its detail. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Month of an invoice of the PSA, e.g. `2027-07`. */
const monthOf = (head: JsonObject): string => text(head['invoiceDateTime']).slice(0, 7);
const endsInMark = (number: string): boolean => /(^|\s)(ERROR|IN PROCESS)$/.test(number);

/** Our own payments say what they pay. */
const paidBy = (payment: JsonObject): number | null => {
  const found = /Autotask invoice (\d+) marked paid/.exec(text(payment['PrivateNote']));
  return found === null ? null : Number(found[1]);
};

/** Changes after which an invoice and its document may differ. */
const altering: readonly Touched[] = [
  'voided in the PSA',
  'changed in the PSA',
  'voided in the books',
  'deleted in the books',
  'given out again',
];

/** Changes after which QuickBooks may follow the PSA, or the difference may be billed. */
const followed: readonly Touched[] = [
  'changed in the PSA',
  'changed in the books',
  'paid in the books',
  'paid date noted',
  'payment taken back',
];

const isOnly = (touched: ReadonlySet<Touched>, ...allowed: readonly Touched[]): boolean =>
  [...touched].every((one) => allowed.includes(one));

/**
 * Checks both services against the rules that hold once everything is idle. Reads the services' own records, and from
 * the product only what any user may read over its HTTP API: the log, the jobs, and the reconciliation of a month.
 */
export async function check(
  { autotask, quickbooks }: Pick<World, 'autotask' | 'quickbooks'>,
  office: Pick<Office, 'ask' | 'logs' | 'differing'>,
  { invoices, purchases, numbering }: Played,
): Promise<readonly Violation[]> {
  const [sales, credits, payments, psaInvoices, orders, bills, psaOrders, psaReports, logs, relinked, jobs] =
    await Promise.all([
      quickbooks.list('Invoice'),
      quickbooks.list('CreditMemo'),
      quickbooks.list('Payment'),
      autotask.list('Invoices'),
      quickbooks.list('PurchaseOrder'),
      quickbooks.list('Bill'),
      autotask.list('PurchaseOrders'),
      autotask.list('ExpenseReports'),
      office.logs('mode=live'),
      office.logs('mode=live&success=true&q=Relinked'),
      office.ask('GET', '/api/my/jobs'),
    ]);
  const violations: Violation[] = [];
  const broken = (rule: string, detail: string) => violations.push({ rule, detail });
  // Documents that reverse a void or bill a difference exist in addition to that of their source.
  const ofSource = [...sales, ...credits].filter(
    (row) => !/ voided · /.test(text(row['PrivateNote'])) && !isDifference(row),
  );
  const bySource = Map.groupBy(ofSource, (row) => sourceOf(row) ?? '');
  const voids = Map.groupBy(
    credits.filter((row) => / voided · /.test(text(row['PrivateNote']))),
    (row) => sourceOf(row) ?? '',
  );
  const differences = Map.groupBy([...sales, ...credits].filter(isDifference), (row) => sourceOf(row) ?? '');
  const isCredit = new Set(credits);
  /** Cents that a document adds to what the customer owes. */
  const owed = (row: JsonObject) => centsOf(row['TotalAmt']) * (isCredit.has(row) ? -1 : 1);
  const byNumber = new Map([...sales, ...credits].map((row) => [text(row['DocNumber']), row]));
  const ofPsa = new Map(psaInvoices.map((row) => [Number(row['id']), row]));
  const namesOf = (rows: readonly JsonObject[]) =>
    new Set(rows.map((log) => `${text(log['type'])} ${Number(log['entityid'])}`));
  const logged = namesOf(logs);
  const refused = namesOf(logs.filter((log) => log['success'] === false));

  /** Violations unless the reconciliation of the month reports the invoice. */
  const untold: { readonly id: number; readonly month: string; readonly rule: string; readonly detail: string }[] = [];

  for (const { id, touched, forced, earlier } of invoices) {
    const head = ofPsa.get(id) ?? {};
    const made = bySource.get(`invoice ${id}`) ?? [];
    const standing = made.filter((row) => centsOf(row['TotalAmt']) !== 0);
    const [document] = standing;
    const number = text(head['invoiceNumber']);
    const said = `invoice ${id}${touched.size === 0 ? '' : ` (${[...touched].join(', ')})`}, forced ${forced}`;
    if (standing.length > 1 + forced + earlier)
      broken(
        'nothing is posted twice',
        `${said} stands ${standing.length} times: ${standing.map((row) => text(row['Id'])).join(', ')}`,
      );
    if (number.endsWith('IN PROCESS')) broken('no mark of work stays', `${said}: ${number}`);
    const takenBack = (voids.get(`invoice ${id}`) ?? [])
      .map((row) => centsOf(row['TotalAmt']))
      .filter((one) => one !== 0);
    if (takenBack.length > 0 && (takenBack.length > 1 + forced + earlier || !touched.has('voided in the PSA')))
      broken('a void is credited once', `${said}: ${takenBack.map(shownCents).join(', ')}`);
    const billed = (differences.get(`invoice ${id}`) ?? []).map(owed).filter((one) => one !== 0);
    const isTakenBack = touched.has('voided in the PSA') && isOnly(touched, 'voided in the PSA', ...followed);
    if (document === undefined && isTakenBack && billed.length > 0)
      broken('a void leaves nothing standing', `${said}: ${billed.map(shownCents).join(', ')}`);
    if (document === undefined) {
      if (isOnly(touched, 'paid date noted', 'payment taken back', 'forgotten by the PSA'))
        broken('nothing is lost', `${said} is not in the books, its number is "${number}"`);
      // A person who voided it in the books knows why it is not there.
      else if (!touched.has('voided in the PSA') && made.length === 0 && !logged.has(`invoice ${id}`))
        untold.push({
          id,
          month: monthOf(head),
          rule: 'whatever is not in the books is explained',
          detail: `${said} has no log entry`,
        });
      continue;
    }
    const isVoid = touched.has('voided in the PSA') && isOnly(touched, 'voided in the PSA', 'changed in the books');
    const isCredited = takenBack.reduce((sum, one) => sum + one, 0) === centsOf(document['TotalAmt']);
    // QuickBooks cannot void a credit memo, and the log reports that.
    if (isVoid && forced === 0 && !isCredited && !refused.has(`void ${id}`))
      broken('what was voided is voided', `${said} stands with ${shownCents(centsOf(document['TotalAmt']))}`);
    if (billed.length > 0 && !touched.has('changed in the PSA') && !touched.has('given out again'))
      broken('a difference that is billed is one', `${said}: ${billed.map(shownCents).join(', ')}`);
    if (isOnly(touched, ...followed) && touched.has('changed in the PSA') && forced === 0) {
      // The PSA's total only rises: whatever is above it was billed twice.
      const all = billed.reduce((sum, one) => sum + one, owed(document));
      const total = centsOf(head['invoiceTotal']);
      const detail = `${said}: ${[owed(document), ...billed].map(shownCents).join(' + ')}, in the PSA ${shownCents(total)}`;
      if (all > total) broken('a difference is billed once', detail);
      if (all !== total) untold.push({ id, month: monthOf(head), rule: 'what was changed since is told', detail });
    }
    if (altering.some((one) => touched.has(one))) continue;
    if (owed(document) !== centsOf(head['invoiceTotal']))
      broken(
        'every amount is right to the cent',
        `${said}: ${shownCents(owed(document))}, in the PSA ${shownCents(centsOf(head['invoiceTotal']))}`,
      );
    // Another document of the same number is refused, and its invoice marked.
    const isRefused = numbering === 'psa' && forced > 0 && refused.has(`invoice ${id}`);
    if (endsInMark(number) && !isRefused) broken('what was posted carries no mark', `${said}: ${number}`);
    if (!isRefused && !standing.some((row) => text(row['DocNumber']) === number))
      broken(
        'both sides name the same number',
        `${said}: ${number}, in the books ${standing.map((row) => text(row['DocNumber'])).join(', ')}`,
      );
    const paidOn = text(head['paidDate']);
    if (isOnly(touched, 'changed in the books') && paidOn !== '')
      broken('a paid date comes from money', `${said} is paid on ${paidOn}`);
    if (
      isOnly(touched, 'paid in the books', 'changed in the books') &&
      forced === 0 &&
      !isCredit.has(document) &&
      // A paid date that may be ours, of a payment that bounced while records were put back, is asked about.
      !(paidOn !== '' && refused.has(`payment ${id}`)) &&
      (centsOf(document['Balance']) === 0) !== (paidOn !== '')
    )
      broken(
        'what came in is told',
        `${said}: ${shownCents(centsOf(document['Balance']))} is open, the PSA says "${paidOn}"`,
      );
  }

  // A number in the PSA names a document of the same invoice.
  for (const { id, touched, forced } of invoices) {
    const head = ofPsa.get(id) ?? {};
    const named = byNumber.get(text(head['invoiceNumber']));
    if (!touched.has('given out again') || named === undefined || !('invoiceTotal' in head)) continue;
    if (
      touched.has('voided in the PSA') ||
      touched.has('changed in the PSA') ||
      touched.has('voided in the books') ||
      forced > 0
    )
      continue;
    // A write that comes late can put the number of the one before on an invoice that was given its id meanwhile.
    if (owed(named) !== centsOf(head['invoiceTotal']))
      untold.push({
        id,
        month: monthOf(head),
        rule: 'nothing is linked to another document',
        detail: `invoice ${id} of ${shownCents(centsOf(head['invoiceTotal']))} carries the number of ${shownCents(owed(named))}`,
      });
  }
  // Restored records do not include a document that was posted and deleted since; the reconciliation does.
  for (const [month, own] of Map.groupBy(untold, (one) => one.month)) {
    const differing = await office.differing(month);
    for (const { id, rule, detail } of own)
      if (!differing.has(id)) broken(rule, `${detail}, nor does its month's proof tell`);
  }
  for (const log of relinked) {
    const found = byNumber.get(text(log['number']));
    const total = centsOf(found?.['TotalAmt'] ?? 0);
    if (total !== 0 && total !== Math.abs(centsOf(Number(log['amount']))))
      broken(
        'nothing is linked to another document',
        `invoice ${Number(log['entityid'])} of ${String(log['amount'])} was linked to ${shownCents(total)}`,
      );
  }

  for (const [id, ours] of Map.groupBy(
    payments.filter((row) => centsOf(row['TotalAmt']) !== 0),
    paidBy,
  )) {
    const invoice = invoices.find((one) => one.id === id);
    if (id === null || invoice?.touched.has('given out again') === true) continue;
    const paid = ours.reduce((sum, row) => sum + centsOf(row['TotalAmt']), 0);
    const total = centsOf(ofPsa.get(id)?.['invoiceTotal'] ?? 0);
    if (ours.length > 1) broken('a payment is made once', `invoice ${id} was paid by us ${ours.length} times`);
    if (ofPsa.has(id) && paid > total)
      broken('cash is never invented', `invoice ${id} of ${shownCents(total)} was paid ${shownCents(paid)} by us`);
  }

  const purchasesInBooks = Map.groupBy([...orders, ...bills], (row) => sourceOf(row) ?? '');
  const references = new Map([
    ...psaOrders.map((row): [string, string] => [`purchase order ${Number(row['id'])}`, text(row['externalPONumber'])]),
    ...psaReports.map((row): [string, string] => [
      `expense report ${Number(row['id'])}`,
      text(row['quickBooksReferenceNumber']),
    ]),
  ]);
  for (const { kind, id, cents, forced, isDeleted } of purchases) {
    const source = `${kind} ${id}`;
    const standing = purchasesInBooks.get(source) ?? [];
    const said = `${source}, forced ${forced}${isDeleted ? ', deleted in the books' : ''},`;
    if (standing.length > 1 + forced) broken('nothing is posted twice', `${said} stands ${standing.length} times`);
    if (standing.length === 0 && !isDeleted) broken('nothing is lost', `${said} stands 0 times`);
    for (const row of standing)
      if (centsOf(row['TotalAmt']) !== cents)
        broken(
          'every amount is right to the cent',
          `${said} of ${shownCents(cents)} stands with ${shownCents(centsOf(row['TotalAmt']))}`,
        );
    const reference = references.get(source) ?? '';
    const names = standing.map((row) => text(row[kind === 'purchase order' ? 'DocNumber' : 'Id']));
    if (!isDeleted && !names.includes(reference))
      broken('both sides name the same number', `${said}: ${reference}, in the books ${names.join(', ')}`);
  }

  for (const job of (jobs?.['jobs'] ?? []) as readonly JsonObject[]) {
    if (job['status'] === 'queued' || job['status'] === 'running')
      broken('every job ends', `a job of ${text(job['type'])} is ${job['status']}`);
    const [done, total] = [Number(job['done']), job['total']];
    if (job['status'] === 'finished' && typeof total === 'number' && done !== total)
      broken('a job counts what it did', `a job of ${text(job['type'])} ended as ${done} of ${total}`);
  }
  return violations;
}
