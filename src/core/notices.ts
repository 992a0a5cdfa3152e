import { kinds, type Kind } from './kinds.ts';
import type { Role } from './roles.ts';
import type { SignatureKind } from './reconciliation/close.ts';
import { firstDay, type Month } from './reconciliation/month.ts';
import { dateIn, dayText, type Instant } from './values/dates.ts';
import { sum, type Decimal } from './values/decimal.ts';
import { counted } from './values/text.ts';

export const noticeKinds = [
  'documents_failed',
  'run_failed',
  'sync_stalled',
  'service_paused',
  'connection_lost',
  'connection_ending',
  'api_key_ending',
  'webhook_paused',
  'drafts_waiting',
  'approval_asked',
  'signature_asked',
  'month_signed',
  'signature_outdated',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Maximum characters of a cause. */
export const maxCause = 160;

/** A total of documents; the currency is null if unknown. */
export interface NoticeSum {
  readonly currency: string | null;
  readonly amount: Decimal;
}

/** A notice with the values of its text. `by`: user name; `service`: its label. */
export type Notice =
  | {
      readonly kind: 'documents_failed';
      readonly count: number;
      readonly sums: readonly NoticeSum[];
      /** Message of the most frequent problem. */
      readonly cause: string;
    }
  | {
      /** A run that a user started. */
      readonly kind: 'run_failed';
      readonly runId: string;
      readonly documents: Kind;
      /** Failed documents; 0 for a run that stopped. */
      readonly count: number;
      readonly sums: readonly NoticeSum[];
      /** Message of the most frequent problem, or why the run stopped. */
      readonly cause: string;
    }
  | { readonly kind: 'drafts_waiting'; readonly count: number; readonly sums: readonly NoticeSum[] }
  | { readonly kind: 'sync_stalled' }
  | { readonly kind: 'service_paused' | 'connection_lost'; readonly service: string }
  | { readonly kind: 'connection_ending'; readonly service: string; readonly endsAt: Instant }
  | { readonly kind: 'api_key_ending'; readonly name: string; readonly endsAt: Instant }
  | {
      readonly kind: 'webhook_paused';
      readonly endpoint: string;
      /** The receiver answered that it is gone. Undefined if it accepted no event for days. */
      readonly isGone?: boolean;
    }
  | {
      readonly kind: 'approval_asked';
      readonly by: string;
      readonly count: number;
      readonly sums: readonly NoticeSum[];
    }
  | {
      readonly kind: 'signature_asked' | 'month_signed' | 'signature_outdated';
      readonly by: string;
      readonly month: Month;
      readonly as: SignatureKind;
    };

/** Kinds of notices about the signatures of a month. */
const ofSignatures: ReadonlySet<NoticeKind> = new Set(['signature_asked', 'month_signed', 'signature_outdated']);

/** Roles whose users get a kind of notice. Only administrators approve and connect; accountants sign months, too. */
export const noticeRoles = (kind: NoticeKind): readonly Role[] =>
  ofSignatures.has(kind) ? ['clientadmin', 'accountant'] : ['clientadmin'];

/** Adds up the known amounts by currency. */
export const sumsOf = (
  documents: readonly { readonly currency: string | null; readonly amount: Decimal | null }[],
): readonly NoticeSum[] =>
  [...Map.groupBy(documents, ({ currency }) => currency)].flatMap(([currency, those]) => {
    const amounts = those.flatMap(({ amount }) => amount ?? []);
    return amounts.length === 0 ? [] : [{ currency, amount: sum(amounts) }];
  });

/** The text of a notice. */
export interface NoticeText {
  readonly title: string;
  readonly detail: string | null;
  /** Path of the screen with the next action. */
  readonly path: string;
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthText = (month: Month): string => monthNames.format(new Date(`${firstDay(month)}T00:00:00Z`));

/** Returns the texts of a notice about a signature. */
function describeSignature({ kind, month, by, as }: Extract<Notice, { readonly month: Month }>) {
  switch (kind) {
    case 'signature_asked':
      return { title: `${monthText(month)} waits for your signature`, detail: `${by} asks you to sign as ${as}.` };
    case 'month_signed':
      return { title: `${monthText(month)} was signed`, detail: `${by} signed as ${as}.` };
    default:
      return {
        title: `${monthText(month)} must be signed again`,
        detail: `It changed after ${by} signed as ${as}, before the second signature.`,
      };
  }
}

/** Returns the text of a notice, without its amounts. @param timeZone IANA name */
export function describeNotice(notice: Notice, timeZone: string): NoticeText {
  switch (notice.kind) {
    case 'documents_failed':
      return {
        title: notice.count === 1 ? '1 document needs attention' : `${notice.count} documents need attention`,
        detail: notice.cause,
        path: '/needs-attention',
      };
    case 'run_failed': {
      const name = kinds[notice.documents].label.toLowerCase();
      return {
        title: notice.count === 0 ? `A run of ${name}s stopped` : `${counted(notice.count, name)} failed in a run`,
        detail: notice.cause,
        path: `/runs/${notice.runId}`,
      };
    }
    case 'drafts_waiting':
      return {
        title: `${counted(notice.count, 'document')} ${notice.count === 1 ? 'waits' : 'wait'} for approval`,
        detail: 'They are posted after you or another user approves them.',
        path: '/approval',
      };
    case 'sync_stalled':
      return { title: 'Syncs are stalled', detail: 'Tallybridge has a defect. Contact support.', path: '/my' };
    case 'service_paused':
      return {
        title: `${notice.service} has paused the sync`,
        detail: 'It limits calls or does not respond. Tallybridge tries again automatically.',
        path: '/connections',
      };
    case 'connection_lost':
      return {
        title: `${notice.service} needs to be reconnected`,
        detail: 'Documents are synced after you reconnect.',
        path: '/connections',
      };
    case 'connection_ending':
      return {
        title: `Reconnect ${notice.service} before ${dayText(dateIn(notice.endsAt, timeZone))}`,
        detail: 'The access expires on that day. Until then syncs continue.',
        path: '/connections',
      };
    case 'api_key_ending':
      return {
        title: `The API key “${notice.name}” expires on ${dayText(dateIn(notice.endsAt, timeZone))}`,
        detail: 'Programs that use it are rejected from then on. Create another key.',
        path: '/api-keys',
      };
    case 'webhook_paused':
      return {
        title: `The webhook to ${notice.endpoint} is paused`,
        detail: `${notice.isGone === true ? 'The receiver answered that it is gone (410).' : 'It accepted no event for 3 days.'} Fix the receiver, then resume the endpoint. It gets the missed events.`,
        path: '/webhooks',
      };
    case 'approval_asked':
      return {
        title: `${counted(notice.count, 'document')} ${notice.count === 1 ? 'waits' : 'wait'} for your approval`,
        detail: `${notice.by} asks for your approval.`,
        path: '/approval',
      };
    case 'signature_asked':
    case 'month_signed':
    case 'signature_outdated':
      return { ...describeSignature(notice), path: `/month-end/${notice.month}` };
    default:
      return notice satisfies never;
  }
}
