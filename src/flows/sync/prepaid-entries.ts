import type { Attempt, AttemptBase } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { LedgerEntry } from '#core/documents/accounting-report.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { documentCommand, lastCommand, type Plan, type PrepaidTaking } from '#core/planning/plan.ts';
import {
  atRecordedRate,
  balanceInCurrency,
  ledgerNamesOf,
  type PrepaidBalance,
  prepaidChange,
  type PrepaidClaim,
  prepaidOf,
  shortfallAfter,
} from '#core/planning/prepaid-shortfall.ts';
import { problem, type Problem } from '#core/problems.ts';
import { nextReadMonth } from '#core/metered-reads.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { addDays, dateIn } from '#core/values/dates.ts';
import {
  absolute,
  decimal,
  format,
  isNegative,
  isZero,
  minus,
  negate,
  plus,
  round2,
  sum,
  times,
  type Decimal,
  zero,
} from '#core/values/decimal.ts';
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
  accounting: AccountingLists,
): PrepaidBalances {
  const claims = new Map<string, PrepaidTaking>();
  for (const one of unfinished) {
    if (accountId === null || (one.state !== 'posting' && one.state !== 'unsure')) continue;
    const { plan } = one;
    if (plan.prepaid !== undefined) claims.set(prepaidKey(one), plan.prepaid);
    // Plans of earlier versions: what an update or void takes is not known.
    if (plan.prepaid !== undefined || one.kind === 'void' || lastCommand(plan).do === 'update') continue;
    const [customer, change] = [customerOf(plan), prepaidChange(plan, null, accountId, accounting)];
    if (customer !== null && isNegative(change)) claims.set(prepaidKey(one), { customer, change, rate: rateOf(plan) });
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
  {
    accounting,
    context,
    tenant,
  }: Pick<Searcher, 'accounting' | 'context'> & { readonly tenant: Pick<Searcher['tenant'], 'timeZone'> },
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
 * Refuses a plan that would make a customer's prepaid balance negative: the money was already used, or was never paid
 * into the account. Prepaid money in a foreign currency is taken at the rate at which it was recorded. Reads the
 * balance only if the plan lowers it, and holds the plan if it cannot be read.
 */
export async function withoutShortfall(
  run: Pick<Searcher, 'accounting' | 'context' | 'tenant' | 'psa'>,
  shared: Shared,
  decision: Planned,
  document: PrepaidDocument,
): Promise<Decision> {
  const { accounting, settings, prepaid } = shared;
  const { prepaid_account: accountId } = settings;
  const { plan } = decision;
  prepaid.claims.delete(document.key);
  const taken = accountId === null ? null : takenBy(plan, document.posted, accountId, accounting);
  if (accountId === null || taken === null) return decision;
  const refusal = (problems: readonly Problem[], mark: string | null): Decision => ({
    outcome: 'refuse',
    problems,
    notes: plan.notes,
    mark,
  });
  const { customer, change } = taken;
  const of = { number: document.number ?? document.name, party: customer };
  prepaid.entries ??= readPrepaidEntries(run, accountId);
  const entries = await unlessReadsAreBlocked(prepaid.entries, null).catch((error: unknown) => {
    prepaid.entries = null;
    throw error;
  });
  if (entries === null) {
    prepaid.entries = null;
    return refusal(
      [
        problem('PREPAID_BALANCE_UNREAD', {
          ...of,
          amount: format(absolute(change)),
          until: nextReadMonth(run.context.clock.now()),
        }),
      ],
      null,
    );
  }
  const balance = await balanceOf(run, shared, entries, { customer, plan, accountId });
  const isUpdate = lastCommand(plan).do === 'update';
  const mark = isUpdate || document.isDifference ? null : decision.mark;
  const inOwn = shortfallAfter(balance.own, change);
  // An update keeps the rate of its document.
  const shortfall =
    isUpdate && isZero(inOwn) ? shortfallAfter(balance.home, round2(times(change, rateOf(plan)))) : inOwn;
  if (!isZero(shortfall)) {
    const by = isUpdate ? (taken.isMoved ? 'move' : 'update') : document.isDifference ? 'difference' : 'new';
    const used = { psa: run.psa.describe.label, ...of, amount: format(shortfall), by } as const;
    return refusal([problem('PREPAID_MONEY_USED', used)], mark);
  }
  const { prepaidReserved = zero } = plan;
  const expired = shortfallAfter(minus(balance.own, prepaidReserved), change);
  if (!isUpdate && !isZero(prepaidReserved) && !isZero(expired))
    return refusal([problem('PREPAID_MONEY_EXPIRED', { ...of, amount: format(expired) })], mark);
  const rated = isUpdate ? plan : atRecordedRate(plan, change, balance, accountId, accounting);
  if (rated === null) {
    const amount = `${format(absolute(change))} ${salesOf(plan)?.currency ?? ''}`.trim();
    return refusal([problem('PREPAID_RATE_DIFFERS', { psa: run.psa.describe.label, ...of, amount })], mark);
  }
  const taking = { customer, change, rate: rateOf(rated) };
  prepaid.claims.set(document.key, taking);
  return { ...decision, plan: { ...rated, prepaid: taking } };
}

/**
 * Returns which customer's prepaid money a plan takes, and how much; null if it takes none. An update that moves a sale
 * to another customer takes the money of the first one.
 */
function takenBy(
  plan: Plan,
  posted: AccountingDocument | null,
  accountId: string,
  accounting: AccountingLists,
): { readonly customer: string; readonly change: Decimal; readonly isMoved: boolean } | null {
  const planned = salesOf(plan)?.customer;
  const isMoved = posted !== null && planned !== undefined && !('id' in planned && planned.id === posted.party.id);
  if (isMoved) {
    const change = negate(prepaidOf(posted, accountId, accounting));
    const known = accounting.customers.find(({ id }) => id === posted.party.id)?.displayName;
    if (isNegative(change)) return { customer: known ?? posted.party.name ?? '', change, isMoved };
  }
  const change = prepaidChange(plan, isMoved ? null : posted, accountId, accounting);
  const customer = customerOf(plan);
  return customer === null || !isNegative(change) ? null : { customer, change, isMoved: false };
}

/** Returns what is left of a customer's prepaid money, after documents that QuickBooks may not have yet. */
async function balanceOf(
  run: Pick<Searcher, 'accounting'>,
  { accounting, prepaid }: Shared,
  entries: readonly LedgerEntry[],
  { customer, plan, accountId }: { readonly customer: string; readonly plan: Plan; readonly accountId: string },
): Promise<PrepaidBalance> {
  const names = ledgerNamesOf(customer, accounting);
  const own = entries.filter(({ partyName }) => partyName !== null && names.has(partyName));
  const documents = isForeign(plan) ? await readForeign(run, own) : [];
  const claims = [...prepaid.claims.values()].filter((claim) => claim.customer === customer);
  const balance = balanceInCurrency(own, documents, rateOf(plan), (one) => prepaidOf(one, accountId, accounting));
  return {
    own: plus(balance, sum(claims.map(({ change }) => change))),
    home: plus(sum(own.map(({ amount }) => amount)), sum(claims.map((claim) => inHome(claim)))),
  };
}

const inHome = ({ change, rate }: PrepaidTaking): Decimal => round2(times(change, rate));

/** Returns what documents take that QuickBooks may not have yet, in the home currency. */
export const claimsInHome = ({
  prepaid,
  accounting,
}: Pick<Shared, 'prepaid' | 'accounting'>): readonly PrepaidClaim[] =>
  [...prepaid.claims.values()].map((claim) => ({
    names: ledgerNamesOf(claim.customer, accounting),
    change: inHome(claim),
  }));

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
