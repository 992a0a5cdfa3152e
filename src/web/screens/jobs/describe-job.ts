import type { JobReply } from '#contract/jobs.ts';
import { kinds } from '#core/kinds.ts';
import { countOf, formatCount } from '../../data/format.ts';
import type { DocumentState } from '../../components/badge.tsx';

/** Returns the heading of a job, e.g. “Synced invoices”. */
export function headingOf({ type, mode, force, status, total, succeeded }: Omit<JobReply, 'results'>): string {
  const documents = kinds[type].plural.toLowerCase();
  const again = force ? ' again' : '';
  const isTest = mode === 'test';
  switch (status) {
    case 'queued':
      return `${isTest ? 'Test' : 'Sync'} of ${documents}${again}: waiting to start`;
    case 'running':
      return `${isTest ? 'Testing' : 'Syncing'} ${documents}${again}`;
    case 'finished':
      if (total === 0) return `No ${documents} to ${isTest ? 'test' : 'sync'}`;
      if (!isTest && succeeded === 0) return `No ${documents} synced${again}`;
      return `${isTest ? 'Tested' : 'Synced'} ${documents}${again}`;
    case 'failed':
      return `The ${isTest ? 'test' : 'sync'} of ${documents} stopped`;
    case 'cancelled':
      return `The ${isTest ? 'test' : 'sync'} of ${documents} was canceled`;
    default:
      return status satisfies never;
  }
}

/** Returns how far a job is, e.g. “12 of 40 documents”. */
export function progressOf({ status, total, done }: Omit<JobReply, 'results'>): string {
  if (total === null) return status === 'running' ? 'Looking for documents…' : '';
  if (total === 0) return 'No eligible documents.';
  return `${formatCount(done)} of ${countOf(total, 'document')}`;
}

/**
 * Returns what a job did, e.g. “8 posted, $3,201.75” or “8 passed, $3,201.75”; null if it had no documents.
 *
 * @param sum money of the synced documents, empty if there is none
 */
export function headlineOf(
  {
    mode,
    type,
    update,
    total,
    succeeded,
    done,
  }: Pick<JobReply, 'mode' | 'type' | 'update' | 'total' | 'succeeded' | 'done'>,
  sum: string,
): string | null {
  if (total === 0 || done === 0) return null;
  const verb = mode === 'test' ? 'passed' : update ? 'updated' : type === 'void' ? 'voided' : 'posted';
  if (succeeded === 0) return mode === 'test' ? 'No document passed' : `Nothing was ${verb}`;
  return `${formatCount(succeeded)} ${verb}${sum === '' ? '' : `, ${sum}`}`;
}

/** Names of the outcomes in a test and in a live sync. */
export const outcomeLabels = {
  test: {
    succeeded: 'Passed',
    failed: 'Would fail',
    skipped: 'Would be skipped',
    held: 'Would be on hold',
    pending: 'Pending',
  },
  live: { succeeded: 'Synced', failed: 'Failed', skipped: 'Skipped', held: 'On hold', pending: 'Pending' },
} as const satisfies Readonly<Record<string, Record<JobReply['results'][number]['outcome'], string>>>;

/** The document state of each outcome. */
export const states = {
  succeeded: 'synced',
  failed: 'needs_you',
  skipped: 'waiting',
  held: 'held',
  pending: 'syncing',
} as const satisfies Record<JobReply['results'][number]['outcome'], DocumentState>;
