import type { DocumentReply } from '#contract/documents.ts';

/** What a user does next with a document: a link within the product, a page of a service, or a test. */
export type NextAction =
  | { readonly do: 'open'; readonly label: string; readonly to: string }
  | { readonly do: 'visit'; readonly label: string; readonly href: string }
  | { readonly do: 'review'; readonly label: string };

interface Reader {
  /** May sync and change settings. */
  readonly isAdmin: boolean;
  /** The short name of the accounting service. */
  readonly accounting: string;
  readonly psa: string;
}

/** Returns the one next action for a document; null if there is nothing to do. */
export function nextActionOf(document: DocumentReply, { isAdmin, accounting, psa }: Reader): NextAction | null {
  const { state, problems, pages, postings, events, date, type } = document;
  const open = problems.find((one) => one.state === 'needs_you') ?? problems.find((one) => one.state === 'held');
  if (state === 'awaits_approval') return { do: 'open', label: 'Review for approval', to: '/approval' };
  if (open !== undefined && state !== 'syncing') {
    if (!isAdmin) return { do: 'open', label: 'Open log', to: logPath(open.log_key) };
    return open.state === 'needs_you'
      ? { do: 'open', label: 'Fix the cause', to: '/needs-attention' }
      : { do: 'open', label: 'See what it waits for', to: '/needs-attention' };
  }
  if (state === 'waiting' && isAdmin) return { do: 'review', label: 'Test and review' };
  const differs = postings.some((one) => one.type === type && one.status === 'synced' && one.drift.length > 0);
  if (date !== null && (differs || isUnsettled(events)))
    return { do: 'open', label: 'Settle the difference', to: `/month-end/${date.slice(0, 7)}` };
  if ((state === 'synced' || state === 'voided') && pages.accounting !== null)
    return { do: 'visit', label: `Open in ${accounting}`, href: pages.accounting };
  return pages.psa === null || state === 'syncing' ? null : { do: 'visit', label: `Open in ${psa}`, href: pages.psa };
}

/** Whether the newest proof has a difference of the document without a decision. */
const isUnsettled = (events: DocumentReply['events']): boolean =>
  events.some(({ event, success }) => event === 'proved' && !success) &&
  !events.some(({ event }) => event === 'accepted' || event === 'carried');

/** Returns the path of a log entry. */
export const logPath = (key: string): string => `/logs?key=${encodeURIComponent(key)}`;
