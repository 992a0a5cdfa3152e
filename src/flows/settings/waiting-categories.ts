import { thresholdOf } from '#core/planning/eligibility.ts';
import { waitingCategories, waitsForSync, type ExpenseCategory } from '#core/planning/expense-categories.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { keepFor, keptFor, waitingCategoriesName as name } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';

/** Maximum age of the waiting categories unless a person refreshes: asked for with the Overview, they cost two calls. */
const maxAgeSeconds = 900;
/** The widest window that settings allow. */
const longestDays = 90;

/**
 * The expense categories of what would be synced. A PSA that does not answer leaves what was kept in force, and is not
 * asked again before its time: whoever looks at the Overview is not to wait for it twice.
 *
 * @param known what {@link keptWaitingCategories} answered already.
 */
export async function readWaitingCategories(
  context: TenantContext,
  settings: Settings,
  timeZone: string,
  known: readonly ExpenseCategory[] | null,
): Promise<readonly ExpenseCategory[]> {
  const from = thresholdOf(context.clock.now(), timeZone, settings.exp_max_age_days, settings.sync_start_date);
  const kept =
    known ??
    (await keepFor(context, name, { maxAgeSeconds }, () => read(context, timeZone)).catch((error: unknown) => {
      // The PSA is slow and nothing is stored: the screen does without.
      if (error instanceof ServiceError) return [];
      throw error;
    }));
  return kept.filter(({ submittedAt }) => submittedAt >= from);
}

/** The same before a window is laid over it, as it is kept, without a call; null when the PSA has to be asked. */
export const keptWaitingCategories = (
  context: Pick<TenantContext, 'store' | 'clock'>,
): Promise<readonly ExpenseCategory[] | null> => keptFor(context, name, maxAgeSeconds);

async function read(context: TenantContext, timeZone: string): Promise<readonly ExpenseCategory[]> {
  try {
    const psa = await context.psa();
    const from = thresholdOf(context.clock.now(), timeZone, longestDays);
    const heads = await psa.findExpenseReports({ submittedFrom: from });
    return waitingCategories(await psa.readExpenseReports(heads.filter(waitsForSync).map(({ id }) => id)));
  } catch (error) {
    const isOutOfReach = error instanceof ServiceError || (error instanceof Refusal && error.code === 'not_connected');
    if (!isOutOfReach) throw error;
    return (await keptFor<readonly ExpenseCategory[]>(context, name, Number.POSITIVE_INFINITY)) ?? [];
  }
}
