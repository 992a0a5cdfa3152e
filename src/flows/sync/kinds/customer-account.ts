import { familyOf, parentsOf, type OpenMoney } from '#core/documents/open-money.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { CustomerAccount } from '#core/planning/plan-payment.ts';
import { addDays, dateIn } from '#core/values/dates.ts';
import { readCachedLists } from '../../connections/cached-lists.ts';
import type { Searcher } from './kind.ts';

/** Maximum days ahead for the date of open money. */
const daysAhead = 400;

/**
 * Reads the unapplied money of the customers of some invoices, their parents and sub-customers, for all of them
 * together. Returns it by invoice.
 */
export async function readAccounts(
  run: Searcher,
  needed: readonly { readonly psaId: number; readonly companyId: number; readonly customer: SalesState['customer'] }[],
): Promise<ReadonlyMap<number, CustomerAccount>> {
  if (needed.length === 0) return new Map();
  const lists = await readCachedLists(run.context);
  const customers = new Map((lists?.customers ?? []).map((one) => [one.id, one]));
  const families = new Map(needed.map(({ customer: { id } }) => [id, familyOf(id, customers)]));
  const through = addDays(dateIn(run.context.clock.now(), run.tenant.timeZone), daysAhead);
  const all = [...new Set([...families.values()].flat())];
  const { money, usedUp } = await withPaidCredits(run, await run.accounting.readOpenMoney(all, through));
  const asked = Map.groupBy(
    money.length === 0
      ? []
      : await run.context.store.listShown(
          'payment',
          needed.map(({ psaId }) => psaId),
          'OPEN_MONEY',
        ),
    ({ psaId }) => psaId,
  );
  const names = (ids: readonly string[]) => new Set(ids.flatMap((id) => customers.get(id)?.displayName ?? []));
  return new Map(
    needed.map(({ psaId, companyId, customer }): [number, CustomerAccount] => {
      const family = families.get(customer.id) ?? [customer.id];
      const known = names(family);
      const isOfFamily = ({ customer: { id, name } }: OpenMoney) =>
        id === null
          ? all.length === family.length || name === null || known.has(name.split(':').at(-1) ?? name)
          : family.includes(id);
      // Several companies may share a customer, and each decides about its own credits.
      const isUsedUp = ({ type, id }: OpenMoney) => type === 'CreditMemo' && usedUp.get(id) === companyId;
      const account = {
        money: money.filter(isOfFamily).map((one): OpenMoney => (isUsedUp(one) ? { ...one, isPaidInPsa: true } : one)),
        payers: [customer.id, ...parentsOf(customer.id, customers)],
        asked: (asked.get(psaId) ?? []).map(({ message }) => message),
      };
      return [psaId, account];
    }),
  );
}

/**
 * Returns the money without credit memos that reverse a voided invoice, which belong to that invoice, and the credit
 * memos that the PSA shows as used up with their company there.
 */
async function withPaidCredits(
  run: Searcher,
  money: readonly OpenMoney[],
): Promise<{ readonly money: readonly OpenMoney[]; readonly usedUp: ReadonlyMap<string | null, number> }> {
  const ids = money.flatMap(({ type, id }) => (type === 'CreditMemo' ? [id] : []));
  if (ids.length === 0) return { money, usedUp: new Map() };
  const { store } = run.context;
  const [posted, reversals] = await inParallel([store.findPostings('invoice', ids), store.findPostings('void', ids)]);
  const own = posted.filter(({ targetType }) => targetType === 'CreditMemo');
  const psaIds = own.map(({ psaId }) => psaId);
  const [heads, states] = await inParallel([
    psaIds.length === 0 ? [] : run.psa.findInvoices({ ids: psaIds }),
    store.listPaymentStates(psaIds),
  ]);
  const written = new Map(states.map(({ psaId, writtenOn }) => [psaId, writtenOn]));
  const companies = new Map(
    heads.flatMap(({ id, companyId, paidOn, isVoided }) =>
      paidOn !== null && !isVoided && written.get(id) !== paidOn ? [[id, companyId] as const] : [],
    ),
  );
  const usedUp = new Map(
    own.flatMap(({ psaId, targetId }) => {
      const companyId = companies.get(psaId);
      return companyId === undefined ? [] : [[targetId, companyId] as const];
    }),
  );
  const reserved = new Set(
    reversals.flatMap(({ targetType, targetId, status }) =>
      targetType === 'CreditMemo' && status === 'synced' ? [targetId] : [],
    ),
  );
  return { money: money.filter(({ type, id }) => type !== 'CreditMemo' || !reserved.has(id)), usedUp };
}
