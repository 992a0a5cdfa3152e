import type { Kind } from './kinds.ts';
import type { DocumentDraft, DocumentEntry, DocumentProof } from './records/document-history.ts';
import type { Month } from './reconciliation/month.ts';
import type { Instant } from './values/dates.ts';
import { counted } from './values/text.ts';

/** What can happen to a document, for its history. */
export const documentEvents = [
  'tested',
  'posted',
  'updated',
  'mailed',
  'payment',
  'voided',
  'difference_billed',
  'skipped',
  'failed',
  'held',
  'awaits_approval',
  'approved',
  'rejected',
  'proved',
  'accepted',
  'carried',
] as const;

/** One event in the history of a document. */
export interface DocumentEvent {
  readonly event: (typeof documentEvents)[number];
  readonly kind: Kind;
  readonly at: Instant;
  /** User who started or decided it; null: the schedule, or unknown. */
  readonly by: string | null;
  readonly isManual: boolean;
  readonly success: boolean;
  readonly message: string;
  readonly logKey: string | null;
  readonly runId: string | null;
  readonly month: Month | null;
}

interface History {
  readonly kind: Kind;
  /** Newest first. */
  readonly entries: readonly DocumentEntry[];
  /** Older entries exist: other events from before the oldest entry are left out. */
  readonly more: boolean;
  readonly drafts: readonly DocumentDraft[];
  readonly proof: DocumentProof | null;
}

/** Returns the history of a document from everything that is stored about it, newest first. */
export function documentEventsOf({ kind, entries, more, drafts, proof }: History): readonly DocumentEvent[] {
  // The same email is in the response to each later update; the oldest one is when it was sent.
  const mailed = entries.findLast((entry) => entry.mailedTo !== null && isDocument(entry.type));
  const others = [...drafts.flatMap(eventsOfDraft), ...(proof === null ? [] : eventsOfProof(kind, proof))];
  const oldest = entries.at(-1)?.at;
  const events = [
    ...others.filter(({ at }) => !more || oldest === undefined || at >= oldest),
    ...entries.flatMap((entry) => [...(entry === mailed ? [eventOfMail(entry)] : []), eventOf(entry)]),
  ];
  // The sort is stable: a decision comes before the sync of the same moment.
  return events.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
}

/** Whether entries of a kind include the document itself; those of a payment or a void include the invoice they change. */
const isDocument = (kind: Kind): boolean => kind !== 'payment' && kind !== 'void';

const eventOf = (entry: DocumentEntry): DocumentEvent => ({
  event: typeOf(entry),
  kind: entry.type,
  at: entry.at,
  by: entry.isManual ? (entry.run?.by ?? null) : null,
  isManual: entry.isManual,
  success: entry.success,
  message: entry.message,
  logKey: entry.key,
  runId: entry.run?.id ?? null,
  month: null,
});

const successes = {
  invoice: 'posted',
  purchase_order: 'posted',
  expense_report: 'posted',
  payment: 'payment',
  difference: 'difference_billed',
  void: 'voided',
} as const satisfies Record<Kind, DocumentEvent['event']>;

function typeOf({
  type,
  isTest,
  awaitsApproval,
  isOnHold,
  success,
  run,
  message,
}: DocumentEntry): DocumentEvent['event'] {
  if (isTest) return 'tested';
  if (awaitsApproval) return 'awaits_approval';
  if (isOnHold) return 'held';
  if (!success) return 'failed';
  if (run === null ? skipPattern.test(message) : run.outcome === 'skipped') return 'skipped';
  return run?.isUpdate === true && isDocument(type) ? 'updated' : successes[type];
}

/** Only for entries whose run was removed: no field of them distinguishes a skip from a posting. */
const skipPattern = /^(Skipped|Nothing|Already|Waiting)\b/;

const eventOfMail = (entry: DocumentEntry): DocumentEvent => ({
  ...eventOf(entry),
  event: 'mailed',
  by: null,
  message:
    entry.mailedTo === '' ? 'QuickBooks emailed it to the customer.' : `QuickBooks emailed it to ${entry.mailedTo}.`,
});

const noLinks = { isManual: true, success: true, logKey: null, runId: null, month: null } as const;

function eventsOfDraft(draft: DocumentDraft): readonly DocumentEvent[] {
  const { kind, state, firstApprovedBy, decidedBy, decidedAt, reason } = draft;
  if (decidedAt === null || decidedBy === null) return [];
  const common = { ...noLinks, kind, at: decidedAt, by: decidedBy };
  if (state === 'rejected') return [{ ...common, event: 'rejected', success: false, message: reason ?? '' }];
  const first = firstApprovedBy === null ? '' : `First approval by ${firstApprovedBy}.`;
  return [{ ...common, event: 'approved', message: first }];
}

const eventsOfProof = (
  kind: Kind,
  { month, at, by, differences, decisions }: DocumentProof,
): readonly DocumentEvent[] => [
  ...decisions.map(({ decision, reason, ...decided }): DocumentEvent => ({
    ...noLinks,
    ...decided,
    kind,
    event: decision === 'accept' ? 'accepted' : 'carried',
    message: reason,
    month,
  })),
  {
    ...noLinks,
    kind,
    event: 'proved',
    at,
    by,
    success: differences === 0,
    message:
      differences === 0
        ? 'Both systems agree about this document.'
        : `The month-end proof has ${counted(differences, 'difference')} of this document.`,
    month,
  },
];
