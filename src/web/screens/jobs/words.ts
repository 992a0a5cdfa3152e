import type { JobReply } from '#contract/jobs.ts';
import { kinds } from '#core/kinds.ts';
import { countOf, formatCount } from '../../lib/format.ts';

/** Sentences of the panel that shows a job. */

type Outcome = JobReply['results'][number]['outcome'];

export const jobWords = {
  /** The name of the panel for screen readers. */
  name: ({ type, mode }: Pick<JobReply, 'type' | 'mode'>): string => `${kinds[type].plural}, ${mode} sync`,
  automatic: 'automatic',
  logs: 'Logs',
  putAway: 'Put away',
  cancel: 'Cancel',
  stopping: 'Stopping…',
  progress: 'Progress',
  documents: 'Documents',
  details: 'Details',
  openIn: (books: string): string => `Open in ${books}`,
  detailsOf: (id: number): string => ` of ${id}`,
  idOf: (psa: string): string => `${psa} ID`,
  more: (count: number): string => `${countOf(count, 'more document')} in Logs`,
  awaitApproval: 'waiting for approval',
  clear: 'Clear and try again',
} as const;

/** The deed of a job, or how it ended. */
export function headingOf(job: Pick<JobReply, 'type' | 'mode' | 'force' | 'status' | 'total' | 'succeeded'>): string {
  const what = kinds[job.type].plural.toLowerCase();
  const again = job.force ? ' again' : '';
  const isTest = job.mode === 'test';
  switch (job.status) {
    case 'queued':
      return `${isTest ? 'Test' : 'Sync'} of ${what}${again}: waiting to start`;
    case 'running':
      return `${isTest ? 'Testing' : 'Syncing'} ${what}${again}`;
    case 'finished':
      // Nothing that was synced is not called synced.
      if (job.total === 0) return `No ${what} to ${isTest ? 'test' : 'sync'}`;
      return `${isTest ? 'Tested' : job.succeeded > 0 ? 'Synced' : 'Looked at'} ${what}${again}`;
    case 'failed':
      return `The ${isTest ? 'test' : 'sync'} of ${what} stopped`;
    case 'cancelled':
      return `The ${isTest ? 'test' : 'sync'} of ${what} was cancelled`;
    default:
      return job.status satisfies never;
  }
}

/** How far a job is. */
export function progressOf(job: Pick<JobReply, 'status' | 'total' | 'done'>): string {
  if (job.total === null) return job.status === 'running' ? 'Looking for documents…' : '';
  if (job.total === 0) return 'Nothing was eligible.';
  return `${formatCount(job.done)} of ${countOf(job.total, 'document')}`;
}

/** The word for one outcome, as the badge of a row. */
export const outcomeWord = (outcome: Outcome, isTest: boolean): string =>
  outcomeWords[isTest ? 'test' : 'live'][outcome];

const outcomeWords = {
  test: {
    succeeded: 'Passed',
    failed: 'Would fail',
    skipped: 'Would be skipped',
    held: 'Would be held',
    pending: 'Not settled',
  },
  live: { succeeded: 'Synced', failed: 'Failed', skipped: 'Skipped', held: 'Held', pending: 'Not settled' },
} as const satisfies Readonly<Record<string, Record<Outcome, string>>>;

/** The word behind the number of documents that ended so. */
export const countWord = (outcome: Exclude<Outcome, 'pending'>, isTest: boolean): string =>
  isTest ? outcomeWords.test[outcome].toLowerCase() : countWords[outcome];

const countWords = { succeeded: 'synced', failed: 'failed', skipped: 'skipped', held: 'held' } as const;

/**
 * One part of the summary at the end: “12 invoices, $18,430.20, synced”.
 *
 * @param sum empty where no amount is known
 */
export function summaryPart(
  { type, mode }: Pick<JobReply, 'type' | 'mode'>,
  outcome: 'succeeded' | 'failed' | 'held',
  count: number,
  sum: string,
): string {
  const word = countWord(outcome, mode === 'test');
  const what = countOf(count, kinds[type].label.toLowerCase());
  return sum === '' ? `${what} ${word}` : `${what}, ${sum}, ${word}`;
}

/** “2 purchase orders are marked ERROR.” @param mark the word that an earlier try has left in the PSA */
export const markedText = (type: JobReply['type'], count: number, mark: string): string =>
  `${countOf(count, kinds[type].label.toLowerCase())} ${count === 1 ? 'is' : 'are'} marked ${mark}.`;
