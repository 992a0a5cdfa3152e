import type { Attempt, AttemptBase } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { LedgerEntry } from '#core/documents/accounting-report.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { documentCommand, lastCommand, type Plan } from '#core/planning/plan.ts';
import {
  balanceInCurrency,
  ledgerNamesOf,
  prepaidChange,
  prepaidOf,
  shortfallAfter,
} from '#core/planning/prepaid-shortfall.ts';
import { problem } from '#core/problems.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { addDays, dateIn } from '#core/values/dates.ts';
import { decimal, format, isNegative, isZero, plus, sum, type Decimal } from '#core/values/decimal.ts';
import type { Decision, PrepaidBalances, Searcher, Shared } from './kinds/kind.ts';

type Planned = Extract<Decision, { outcome: 'plan' }>;

/** Maximum days ahead for the date of a document, needed when QuickBooks is closed through a future day. */
const daysAhead = 400;

/**
 * Returns the balances of a new job, with what documents take that were sent before and may not be in QuickBooks yet.
 *
 * @param unfinished all unfinished attempts
 * @param accountId the account for prepaid money; null: none is chosen
 */
export function newPrepaidBalances(
  unfinished: readonly Attempt[],
  accountId: string | null,
  books: AccountingLists,
): PrepaidBalances {
  const claims = new Map<string, { readonly customer: string; readonly change: Decimal }>();
  for (const one of unfinished) {
    if (accountId === null || (one.state !== 'posting' && one.state !== 'unsure')) continue;
    const { plan } = one;
    // The ledger has the document that an update changes, and a void only increases or was checked before.
    if (one.kind === 'void' || lastCommand(plan).do === 'update') continue;
    const [customer, change] = [customerOf(plan), prepaidChange(plan, null, accountId, books)];
    if (customer !== null && isNegative(change)) claims.set(prepaidKey(one), { customer, change });
  }
  return { claims, entries: null };
}

/** Returns the key of a document's claim. */
export const prepaidKey = ({ kind, psaId }: Pick<AttemptBase, 'kind' | 'psaId'>): string => `${kind} ${psaId}`;

/** Notes that nothing more will be sent for a document, so that the general ledger has what it took. */
export function releasePrepaid(balances: PrepaidBalances, document: Pick<AttemptBase, 'kind' | 'psaId'>): void {
  balances.claims.delete(prepaidKey(document));
  balances.entries = null;
}

/** Returns all entries of the account for prepaid money; none without such an account. */
export async function readPrepaidEntries(
  { accounting, context, tenant }: Pick<Searcher, 'accounting' | 'context' | 'tenant'>,
  accountId: string | null,
): Promise<readonly LedgerEntry[]> {
  if (accountId === null) return [];
  const through = addDays(dateIn(context.clock.now(), tenant.timeZone), daysAhead);
  return (await accounting.readAccountLedger(accountId, through)).content.entries;
}

/** A planned document whose effect on the prepaid balance is checked. */
export interface PrepaidDocument {
  /** Identifies it within the job. */
  readonly key: string;
  /** Its name before it is posted, for example `Invoice 48213`. */
  readonly name: string;
  /** The document that the plan changes; null for a new one. */
  readonly posted: AccountingDocument | null;
  /** Number of the invoice in QuickBooks, for an update or a difference. */
  readonly number: string | null;
  readonly isDifference: boolean;
}

/**
 * Refuses a plan that would make the customer's prepaid balance negative: the money was already used, or was never paid
 * into the account. Reads the balance only if the plan lowers it.
 */
export async function withoutShortfall(
  run: Pick<Searcher, 'accounting' | 'context' | 'tenant' | 'psa'>,
  { books, settings, prepaid }: Shared,
  decision: Planned,
  document: PrepaidDocument,
): Promise<Decision> {
  const { prepaid_account: accountId } = settings;
  const { plan, mark } = decision;
  const { key, posted } = document;
  const change = accountId === null ? null : prepaidChange(plan, posted, accountId, books);
  const customer = change === null || !isNegative(change) ? null : customerOf(plan);
  if (accountId === null || change === null || customer === null) {
    prepaid.claims.delete(key);
    return decision;
  }
  prepaid.entries ??= readPrepaidEntries(run, accountId);
  // Without reads, a draw is limited by the sales in the PSA, and an update cannot be planned.
  const entries = await unlessReadsAreBlocked(prepaid.entries, null).catch((error: unknown) => {
    prepaid.entries = null;
    throw error;
  });
  if (entries === null) return decision;
  const names = ledgerNamesOf(customer, books);
  const own = entries.filter(({ partyName }) => partyName !== null && names.has(partyName));
  const documents = isForeign(plan) ? await readForeign(run, own) : [];
  const balance = balanceInCurrency(own, documents, rateOf(plan), (one) => prepaidOf(one, accountId, books));
  const claimed = [...prepaid.claims].flatMap(([other, claim]) =>
    other !== key && claim.customer === customer ? [claim.change] : [],
  );
  const shortfall = shortfallAfter(plus(balance, sum(claimed)), change);
  if (isZero(shortfall)) {
    prepaid.claims.set(key, { customer, change });
    return decision;
  }
  prepaid.claims.delete(key);
  const isUpdate = lastCommand(plan).do === 'update';
  const used = problem('PREPAID_MONEY_USED', {
    psa: run.psa.describe.label,
    number: document.number ?? document.name,
    party: customer,
    amount: format(shortfall),
    by: isUpdate ? 'update' : document.isDifference ? 'difference' : 'new',
  });
  return {
    outcome: 'refuse',
    problems: [used],
    notes: plan.notes,
    mark: isUpdate || document.isDifference ? null : mark,
  };
}

/** Returns the name of the customer of a sales document; null for another document. */
function customerOf(plan: Plan): string | null {
  const made = documentCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return null;
  const { customer } = made.document;
  if ('id' in customer) return customer.name ?? null;
  const created = plan.commands[customer.fromCommand];
  return created?.do === 'create_customer' ? created.customer.displayName : null;
}

const salesOf = (plan: Plan) => {
  const made = documentCommand(plan);
  return made.do === 'create_invoice' || made.do === 'create_credit_memo' ? made.document : null;
};

const isForeign = (plan: Plan): boolean => salesOf(plan)?.exchangeRate !== undefined;

const rateOf = (plan: Plan): Decimal => salesOf(plan)?.exchangeRate ?? decimal(1);

/** Reads the sales documents behind entries, because the general ledger has only amounts in the home currency. */
const readForeign = (
  { accounting }: Pick<Searcher, 'accounting'>,
  entries: readonly LedgerEntry[],
): Promise<readonly AccountingDocument[]> => {
  const ids = (name: string) => new Set(entries.flatMap(({ type, id }) => (type === name ? (id ?? []) : [])));
  return accounting.readDocuments([
    ...[...ids('Invoice')].map((id) => ({ type: 'Invoice', id }) as const),
    ...[...ids('Credit Memo')].map((id) => ({ type: 'CreditMemo', id }) as const),
  ]);
};
