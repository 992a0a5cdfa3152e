import type { InvoiceLine } from '../documents/invoice.ts';
import { type Problem, problem } from '../problems.ts';
import { type Decimal, format, isNegative, isPositive, isZero, negate, plus, round2, sum } from '../values/decimal.ts';
import { normalized } from '../values/text.ts';
import { nameItem } from './choose-item.ts';
import { businessNames, businessSources, hasClassMappings, mappedClass } from './classes.ts';
import type { DecisionLog } from './decision-log.ts';
import { skipped } from './decision.ts';
import { type Drawdown, type PrepaidInvoice, drawDown, prepaidKinds } from './drawdown.ts';
import type { InvoiceContext, InvoiceDecision, InvoiceFacts, SyncedInvoice } from './invoice-facts.ts';
import { invoiceMessages } from './messages.ts';
import { creditMilestones } from './milestone-credits.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';

/** The lines to post, and what they amount to. */
export interface InvoiceContent {
  readonly lines: readonly InvoiceLine[];
  readonly drawdowns: readonly Drawdown[];
  /** Every line of the invoice is posted. */
  readonly hasAll: boolean;
  /** Billed tax of the lines, in the currency that is sent. */
  readonly tax: Decimal;
  readonly isCredit: boolean;
  readonly isAllZero: boolean;
}

/** Chooses the lines to post; or skips the invoice. */
export function chooseContent(context: InvoiceContext): InvoiceContent | InvoiceDecision {
  const { facts, psa, books, mappings, currency, amountOf, taxOf, log } = context;
  const { invoice, settings, psaLabel } = facts;
  const isAllZero = isZero(invoice.total) && invoice.lines.every((line) => isZero(amountOf(line)));
  const isIncluded = lineFilter(facts, books, mappings);
  const drawdowns = drawdownsOf(context, isIncluded);
  warnOfOverage(drawdowns, psa, psaLabel, log);
  if (isAllZero && settings.inv_ignore_zero_balance_invoices && drawdowns.every(({ draws }) => draws.length === 0))
    return skipped('zero_balance', invoiceMessages.zeroBalance, true, log);
  if (invoice.lines.length === 0) log.refuse(problem('NO_LINES', { psa: psaLabel }));

  log.refuse(...unsyncedSales(drawdowns, facts));
  const included = includedLines(facts, amountOf, psa, isIncluded, log);
  const lines = withMilestoneCredits(context, included);
  if (lines.length === 0 && invoice.lines.length > 0) {
    const left = format(sumOf(invoice.lines, amountOf));
    const message = invoiceMessages.nothingMapped(invoice.lines.length, left, businessNames(invoice.lines, psa));
    return skipped('not_mapped', message, true, log);
  }
  const hasAll = included.length === invoice.lines.length;
  const tax = hasAll && !currency.isConverted ? invoice.tax : round2(sumOf(lines, taxOf));
  const isCredit = isNegative(hasAll ? invoice.total : plus(sumOf(lines, amountOf), tax));
  if (isCredit && settings.negative_invoice_policy === 'credit_memo')
    log.note('info', 'The total is negative: it becomes a credit memo');
  if (isCredit && settings.negative_invoice_policy === 'error')
    log.refuse(problem('NEGATIVE_INVOICE', { total: format(invoice.total) }));
  return { lines, drawdowns, hasAll, tax, isCredit, isAllZero };
}

/** Returns what the lines of the invoice draw from prepaid contracts. */
function drawdownsOf(
  { facts, psa, books, amountOf }: InvoiceContext,
  isIncluded: (line: InvoiceLine) => boolean,
): readonly Drawdown[] {
  const { invoice } = facts;
  if (!facts.settings.prepaid_drawdown) return [];
  const withIncludedLines = (one: PrepaidInvoice): PrepaidInvoice => ({ ...one, lines: one.lines.filter(isIncluded) });
  const others = facts.prepaid.filter(({ id }) => id !== invoice.id).map((one) => asPosted(one, facts, books));
  return drawDown([...others, invoice].map(withIncludedLines), psa.prepaidUnits, amountOf).filter(
    ({ invoiceId }) => invoiceId === invoice.id,
  );
}

