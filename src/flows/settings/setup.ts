import { inParallel } from '#core/in-parallel.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { ExpenseCategory } from '#core/planning/expense-categories.ts';
import { detectSettings, type Detected } from '#core/settings/detect.ts';
import { kindReadiness, type KindReadiness } from '#core/settings/kind-readiness.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';
import { keptWaitingCategories, readWaitingCategories } from './waiting-categories.ts';

/** The books tell of changes; what they failed to tell of is at most this old. */
const keptForSeconds = 300;

/**
 * Facts that need not be asked of a new client, because both systems tell them.
 *
 * @throws ServiceError when the books must be read and do not answer; Refusal `not_connected`.
 */
export async function readDetected(context: TenantContext, facts: SettingsFacts): Promise<readonly Detected[]> {
  if (!facts.isConnected) return [];
  const [books, settings] = await inParallel([
    loadCachedLists(context, { keptForSeconds }),
    context.store.readSettings(),
  ]);
  return detectSettings(books, facts.modules, settings, facts.psaLabel);
}

/** Reads, without a call, what {@link readKindReadiness} rests on: its reads may share a transaction with others. */
export async function readKeptCategories(context: Pick<TenantContext, 'store' | 'clock'>): Promise<KeptCategories> {
  const [mappings, waiting] = await inParallel([
    context.store.listMappings(['ExpenseCategoryBillable', 'ExpenseCategoryNonBillable']),
    keptWaitingCategories(context),
  ]);
  return { mappings, waiting };
}

interface KeptCategories {
  readonly mappings: readonly Mapping[];
  /** Null where the PSA has to be asked. */
  readonly waiting: readonly ExpenseCategory[] | null;
}

/** Missing choices of each kind, before which it cannot sync. */
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
