import { inParallel } from '#core/in-parallel.ts';
import { syncedReference } from '#core/planning/eligibility.ts';
import { describeDocument } from '#core/planning/invoice-content.ts';
import type { GoneDocument } from '#core/records/postings.ts';
import { ofDocument, problem } from '#core/problems.ts';
import { usesPsaNumber } from '#core/settings/definitions.ts';
import type { Instant } from '#core/values/dates.ts';
import { listAttention } from '../../attention/list.ts';
import type { Run } from '../run.ts';
import { loadShared } from './load-shared.ts';

/**
 * Finds invoices that were posted in a period lost in a restore and then deleted in QuickBooks. Only the PSA still
 * shows them, as synced. Needs one call to the PSA if there are none. Purchase orders and expense reports have no sync
 * date; the proof of their month finds them.
 *
 * @param postedFrom start of the lost period, by our clock.
 * @param inAccounting PSA ids of invoices named in QuickBooks documents that changed since.
 */
export async function findMissing(
  run: Run,
  postedFrom: Instant,
  inAccounting: ReadonlySet<number>,
): Promise<readonly GoneDocument[]> {
  const { context, session, psa, accounting } = run;
  const { store, clock } = context;
  const usesPsa = usesPsaNumber(session.settings.inv_numbering_option);
  const found = await psa.findInvoices({ voided: false, exportedFrom: postedFrom });
  const shown = found.flatMap((invoice) => {
    const number = inAccounting.has(invoice.id) ? null : syncedReference(invoice, usesPsa);
    return number === null ? [] : [{ invoice, number }];
  });
  if (shown.length === 0) return [];
  const ids = shown.map(({ invoice }) => invoice.id);
  const [postings, making, attention] = await inParallel([
    store.listPostings('invoice', ids),
    store.listMaking('invoice'),
    listAttention(context),
  ]);
  // An attempt that was only started creates no document: it sees that the PSA shows its document as synced.
  const known = new Set([
    ...postings.filter(({ status }) => status !== 'refused').map(({ psaId }) => psaId),
    ...making,
    ...attention.flatMap(({ documents }) =>
      documents.filter(({ type }) => type === 'invoice').map(({ psaId }) => psaId),
    ),
  ]);
  const unknown = shown.filter(({ invoice }) => !known.has(invoice.id));
  if (unknown.length === 0) return [];
  // Documents without their note, and those posted by another tool, are found by number.
  const numbered = await accounting.findNumbered([...new Set(unknown.map(({ number }) => number))]);
  const numbers = new Set(numbered.map(({ number }) => number));
  const missingInvoices = unknown.filter(({ number }) => !numbers.has(number));
  if (missingInvoices.length === 0) return [];
  const [shared, companies] = await inParallel([
    loadShared(run, null),
    psa.readCompanies([...new Set(missingInvoices.map(({ invoice }) => invoice.companyId))]),
  ]);
  return missingInvoices.flatMap(({ invoice, number }) => {
    const about = describeDocument({
      ...shared,
      invoice,
      company: companies.find(({ id }) => id === invoice.companyId) ?? null,
    });
    const missing = problem('MISSING_IN_BOOKS', {
      psa: psa.describe.label,
      menus: psa.describe.menus,
      what: about.what,
      number,
    });
    return ofDocument([missing], about).map((one) => ({
      kind: 'invoice',
      psaId: invoice.id,
      number,
      at: clock.now(),
      about,
      problem: one,
    }));
  });
}
