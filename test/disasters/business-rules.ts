import type { JsonObject } from '#core/values/json.ts';
import { isDifference, sourceOf } from '../support/business.ts';
import { centsOf, shownCents } from '../support/cents.ts';
import type { World } from '../support/world.ts';
import type { ApiUser } from './api-user.ts';
import type { Violation } from './checker.ts';

/** A change to an invoice that bypasses the product. */
export type Change =
  | 'voided in Autotask'
  | 'changed in Autotask'
  | 'paid in QuickBooks'
  | 'paid date set'
  | 'paid date removed'
  | 'voided in QuickBooks'
  | 'deleted in QuickBooks'
  | 'changed in QuickBooks'
  /** Autotask was restored, so later changes are lost. */
  | 'Autotask restored'
  /** Autotask was restored and reused the id for another invoice. */
  | 'id reused';

/** An invoice of a scenario. */
export interface KnownInvoice {
  readonly id: number;
  readonly changes: ReadonlySet<Change>;
  /** Number of additional documents that a user requested. */
  readonly forced: number;
  /** Number of earlier invoices with the same id. */
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

/** The documents of a finished scenario. */
export interface FinishedScenario {
  readonly invoices: readonly KnownInvoice[];
  readonly purchases: readonly Purchase[];
  /** The service that numbers invoices. */
  readonly numbering: 'psa' | 'accounting';
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Month of an Autotask invoice, for example `2027-07`. */
const monthOf = (head: JsonObject): string => text(head['invoiceDateTime']).slice(0, 7);
const showsStatus = (number: string): boolean => /(^|\s)(ERROR|IN PROCESS)$/.test(number);

/** The product's payments name their invoice in the note. */
const paidInvoiceId = (payment: JsonObject): number | null => {
  const found = /Autotask invoice (\d+) marked paid/.exec(text(payment['PrivateNote']));
  return found === null ? null : Number(found[1]);
};

/** Changes after which an invoice and its document may differ. */
const unequalChanges: readonly Change[] = [
  'voided in Autotask',
  'changed in Autotask',
  'voided in QuickBooks',
  'deleted in QuickBooks',
  'id reused',
];

/** Changes after which QuickBooks may follow the PSA, or the difference may be billed. */
const updatableChanges: readonly Change[] = [
  'changed in Autotask',
  'changed in QuickBooks',
  'paid in QuickBooks',
  'paid date set',
  'paid date removed',
];

const isOnly = (changes: ReadonlySet<Change>, ...allowed: readonly Change[]): boolean =>
  [...changes].every((one) => allowed.includes(one));

/**
 * Checks both services against the rules that hold once everything is idle. Reads the services' own records, and from
 * the product only what any user may read over its HTTP API: the log and the reconciliation of a month.
 */
export async function checkBusiness(
  { autotask, quickbooks }: Pick<World, 'autotask' | 'quickbooks'>,
  user: Pick<ApiUser, 'logs' | 'differences'>,
  { invoices, purchases, numbering }: FinishedScenario,
): Promise<readonly Violation[]> {
  const [sales, credits, payments, psaInvoices, orders, bills, psaOrders, psaReports, logs, relinked] =
    await Promise.all([
      quickbooks.list('Invoice'),
      quickbooks.list('CreditMemo'),
      quickbooks.list('Payment'),
      autotask.list('Invoices'),
      quickbooks.list('PurchaseOrder'),
      quickbooks.list('Bill'),
      autotask.list('PurchaseOrders'),
      autotask.list('ExpenseReports'),
      user.logs('mode=live'),
      user.logs('mode=live&success=true&q=Relinked'),
    ]);
  const violations: Violation[] = [];
  const report = (rule: string, detail: string) => violations.push({ rule, detail });
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
  const amountOwed = (row: JsonObject) => centsOf(row['TotalAmt']) * (isCredit.has(row) ? -1 : 1);
  const byNumber = new Map([...sales, ...credits].map((row) => [text(row['DocNumber']), row]));
  const ofPsa = new Map(psaInvoices.map((row) => [Number(row['id']), row]));
  const namesOf = (rows: readonly JsonObject[]) =>
    new Set(rows.map((log) => `${text(log['type'])} ${Number(log['entityid'])}`));
  const logged = namesOf(logs);
  const refused = namesOf(logs.filter((log) => log['success'] === false));

  /** Violations unless the reconciliation of the month reports the invoice. */
  const unreported: { readonly id: number; readonly month: string; readonly rule: string; readonly detail: string }[] =
    [];

  for (const { id, changes, forced, earlier } of invoices) {
    const head = ofPsa.get(id) ?? {};
    const made = bySource.get(`invoice ${id}`) ?? [];
    const existing = made.filter((row) => centsOf(row['TotalAmt']) !== 0);
    const [document] = existing;
    const number = text(head['invoiceNumber']);
    const name = `invoice ${id}${changes.size === 0 ? '' : ` (${[...changes].join(', ')})`}, forced ${forced}`;
    if (existing.length > 1 + forced + earlier)
      report(
        'nothing is posted twice',
        `${name} exists ${existing.length} times: ${existing.map((row) => text(row['Id'])).join(', ')}`,
      );
    const credited = (voids.get(`invoice ${id}`) ?? [])
      .map((row) => centsOf(row['TotalAmt']))
      .filter((one) => one !== 0);
    if (credited.length > 0 && (credited.length > 1 + forced + earlier || !changes.has('voided in Autotask')))
      report('a void is credited once', `${name}: ${credited.map(shownCents).join(', ')}`);
    const billed = (differences.get(`invoice ${id}`) ?? []).map(amountOwed).filter((one) => one !== 0);
    const isVoided = changes.has('voided in Autotask') && isOnly(changes, 'voided in Autotask', ...updatableChanges);
    if (document === undefined && isVoided && billed.length > 0)
      report('a void leaves no amount', `${name}: ${billed.map(shownCents).join(', ')}`);
    if (document === undefined) {
      if (isOnly(changes, 'paid date set', 'paid date removed', 'Autotask restored'))
        report('nothing is lost', `${name} is not in QuickBooks, its number is "${number}"`);
      // A user who voided it knows why it is missing.
      else if (!changes.has('voided in Autotask') && made.length === 0 && !logged.has(`invoice ${id}`))
        unreported.push({
          id,
          month: monthOf(head),
          rule: 'a missing document is explained',
          detail: `${name} has no log entry`,
        });
      continue;
    }
    const isVoid = changes.has('voided in Autotask') && isOnly(changes, 'voided in Autotask', 'changed in QuickBooks');
    const isCredited = credited.reduce((sum, one) => sum + one, 0) === centsOf(document['TotalAmt']);
    // QuickBooks cannot void a credit memo, and the log reports that.
    if (isVoid && forced === 0 && !isCredited && !refused.has(`void ${id}`))
      report('a voided invoice is voided', `${name} totals ${shownCents(centsOf(document['TotalAmt']))}`);
    if (billed.length > 0 && !changes.has('changed in Autotask') && !changes.has('id reused'))
      report('only a changed invoice has a difference', `${name}: ${billed.map(shownCents).join(', ')}`);
    if (isOnly(changes, ...updatableChanges) && changes.has('changed in Autotask') && forced === 0) {
      // The total in Autotask only rises, so any excess was billed twice.
      const all = billed.reduce((sum, one) => sum + one, amountOwed(document));
      const total = centsOf(head['invoiceTotal']);
      const detail = `${name}: ${[amountOwed(document), ...billed].map(shownCents).join(' + ')}, in Autotask ${shownCents(total)}`;
      if (all > total) report('a difference is billed once', detail);
      if (all !== total) unreported.push({ id, month: monthOf(head), rule: 'changes are reported', detail });
    }
    if (unequalChanges.some((one) => changes.has(one))) continue;
    if (amountOwed(document) !== centsOf(head['invoiceTotal']))
      report(
        'amounts match to the cent',
        `${name}: ${shownCents(amountOwed(document))}, in Autotask ${shownCents(centsOf(head['invoiceTotal']))}`,
      );
    // A second document with the same number is refused, and its invoice shows ERROR.
    const isRefused = numbering === 'psa' && forced > 0 && refused.has(`invoice ${id}`);
    if (showsStatus(number) && !isRefused) report('a posted invoice shows no ERROR', `${name}: ${number}`);
    if (!isRefused && !existing.some((row) => text(row['DocNumber']) === number))
      report(
        'equal numbers',
        `${name}: ${number}, in QuickBooks ${existing.map((row) => text(row['DocNumber'])).join(', ')}`,
      );
    const paidOn = text(head['paidDate']);
    if (isOnly(changes, 'changed in QuickBooks') && paidOn !== '')
      report('a paid date needs a payment', `${name} is paid on ${paidOn}`);
    if (
      isOnly(changes, 'paid in QuickBooks', 'changed in QuickBooks') &&
      forced === 0 &&
      !isCredit.has(document) &&
      // If a payment bounced around a restore, the product asks a user whether to remove the paid date.
      !(paidOn !== '' && refused.has(`payment ${id}`)) &&
      (centsOf(document['Balance']) === 0) !== (paidOn !== '')
    )
      report(
        'payments are reported',
        `${name}: ${shownCents(centsOf(document['Balance']))} is open, Autotask shows paid on "${paidOn}"`,
      );
  }

  // The number in Autotask must belong to a document of the same invoice.
  for (const { id, changes, forced } of invoices) {
    const head = ofPsa.get(id) ?? {};
    const named = byNumber.get(text(head['invoiceNumber']));
    if (!changes.has('id reused') || named === undefined || !('invoiceTotal' in head)) continue;
    if (
      changes.has('voided in Autotask') ||
      changes.has('changed in Autotask') ||
      changes.has('voided in QuickBooks') ||
      forced > 0
    )
      continue;
    // A late write can put the number of the previous invoice on an invoice that reused its id.
    if (amountOwed(named) !== centsOf(head['invoiceTotal']))
      unreported.push({
        id,
        month: monthOf(head),
        rule: 'no wrong link',
        detail: `invoice ${id} of ${shownCents(centsOf(head['invoiceTotal']))} has the number of a document of ${shownCents(amountOwed(named))}`,
      });
  }
  // Restored records do not include a document that was posted and deleted since; the reconciliation does.
  for (const [month, own] of Map.groupBy(unreported, (one) => one.month)) {
    const differences = await user.differences(month);
    for (const { id, rule, detail } of own)
      if (!differences.has(id)) report(rule, `${detail}, and the reconciliation does not report it`);
  }
  for (const log of relinked) {
    const found = byNumber.get(text(log['number']));
    const total = centsOf(found?.['TotalAmt'] ?? 0);
    if (total !== 0 && total !== Math.abs(centsOf(Number(log['amount']))))
      report(
        'no wrong link',
        `invoice ${Number(log['entityid'])} of ${String(log['amount'])} was linked to ${shownCents(total)}`,
      );
  }

  for (const [id, ours] of Map.groupBy(
    payments.filter((row) => centsOf(row['TotalAmt']) !== 0),
    paidInvoiceId,
  )) {
    const invoice = invoices.find((one) => one.id === id);
    if (id === null || invoice?.changes.has('id reused') === true) continue;
    const paid = ours.reduce((sum, row) => sum + centsOf(row['TotalAmt']), 0);
    const total = centsOf(ofPsa.get(id)?.['invoiceTotal'] ?? 0);
    if (ours.length > 1)
      report('a payment is created once', `invoice ${id} has ${ours.length} payments from the product`);
    if (ofPsa.has(id) && paid > total)
      report(
        'payments never exceed the invoice',
        `invoice ${id} of ${shownCents(total)} has payments of ${shownCents(paid)} from the product`,
      );
  }

  const purchasesInQuickBooks = Map.groupBy([...orders, ...bills], (row) => sourceOf(row) ?? '');
  const references = new Map([
    ...psaOrders.map((row): [string, string] => [`purchase order ${Number(row['id'])}`, text(row['externalPONumber'])]),
    ...psaReports.map((row): [string, string] => [
      `expense report ${Number(row['id'])}`,
      text(row['quickBooksReferenceNumber']),
    ]),
  ]);
  for (const { kind, id, cents, forced, isDeleted } of purchases) {
    const source = `${kind} ${id}`;
    const existing = purchasesInQuickBooks.get(source) ?? [];
    const name = `${source}, forced ${forced}${isDeleted ? ', deleted in QuickBooks' : ''}`;
    if (existing.length > 1 + forced) report('nothing is posted twice', `${name} exists ${existing.length} times`);
    if (existing.length === 0 && !isDeleted) report('nothing is lost', `${name} is not in QuickBooks`);
    for (const row of existing)
      if (centsOf(row['TotalAmt']) !== cents)
        report(
          'amounts match to the cent',
          `${name} of ${shownCents(cents)} totals ${shownCents(centsOf(row['TotalAmt']))}`,
        );
    const reference = references.get(source) ?? '';
    const names = existing.map((row) => text(row[kind === 'purchase order' ? 'DocNumber' : 'Id']));
    if (!isDeleted && !names.includes(reference))
      report('equal numbers', `${name}: ${reference}, in QuickBooks ${names.join(', ')}`);
  }

  return violations;
}
