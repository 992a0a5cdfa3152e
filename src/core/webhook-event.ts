import { stateOf } from './attention.ts';
import type { Kind } from './kinds.ts';
import type { LogHead } from './records/log.ts';
import type { Problem } from './problems.ts';
import { firstDay, type Month } from './reconciliation/month.ts';
import type { SignatureKind } from './reconciliation/close.ts';
import { fixed } from './values/decimal.ts';

/** Events that customers' own systems can get. */
export const webhookEvents = [
  'document.posted',
  'document.failed',
  'document.on_hold',
  'document.waiting_for_approval',
  'document.voided',
  'document.paid',
  'document.payment_reversed',
  'month.signed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Sent only on request, to endpoints with any events. */
export const testEvent = 'test';

/** Maximum number of endpoints of a client. */
export const maxWebhookEndpoints = 10;

/** `paused`: by a user. `failing`: automatically, after days without a successful delivery. */
export const webhookEndpointStates = ['active', 'paused', 'failing'] as const;
export type WebhookEndpointState = (typeof webhookEndpointStates)[number];

/** A live log entry with what is known about its document in QuickBooks. */
export interface LoggedDocument extends Pick<
  LogHead,
  | 'type'
  | 'psaId'
  | 'success'
  | 'awaitsApproval'
  | 'what'
  | 'number'
  | 'party'
  | 'on'
  | 'amount'
  | 'currency'
  | 'message'
> {
  /** Problems as they were logged; entries of earlier versions have fewer fields. */
  readonly problems: readonly Partial<Problem>[];
  /** The attempt posted a document that is in the ledger. */
  readonly isPosted: boolean;
  /** The attempt set (true) or removed (false) the paid date in the PSA; null: neither. */
  readonly markedPaid: boolean | null;
  /** The document in QuickBooks; for a payment, its invoice. */
  readonly target: { readonly type: string; readonly id: string; readonly number: string | null } | null;
}

/** Returns the event of a log entry; null without one. A failure that is retried automatically is not an event. */
export function eventOf({
  type,
  success,
  awaitsApproval,
  isPosted,
  markedPaid,
  problems,
}: LoggedDocument): WebhookEvent | null {
  if (awaitsApproval) return 'document.waiting_for_approval';
  if (!success) {
    const state = stateOf(problems);
    return state === 'held' ? 'document.on_hold' : state === 'needs_you' ? 'document.failed' : null;
  }
  if (markedPaid === false) return 'document.payment_reversed';
  if (type === 'payment') return isPosted || markedPaid === true ? 'document.paid' : null;
  if (!isPosted) return null;
  return type === 'void' ? 'document.voided' : 'document.posted';
}

const isPurchase = (kind: Kind): boolean => kind === 'purchase_order' || kind === 'expense_report';

/**
 * Returns the data of a document event. All keys are always present.
 *
 * @param homeCurrency currency of documents that name none; null if unknown.
 */
export function documentData(logged: LoggedDocument, homeCurrency: string | null) {
  const { type, psaId, target, party, amount } = logged;
  return {
    kind: type,
    document_type: logged.what,
    psa_id: psaId,
    number: type === 'payment' ? (target?.number ?? logged.number) : logged.number,
    customer: isPurchase(type) ? null : party,
    vendor: isPurchase(type) ? party : null,
    date: logged.on,
    amount: amount === null ? null : fixed(amount),
    currency: logged.currency ?? homeCurrency,
    quickbooks_type: target?.type ?? null,
    quickbooks_id: target?.id ?? null,
    message: logged.message,
  };
}

/** A signature under a month. */
export interface SignedMonth {
  readonly month: Month;
  readonly as: SignatureKind;
  readonly by: string;
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns the name of what an event is about, for the delivery log. */
export const subjectOfDocument = (data: ReturnType<typeof documentData>): string =>
  `${data.document_type ?? 'Document'} ${data.number ?? data.psa_id}`;
export const subjectOfMonth = ({ month }: SignedMonth): string =>
  monthNames.format(new Date(`${firstDay(month)}T00:00:00Z`));
