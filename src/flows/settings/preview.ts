import { inParallel } from '#core/in-parallel.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { submittableKinds } from '#core/kinds.ts';
import type { NewestOutcome } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { autoSyncKeys, countedBy, effectsOf, type ExpectedOutcome, type Waiting } from '#core/settings/effects.ts';
import type { SettingError } from '#core/settings/validate.ts';
import type { TenantContext } from '../context.ts';
import { readEligible } from '../sync/job/eligible.ts';
import { findAll } from '../sync/kinds/kind.ts';
import { flowOf } from '../sync/kinds/registry.ts';
import { type Deployment, settingsFacts } from './readiness.ts';
import { errorsOfChange, localDay, type SettingChanges, startedOn } from './save.ts';

/** Effects of saving settings. */
export interface SettingsPreview {
  /** Reasons why saving would fail; empty if it would succeed. */
  readonly errors: readonly SettingError[];
  /** Sentences about documents. */
  readonly effects: readonly string[];
}

/**
 * Returns what saving these changes would do. Saves nothing. Counts documents in the PSA, with one or two calls per
 * affected kind. If the PSA does not respond, the sentences contain no numbers.
 */
export async function previewSettings(
  deployment: Deployment,
  context: TenantContext,
  changes: SettingChanges,
): Promise<SettingsPreview> {
  const [before, facts, today] = await inParallel([
    context.store.readSettings(),
    settingsFacts(deployment, context, { fallback: 'kept' }),
    localDay(context),
  ]);
  // An empty field is null until it is validated.
  const after = startedOn({ ...before, ...changes } as Settings, today);
  const errors = errorsOfChange(after, changes, facts);
  if (!facts.isConnected) return { errors, effects: [] };
  const entries = await inParallel(
    submittableKinds.map(async (kind): Promise<[SubmittableKind, Waiting | null]> => {
      const isConcerned = countedBy[kind].some((key) => before[key] !== after[key]);
      // A search with invalid limits would be meaningless.
      return [kind, isConcerned && errors.length === 0 ? await countBoth(context, kind, before, after) : null];
    }),
  );
  const effects = effectsOf({
    before,
    after,
    waiting: Object.fromEntries(entries) as Record<SubmittableKind, Waiting | null>,
    psaLabel: facts.psaLabel,
    accountName: (id) => facts.accounts.find((account) => account.id === id)?.fullyQualifiedName ?? 'another account',
  });
  return { errors, effects };
}

async function countBoth(
  context: TenantContext,
  kind: SubmittableKind,
  before: Settings,
  after: Settings,
): Promise<Waiting | null> {
  try {
    const isTurnedOn = !before[autoSyncKeys[kind]] && after[autoSyncKeys[kind]];
    if (isTurnedOn) {
      const documents = await readEligible(context, kind, {
        force: false,
        settings: after,
        startOn: after.sync_start_date,
      });
      const newest = await context.store.listNewestOutcomes(
        kind,
        documents.map(({ psaId }) => psaId),
      );
      const expected = new Map(newest.map((outcome) => [outcome.psaId, expectedOf(outcome)]));
      return {
        before: 0,
        after: documents.length,
        documents: documents.map((document) => ({ ...document, expected: expected.get(document.psaId) ?? null })),
      };
    }
    const [was, would] = await inParallel([countWaiting(context, kind, before), countWaiting(context, kind, after)]);
    return { before: was, after: would };
  } catch (error) {
    if (error instanceof ServiceError || (error instanceof Refusal && error.code === 'not_connected')) return null;
    throw error;
  }
}

/** A live success says nothing about the next run: the document waits again, because its status was cleared. */
function expectedOf({ mode, outcome }: NewestOutcome): ExpectedOutcome | null {
  if (outcome === 'succeeded') return mode === 'test' ? 'posts' : null;
  return outcome === 'pending' ? null : outcome;
}

/**
 * Counts the documents of a kind that an automatic run would pick up now.
 *
 * @throws ServiceError when the PSA does not respond; Refusal `not_connected`.
 */
export async function countWaiting(context: TenantContext, kind: SubmittableKind, settings: Settings): Promise<number> {
  const [tenant, psa, accounting] = await inParallel([context.store.readTenant(), context.psa(), context.accounting()]);
  const search = { force: false, startOn: settings.sync_start_date };
  return (await findAll({ context, tenant, psa, accounting, session: null }, flowOf(kind), settings, search)).length;
}
