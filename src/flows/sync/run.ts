import type { AttemptBase } from '#core/attempt.ts';
import type { BooksReferenceData, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { Lease, Turn } from '#core/ports/store.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Note, TranscriptLine } from '#core/transcript.ts';
import type { TenantContext } from '../context.ts';

/** What one worker holds while it works for one tenant: both services, the lease, and what it has read. */
export interface Run {
  readonly context: TenantContext;
  readonly lease: Lease;
  /** What was known when the turn began. */
  readonly turn: Turn;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Aborted when the lease is lost or the process is asked to stop: nothing new begins. */
  readonly signal: AbortSignal;
  /**
   * Asked before anything is sent.
   *
   * @throws LeaseLost when the lease is over by our own clock, and somebody else has taken it.
   */
  readonly proveHeld: () => Promise<void>;
}

/** What a search for documents needs: no lease, since it changes nothing of them. */
export type Searcher = Pick<Run, 'context' | 'tenant' | 'psa' | 'accounting'> & {
  /** Null for a person's search outside a turn. */
  readonly turn: Turn | null;
};

/** The facts that all documents of a job share, read once. */
export interface Shared {
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  /** Replaced when a command of this job has created a record, so that the next document finds it. */
  books: BooksReferenceData;
}

/** Adds notes to a transcript with the time at which they were taken. */
export function told(run: Pick<Run, 'context'>, attempt: AttemptBase, ...notes: readonly Note[]): TranscriptLine[] {
  const at = run.context.clock.now();
  return [...attempt.transcript, ...notes.map((note) => ({ at, ...note }))];
}
