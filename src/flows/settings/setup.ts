import { inParallel } from '#core/in-parallel.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { ExpenseCategory } from '#core/planning/expense-categories.ts';
import { detectSettings, type Detected } from '#core/settings/detect.ts';
import { kindReadiness, type KindReadiness } from '#core/settings/kind-readiness.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';
import { cachedWaitingCategories, readWaitingCategories } from './waiting-categories.ts';

/** Maximum age of changes that QuickBooks failed to report; reported changes are applied immediately. */
const cachedForSeconds = 300;

/**
 * Returns facts that a new client need not enter, because both systems contain them.
 *
 * @throws ServiceError when QuickBooks must be read and does not respond; Refusal `not_connected`.
 */
export async function readDetected(context: TenantContext, facts: SettingsFacts): Promise<readonly Detected[]> {
  if (!facts.isConnected) return [];
  const [accounting, settings] = await inParallel([
    loadCachedLists(context, { cachedForSeconds }),
    context.store.readSettings(),
  ]);
  return detectSettings(accounting, facts.modules, settings, facts.psaLabel);
}

/**
 * Reads the stored data for {@link readKindReadiness} without a call to a service. Its reads can share a transaction.
 */
export async function readCachedCategories(context: Pick<TenantContext, 'store' | 'clock'>): Promise<KeptCategories> {
  const [mappings, waiting] = await inParallel([
    context.store.listMappings(['ExpenseCategoryBillable', 'ExpenseCategoryNonBillable']),
    cachedWaitingCategories(context),
  ]);
  return { mappings, waiting };
}

interface KeptCategories {
  readonly mappings: readonly Mapping[];
  /** Null if the PSA must be read. */
  readonly waiting: readonly ExpenseCategory[] | null;
}

/** Returns the missing choices of each kind, without which it cannot sync. */
export async function readKindReadiness(
  context: TenantContext,
  settings: Settings,
  facts: SettingsFacts,
  timeZone: string,
  { mappings, waiting }: KeptCategories,
): Promise<readonly KindReadiness[]> {
  if (!facts.isConnected) return kindReadiness(settings, facts, { mappings: [], waiting: [] });
  return kindReadiness(settings, facts, {
    mappings,
    waiting: await readWaitingCategories(context, settings, timeZone, waiting),
  });
}
