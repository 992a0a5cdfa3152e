import {
  ChangedMeanwhile,
  changedRefusal,
  maxListedConflicts,
  type FieldText,
  type FieldValues,
} from '#core/changed-meanwhile.ts';
import type { Actor, AuditEvent } from '#core/records/audit.ts';
import type { Json } from '#core/values/json.ts';
import type { TenantContext } from './context.ts';

/** How the conflicts of a form are reported. */
export interface ConflictTexts {
  /** The user who saves the form. */
  readonly actor: Actor;
  /** Actions of the audit trail that change these fields. */
  readonly actions: readonly string[];
  /**
   * Returns whether an event changed a field. Default: its `after` has the field as a key, is the only field, or is null
   * after a removal.
   */
  readonly isAbout?: (event: AuditEvent, key: string, stored: FieldValues) => boolean;
  /** Subject of these events, which can depend on the stored values. Undefined means any. */
  readonly subject?: string | ((stored: FieldValues) => string);
  readonly textOf: (key: string, stored: FieldValues) => FieldText;
  /** What the fields are called in a message about several; default: fields. */
  readonly plural?: string;
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
  { actor, actions, isAbout, subject, textOf, plural }: ConflictTexts,
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
    const isOnly = error.keys.length === 1;
    const isItsChange = isAbout ?? (({ after }: AuditEvent, key: string) => hasField(after, key, isOnly));
    const authorOf = (key: string): Actor | null =>
      events.find((event) => isItsChange(event, key, error.stored))?.actor ?? null;
    const listed = error.keys.slice(0, maxListedConflicts);
    const authors = Object.fromEntries(listed.map((key) => [key, authorOf(key)]));
    throw changedRefusal(error, { textOf, authors, self: actor, plural });
  }
}

const hasField = (after: Json, key: string, isOnly: boolean): boolean =>
  typeof after === 'object' && !Array.isArray(after) ? after === null || key in after : isOnly;
