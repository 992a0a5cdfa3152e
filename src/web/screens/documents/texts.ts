import type { CurrentDocumentReply, DocumentEventReply, DocumentPosting, DocumentReply } from '#contract/documents.ts';
import { kinds, type Kind } from '#core/kinds.ts';
import { type DocumentState, documentStates } from '../../components/badge.tsx';
import { formatMonth } from '../../data/format.ts';

/** The badge of each state of a document. */
export const stateBadges: Readonly<Record<DocumentReply['state'], { state: DocumentState; label: string }>> = {
  waiting: { state: 'waiting', label: 'Not synced' },
  syncing: { state: 'syncing', label: documentStates.syncing },
  synced: { state: 'synced', label: documentStates.synced },
  awaits_approval: { state: 'awaits_approval', label: documentStates.awaits_approval },
  held: { state: 'held', label: documentStates.held },
  failed: { state: 'needs_you', label: documentStates.needs_you },
  voided: { state: 'waiting', label: 'Voided' },
  deleted: { state: 'waiting', label: 'Deleted in QuickBooks' },
};

/** Returns a document with the state that the services report now: it may be deleted or voided since the last sync. */
export function withCurrentState(document: DocumentReply, current: CurrentDocumentReply | undefined): DocumentReply {
  if (document.state !== 'synced' || current === undefined) return document;
  if (current.accounting.state === 'missing') return { ...document, state: 'deleted' };
  return current.accounting.voided ? { ...document, state: 'voided' } : document;
}

/** Returns the name of a document, e.g. “Invoice 1042”. */
export const titleOf = ({
  what,
  number,
  type,
  entityid,
}: Pick<DocumentReply, 'what' | 'number' | 'type' | 'entityid'>) =>
  `${what ?? kinds[type].label} ${number ?? entityid}`;

const titles: Readonly<Record<DocumentEventReply['event'], string>> = {
  tested: 'Test passed',
  posted: 'Posted',
  updated: 'Updated',
  mailed: 'Emailed',
  payment: 'Payment synced',
  voided: 'Voided',
  difference_billed: 'Difference billed',
  skipped: 'Skipped',
  failed: 'Failed',
  held: 'On hold',
  awaits_approval: 'Prepared for approval',
  approved: 'Approved',
  rejected: 'Rejected',
  proved: 'Proved',
  accepted: 'Difference accepted',
  carried: 'Difference carried to the next month',
};

/** Returns the title of an event. Syncs of another kind name it: “Payment failed”. @param own kind of the document */
export function eventTitle({ event, type, success, month }: DocumentEventReply, own: Kind): string {
  const isOwn = type === own;
  const of = (text: string) => (isOwn ? text : `${kinds[type].label} ${text.toLowerCase()}`);
  if (event === 'tested') return of(success ? 'Test passed' : 'Test failed');
  if (event === 'proved') {
    const name = month === null ? '' : ` for ${formatMonth(`${month}-01`)}`;
    return success ? `Proved in the close${name}` : `Differs in the close${name}`;
  }
  if (event === 'failed' || event === 'held' || event === 'skipped') return of(titles[event]);
  return titles[event];
}

/** The color of an event, by the state of a document. */
export const eventState = ({ event, success }: DocumentEventReply): DocumentState => {
  switch (event) {
    case 'failed':
    case 'rejected':
      return 'needs_you';
    case 'held':
    case 'awaits_approval':
      return 'held';
    case 'tested':
    case 'proved':
      return success ? 'waiting' : 'needs_you';
    case 'skipped':
    case 'approved':
    case 'accepted':
    case 'carried':
      return 'waiting';
    default:
      return 'synced';
  }
};

const driftTexts: Readonly<Record<DocumentPosting['drift'][number], (psa: string, accounting: string) => string>> = {
  missing_in_accounting: (_, accounting) => `It was deleted in ${accounting}.`,
  voided_in_accounting: (_, accounting) => `It was voided in ${accounting}.`,
  changed_in_accounting: (_, accounting) => `Its total changed in ${accounting} after posting.`,
  changed_in_psa: (psa) => `Its total changed in ${psa} after posting.`,
  renumbered_in_accounting: (_, accounting) => `Its number changed in ${accounting} after posting.`,
  edited_in_accounting: (_, accounting) => `It was edited in ${accounting} after posting.`,
  total_differs: (psa, accounting) => `${accounting} calculated another total than ${psa}.`,
  not_mailed: () => 'The email to the customer was not sent.',
  received_in_psa: (psa) => `It was received in ${psa}.`,
  canceled_in_psa: (psa) => `It was canceled in ${psa}.`,
};

/** Returns a sentence about a difference that was found after posting. */
export const driftText = (drift: DocumentPosting['drift'][number], psa: string, accounting: string): string =>
  driftTexts[drift](psa, accounting);

const postingTexts: Readonly<Record<DocumentPosting['status'], string>> = {
  sending: 'Being sent',
  unconfirmed: 'Posted',
  synced: 'Posted',
  refused: 'Rejected by QuickBooks',
  voided: 'Voided',
  deleted_in_accounting: 'Deleted in QuickBooks',
  superseded: 'Replaced by a later document',
};
export const postingText = (status: DocumentPosting['status']): string => postingTexts[status];

/** Returns a QuickBooks type with spaces: `Credit Memo`. */
export const wordsOf = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
