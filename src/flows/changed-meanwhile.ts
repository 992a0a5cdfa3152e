import { ChangedMeanwhile, changedRefusal, type FieldText, type FieldValues } from '#core/changed-meanwhile.ts';
import type { Actor } from '#core/records/audit.ts';
import type { TenantContext } from './context.ts';

/** How the conflicts of a form are reported. */
export interface ConflictTexts {
  /** The user who saves the form. */
  readonly actor: Actor;
  /**
   * Actions of the audit trail that change these fields. Their `after` has the fields as keys, or is the only field; null
   * after a removal.
   */
  readonly actions: readonly string[];
  /** Subject of these events, which can depend on the stored values; absent: any. */
  readonly subject?: string | ((stored: FieldValues) => string);
  readonly textOf: (key: string, stored: FieldValues) => FieldText;
}

/** Number of newest changes that are searched for the user who saved a value. */
const searchedEvents = 50;

/**
 * Saves a form. If a stored value differs from the one that the form read, the refusal names the field, the stored value
 * and the user who saved it.
 *
 * @param save throws {@link ChangedMeanwhile}; see `requireUnchanged`.
 * @throws Refusal `changed_meanwhile` (409), and as `save`.
 */
export async function reportingConflicts<T>(
  { store }: Pick<TenantContext, 'store'>,
  { actor, actions, subject, textOf }: ConflictTexts,
  save: () => Promise<T>,
): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    const about = typeof subject === 'function' ? subject(error.stored) : subject;
    const { events } = await store.listAudit({
      page: 1,
      pageSize: searchedEvents,
      actions,
      ...(about !== undefined && { subject: about }),
    });
    const authorOf = (key: string): Actor | null =>
      events.find(({ after }) =>
        typeof after === 'object' && !Array.isArray(after)
          ? after === null || key in after
          : error.keys.length === 1,
      )?.actor ?? null;
    const authors = Object.fromEntries(error.keys.map((key) => [key, authorOf(key)]));
    throw changedRefusal(error, { textOf, authors, self: actor });
  }
}
