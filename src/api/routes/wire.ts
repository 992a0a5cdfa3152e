import { auditEvent } from '#contract/audit.ts';
import { job as jobReply, jobResult, run as runReply } from '#contract/jobs.ts';
import type { LogDetail, LogHeadReply } from '#contract/logs.ts';
import { psaSegment, accountingSegment, type ServiceKey } from '#contract/services.ts';
import { sessionReply } from '#contract/sessions.ts';
import { subscription, type SubscriptionState } from '#contract/subscription.ts';
import { person as personReply } from '#contract/users.ts';
import { describeDevice } from '#core/device.ts';
import { choiceOf } from '#core/planning/payment-choice.ts';
import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Kind } from '#core/kinds.ts';
import { fixed } from '#core/values/decimal.ts';
import { truncate } from '#core/values/text.ts';
import type { AuditEvent } from '#core/records/audit.ts';
import type { Job, JobResult, Run } from '#core/records/jobs.ts';
import type { LogEntry, LogHead } from '#core/records/log.ts';
import type { Person } from '#core/records/people.ts';
import type { Service, SyncState } from '#core/tenant.ts';
import type { Principal } from '#flows/access/principal.ts';
import type { OwnSession } from '#flows/access/sessions.ts';
import type { App } from '#flows/context.ts';
import type { SubscriptionView } from '#flows/connections/subscription.ts';
import type { Frozen } from '../serve.ts';
import { toWire } from '../to-wire.ts';
import { toEntry, toView } from './planned.ts';

/** Maps service keys of the API to service names of the core. */

const serviceByKey = { [psaSegment]: 'psa', [accountingSegment]: 'accounting' } as const satisfies Record<
  ServiceKey,
  Service
>;
export const serviceOf = (key: ServiceKey): Service => serviceByKey[key];
const keyOf = (service: Service): ServiceKey => (service === 'psa' ? psaSegment : accountingSegment);

const withNames = (job: Job) => ({
  ...job,
  type: job.kind,
  // A void or a payment decided in Month-end close is reviewed as such, not as an update.
  update: job.revises === true && !job.force && job.kind !== 'void' && job.kind !== 'payment',
  choice: job.kind === 'payment' ? choiceOf(job) : null,
  ids: job.finishedAt === null ? job.psaIds : null,
  submittedBy: job.submittedBy?.username ?? null,
  cancelRequested: job.cancelRequestedAt !== null,
  results: job.results.map(withHead),
});

export const toJobReply = (job: Job) => toWire(jobReply, withNames(job));

export const toRunReply = ({ sums, ...job }: Run) => toWire(runReply, { ...withNames(job), sums });

const withHead = ({ psaId, awaitsApproval, head, ...result }: JobResult) => ({
  ...result,
  entityid: psaId,
  awaitsApproval: awaitsApproval === true,
  ...toDocumentHead(head ?? noHead),
});

/** Returns the result of one document in the API format. */
export const toResult = (result: JobResult) => toWire(jobResult, withHead(result));

type Head = Pick<LogHead, 'what' | 'number' | 'party' | 'on' | 'amount' | 'currency'>;

const noHead: Head = { what: null, number: null, party: null, on: null, amount: null, currency: null };

export const toDocumentHead = ({ what, number, party, on, amount, currency }: Head) => ({
  what,
  number,
  party,
  date: on,
  amount: amount === null ? null : fixed(amount),
  currency,
});

export const toLogHead = (log: LogHead): LogHeadReply => ({
  Key: log.key,
  LastModified: log.at,
  type: log.type,
  entityid: log.psaId,
  test: log.isTest,
  manual: log.isManual,
  success: log.success,
  awaits_approval: log.awaitsApproval,
  on_hold: log.isOnHold,
  ...toDocumentHead(log),
  message: truncate(log.message, maxListedMessage, '…'),
});

/** Maximum characters of a message in a list; the entry has the whole message. */
const maxListedMessage = 300;

/** The field name of the document by kind; payments and voids include the invoice that they changed. */
const documentKeys = {
  invoice: 'invoice',
  payment: 'invoice',
  void: 'invoice',
  difference: 'invoice',
  purchase_order: 'purchase_order',
  expense_report: 'bill',
} as const satisfies Record<Kind, string>;

export function toLogDetail(log: LogEntry, pages: DocumentPages): Frozen<LogDetail> {
  const head = toLogHead(log);
  const { message, transcript, problems, document } = log;
  const entry = {
    ...head,
    message,
    transcript,
    problems,
    ...(document === null ? {} : { [documentKeys[log.type]]: document }),
  };
  const { preview } = log;
  const shown = preview && {
    document: toView(preview.view),
    currency: preview.view.currency ?? preview.homeCurrency,
    entries: preview.effect.entries.map(toEntry),
  };
  const links = {
    psa: pages.inPsa(log.type, log.psaId),
    accounting: document === null ? null : pages.inAccounting(log.type, document),
  };
  return { ...entry, preview: shown, pages: links, raw: entry };
}

export const toAuditEvent = ({ actor, ...event }: AuditEvent) =>
  toWire(auditEvent, {
    ...event,
    before: firstOf(event.before),
    after: firstOf(event.after),
    username: actor.username,
    masquerader: actor.masquerader ?? null,
  });

/** Maximum entries of a list in an event, e.g. of a bulk change of mappings. */
const maxEntries = 1_000;

const firstOf = (value: AuditEvent['before']) => (Array.isArray(value) ? value.slice(0, maxEntries) : value);

const stateOf = (state: SyncState | undefined) => ({
  poll: state?.polledAt ?? null,
  sync: state?.syncedAt ?? null,
  info: state?.info ?? null,
});

function toState(states: SubscriptionView['states']): SubscriptionState {
  const invoices = stateOf(states.invoice);
  const orders = stateOf(states.purchase_order);
  const expenses = stateOf(states.expense_report);
  return {
    last_inv_poll: invoices.poll,
    last_inv_sync: invoices.sync,
    last_inv_info: invoices.info,
    last_po_poll: orders.poll,
    last_po_sync: orders.sync,
    last_po_info: orders.info,
    last_exp_poll: expenses.poll,
    last_exp_sync: expenses.sync,
    last_exp_info: expenses.info,
  };
}

export function toSubscription({ tenant, ...view }: SubscriptionView, descriptors: App['descriptors']) {
  const labeled = (service: Service) => ({ service: keyOf(service), label: descriptors[service].label });
  return {
    ...toWire(subscription.omit({ settings: true, item_settings: true, state: true }), {
      ...view,
      ...tenant,
      connections: view.connections.map((one) => ({ ...one, ...labeled(one.service) })),
      stopped: view.stopped.map(withNames),
      pauses: view.pauses.map((one) => ({ ...one, ...labeled(one.service), reason: one.detail })),
      client: tenant,
    }),
    // Names of settings are the same in the API.
    settings: view.settings,
    item_settings: view.itemSettings,
    state: toState(view.states),
  };
}

export const toPersonReply = (person: Person, { userId }: Principal, secured: ReadonlySet<string>) =>
  toWire(personReply, {
    ...person,
    isYou: person.id === userId,
    hasSecondFactor: secured.has(person.id),
    invitedBy: person.invitation?.by ?? null,
    invitationEndsAt: person.invitation?.endsAt ?? null,
  });

export const toSessionReply = (session: OwnSession) =>
  toWire(sessionReply, {
    ...session,
    device: describeDevice(session.userAgent),
    client: session.clientName,
    signedInAt: session.createdAt,
  });
