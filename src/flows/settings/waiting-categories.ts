import { thresholdOf } from '#core/planning/eligibility.ts';
import { waitingCategories, waitsForSync, type ExpenseCategory } from '#core/planning/expense-categories.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { cacheFor, cachedFor, waitingCategoriesName as name } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';

/** Maximum age of the waiting categories without a refresh. The Overview reads them, and reading costs two calls. */
const maxAgeSeconds = 900;
/** The longest window that settings allow. */
const maxDays = 90;

/**
 * Returns the expense categories of waiting expense reports. If the PSA does not respond, returns the cached value and
 * does not retry before it expires, so that the Overview does not wait twice.
 *
 * @param known result of {@link cachedWaitingCategories}.
 */
export async function readWaitingCategories(
  context: TenantContext,
  settings: Settings,
  timeZone: string,
  known: readonly ExpenseCategory[] | null,
): Promise<readonly ExpenseCategory[]> {
  const from = thresholdOf(context.clock.now(), timeZone, settings.exp_max_age_days, settings.sync_start_date);
  const categories =
    known ??
    (await cacheFor(context, name, { maxAgeSeconds }, () => read(context, timeZone)).catch((error: unknown) => {
      // The PSA is slow and nothing is cached: the screen shows no categories.
      if (error instanceof ServiceError) return [];
      throw error;
    }));
  return categories.filter(({ submittedAt }) => submittedAt >= from);
}

/** Returns the cached categories, not limited to the window, without a call; null if the PSA must be read. */
export const cachedWaitingCategories = (
  context: Pick<TenantContext, 'store' | 'clock'>,
): Promise<readonly ExpenseCategory[] | null> => cachedFor(context, name, maxAgeSeconds);

async function read(context: TenantContext, timeZone: string): Promise<readonly ExpenseCategory[]> {
  try {
    const psa = await context.psa();
    const from = thresholdOf(context.clock.now(), timeZone, maxDays);
    const heads = await psa.findExpenseReports({ submittedFrom: from });
    return waitingCategories(await psa.readExpenseReports(heads.filter(waitsForSync).map(({ id }) => id)));
  } catch (error) {
    const isOutOfReach = error instanceof ServiceError || (error instanceof Refusal && error.code === 'not_connected');
    if (!isOutOfReach) throw error;
    return (await cachedFor<readonly ExpenseCategory[]>(context, name, Number.POSITIVE_INFINITY)) ?? [];
  }
}
