import type { BooksDocument } from '#core/documents/books-document.ts';
import type { LedgerEntry } from '#core/documents/books-report.ts';
import { prepaidChange, shortfallAfter } from '#core/planning/prepaid-shortfall.ts';
import { lastCommand } from '#core/planning/plan.ts';
import { problem } from '#core/problems.ts';
import { addDays, dateIn } from '#core/values/dates.ts';
import { format, isZero } from '#core/values/decimal.ts';
import type { Decision, Searcher, Shared } from './kinds/kind.ts';

type Planned = Extract<Decision, { outcome: 'plan' }>;

/** Maximum days ahead for the date of a document, needed when QuickBooks is closed through a future day. */
const daysAhead = 400;

/** Returns all entries of the account for prepaid money; none without such an account. */
export async function readPrepaidEntries(
  { accounting, context, tenant }: Pick<Searcher, 'accounting' | 'context' | 'tenant'>,
  accountId: string | null,
): Promise<readonly LedgerEntry[]> {
  if (accountId === null) return [];
  const through = addDays(dateIn(context.clock.now(), tenant.timeZone), daysAhead);
  return (await accounting.readAccountLedger(accountId, through)).content.entries;
}

/**
 * Refuses an update or a difference that would make the customer's prepaid balance negative, because the money was
 * already used.
 *
 * @param standing the posted invoice
 * @param entries all entries of the account for prepaid money
 */
export function withoutShortfall(
  decision: Planned,
  { books, settings }: Shared,
  standing: BooksDocument | null,
  entries: readonly LedgerEntry[],
  psaLabel: string,
): Decision {
  const { prepaid_account: accountId } = settings;
  if (accountId === null || standing === null) return decision;
  const { plan, mark } = decision;
  const shortfall = shortfallAfter(entries, standing.id, prepaidChange(plan, standing, accountId, books));
  if (isZero(shortfall)) return decision;
  const used = problem('PREPAID_MONEY_USED', {
    psa: psaLabel,
    number: standing.number ?? standing.id,
    party: standing.party.name ?? 'the customer',
    amount: format(shortfall),
    by: lastCommand(plan).do === 'update' ? 'update' : 'difference',
  });
  return { outcome: 'refuse', problems: [used], notes: plan.notes, mark };
}
