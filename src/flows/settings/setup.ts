import { inParallel } from '#core/in-parallel.ts';
import { detectSettings, type Detected } from '#core/settings/detect.ts';
import { kindReadiness, type KindReadiness } from '#core/settings/kind-readiness.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';

/** The books tell of changes; what they failed to tell of is at most this old. */
const keptForSeconds = 300;

/**
 * What need not be asked of a new client, because both systems say it.
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

/** What has to be chosen before each kind can sync; without a call to a service. */
export async function readKindReadiness(
  context: TenantContext,
  settings: Settings,
  facts: SettingsFacts,
): Promise<readonly KindReadiness[]> {
  const mappings = await context.store.listMappings(['ExpenseCategoryBillable', 'ExpenseCategoryNonBillable']);
  return kindReadiness(settings, facts, { ExpenseCategoryBillable: mappings.length });
}