/** Returns the lines, where credits of milestones have the items of their milestones. */
function withMilestoneCredits(
  { facts, psa, mappings, amountOf, log }: InvoiceContext,
  included: readonly InvoiceLine[],
): readonly InvoiceLine[] {
  const { lines, credits, unclear } = creditMilestones(included, {
    amountOf,
    itemOf: (milestone) =>
      mappings.ItemBilling?.get(String(milestone.billingCodeId))?.targetValue ??
      `named ${normalized(nameItem(milestone, psa, facts.itemSettings).name)}`,
    ...(facts.contractInvoices !== undefined && { others: facts.contractInvoices }),
  });
  for (const { credit, milestones } of unclear)
    log.refuse(
      problem('MILESTONE_CREDIT_UNCLEAR', {
        psa: facts.psaLabel,
        name: credit.itemName ?? 'A credit',
        amount: format(amountOf(credit)),
        list: milestones.map((one) => `“${one.itemName ?? 'Milestone'}” (${format(amountOf(one))})`).join(', '),
      }),
    );
  for (const { credit, milestone } of credits)
    log.note(
      'info',
      `“${credit.itemName ?? 'A credit'}” (${format(amountOf(credit))}) credits the milestone “${milestone.itemName ?? ''}” and uses its item`,
    );
  return lines;
}

const sumOf = (lines: readonly InvoiceLine[], of: (line: InvoiceLine) => Decimal): Decimal => sum(lines.map(of));

/** Returns which lines are synced: all, or only those with a mapped line of business (contract, section 2). */
function lineFilter(
  { settings }: InvoiceFacts,
  books: AccountingIndex,
  mappings: MappingIndex,
): (line: InvoiceLine) => boolean {
  if (!settings.lob_only_mapped || !hasClassMappings(mappings)) return () => true;
  return (line) => mappedClass(line, books, mappings) !== null;
}

/** Returns the lines that are synced, with a warning about the others. */
function includedLines(
  { invoice }: InvoiceFacts,
  amountOf: (line: InvoiceLine) => Decimal,
  psa: PsaIndex,
  isIncluded: (line: InvoiceLine) => boolean,
  log: DecisionLog,
): readonly InvoiceLine[] {
  const left = invoice.lines.filter((line) => !isIncluded(line));
  if (left.length > 0)
    log.warn(
      problem('LINES_LEFT_OUT', {
        count: left.length,
        amount: format(sumOf(left, amountOf)),
        list: businessNames(left, psa),
        linesOfBusiness: businessSources(left, psa),
      }),
    );
  return invoice.lines.filter(isIncluded);
}

/** Returns the invoice with what its document draws, and without sales whose money is not in the prepaid account. */
function asPosted(one: SyncedInvoice, { settings }: InvoiceFacts, books: AccountingIndex): PrepaidInvoice {
  if (one.document === undefined) return one;
  const isPrepaid = (itemId: string | null) =>
    books.itemsById.get(itemId ?? '')?.incomeAccountId === settings.prepaid_account;
  const amounts = (one.document?.lines ?? []).flatMap(({ itemId, amount }) => (isPrepaid(itemId) ? [amount] : []));
  const isLiability = amounts.some(isPositive);
  return {
    ...one,
    lines: one.lines.filter(({ kind, amount }) => isLiability || isNegative(amount) || !prepaidKinds.has(kind)),
    drawn: negate(sum(amounts.filter(isNegative))),
  };
}

/** Warns about covered work that no sale pays for. */
function warnOfOverage(drawdowns: readonly Drawdown[], psa: PsaIndex, psaLabel: string, log: DecisionLog): void {
  for (const [contractId, lines] of Map.groupBy(drawdowns, (one) => one.contractId)) {
    const overage = sum(lines.map((one) => one.overage));
    if (isZero(overage)) continue;
    const name = psa.contracts.get(contractId) ?? `Contract ${contractId}`;
    const unit = psa.prepaidUnits.get(contractId);
    const units = unit === 'money' ? format(overage) : `${format(overage, 0)} ${unit === 'hours' ? 'h' : 'tickets'}`;
    log.warn(problem('PREPAID_USED_UP', { psa: psaLabel, name, overage: units }));
  }
}

/** Returns the problem that the work draws on a sale that is not in QuickBooks: its liability would be below zero. */
function unsyncedSales(
  drawdowns: readonly Drawdown[],
  { invoice, prepaid, psaLabel }: InvoiceFacts,
): readonly Problem[] {
  const synced = new Set([invoice.id, ...prepaid.flatMap(({ id, isPosted }) => (isPosted ? [id] : []))]);
  const unsynced = drawdowns.flatMap(({ draws }) => draws).filter(({ soldBy }) => !synced.has(soldBy));
  if (unsynced.length === 0) return [];
  const list = [...new Set(unsynced.map(({ soldBy }) => soldBy))].sort((a, b) => a - b).join(', ');
  const amount = format(sum(unsynced.map((draw) => draw.amount)));
  return [problem('PREPAID_SALE_NOT_SYNCED', { psa: psaLabel, list, amount })];
}
