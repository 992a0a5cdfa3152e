import type { AuditEventReply } from '#contract/audit.ts';
import type { JobReply, RunReply } from '#contract/jobs.ts';
import type { LogDetail, LogHeadReply } from '#contract/logs.ts';
import { psaSegment, booksSegment, type ServiceKey } from '#contract/services.ts';
import type { SessionReply } from '#contract/sessions.ts';
import type { ConnectionReply, Subscription, SubscriptionState } from '#contract/subscription.ts';
import type { PersonReply } from '#contract/users.ts';
import { describeDevice } from '#core/device.ts';
import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Kind } from '#core/kinds.ts';
import { fixed } from '#core/values/decimal.ts';
import { cut } from '#core/values/text.ts';
import type { AuditEvent } from '#core/ports/audit.ts';
import type { Job, JobResult, Run } from '#core/ports/jobs.ts';
import type { LogEntry, LogHead } from '#core/ports/log.ts';
import type { Person } from '#core/ports/people.ts';
import type { Connection, Service, SyncState } from '#core/tenant.ts';
import type { Principal } from '#flows/access/principal.ts';
import type { OwnSession } from '#flows/access/sessions.ts';
import type { App } from '#flows/context.ts';
import type { SubscriptionView } from '#flows/connections/subscription.ts';
import { toEntry, toView } from './planned.ts';

/** Maps service keys of the API to service names of the core. */

const serviceByKey = { [psaSegment]: 'psa', [booksSegment]: 'accounting' } as const satisfies Record<
  ServiceKey,
  Service
>;
export const serviceOf = (key: ServiceKey): Service => serviceByKey[key];
const keyOf = (service: Service): ServiceKey => (service === 'psa' ? psaSegment : booksSegment);

export const toJobReply = (job: Job): JobReply => ({
  id: job.id,
  type: job.kind,
  trigger: job.trigger,
  mode: job.mode,
  force: job.force,
  // A void or a payment decided in Month-end close is reviewed as such, not as an update.
  update: job.revises === true && job.kind !== 'void' && job.kind !== 'payment',
  status: job.status,
  message: job.message,
  ids: job.finishedAt === null && job.psaIds !== null ? [...job.psaIds] : null,
  total: job.total,
  done: job.done,
  succeeded: job.succeeded,
  failed: job.failed,
  skipped: job.skipped,
  held: job.held,
  submitted_by: job.submittedBy?.username ?? null,
  created_at: job.createdAt,
  finished_at: job.finishedAt,
  cancel_requested: job.cancelRequestedAt !== null,
  results: job.results.map(toResult),
});

export const toRunReply = ({ sums, ...job }: Run): RunReply => {
  const { results: _results, ...head } = toJobReply(job);
  return { ...head, sums: sums.map(({ currency, amount }) => ({ currency, amount })) };
};

/** Returns the result of one document in the API format. */
export const toResult = ({
  psaId,
  outcome,
  message,
  logKey,
  awaitsApproval,
  head,
}: JobResult): JobReply['results'][number] => ({
  entityid: psaId,
  outcome,
  message,
  log_key: logKey,
  awaits_approval: awaitsApproval === true,
  ...toDocumentHead(head ?? noHead),
});

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
  ...toDocumentHead(log),
  message: cut(log.message, maxListedMessage, '…'),
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

export function toLogDetail(log: LogEntry, pages: DocumentPages): LogDetail {
  const head = toLogHead(log);
  const { message, transcript, document } = log;
  const problems = log.problems.map((problem) => ({ ...problem }));
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
    accounting: document === null ? null : pages.inBooks(log.type, document),
  };
  return { ...entry, preview: shown, pages: links, raw: { ...entry } };
}

export const toAuditEvent = (event: AuditEvent): AuditEventReply => ({
  id: event.id,
  at: event.at,
  username: event.actor.username,
  masquerader: event.actor.masquerader ?? null,
  action: event.action,
  subject: event.subject,
  before: event.before,
  after: event.after,
});

const toConnection = (one: Connection, descriptors: App['descriptors']): ConnectionReply => ({
  service: keyOf(one.service),
  label: descriptors[one.service].label,
  status: one.status,
  name: one.name,
  user: one.user,
  connected_at: one.connectedAt,
  problem: one.problem,
  consent_ends_at: one.consentEndsAt,
});

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

export const toSubscription = (view: SubscriptionView, descriptors: App['descriptors']): Subscription => ({
  status: view.tenant.status,
  connections: view.connections.map((one) => toConnection(one, descriptors)),
  settings: view.settings,
  item_settings: view.itemSettings,
  settings_valid: view.settingsValid,
  kinds: view.kinds.map(({ kind, isOn, missing }) => ({ kind, is_on: isOn, missing: [...missing] })),
  state: toState(view.states),
  stopped: view.stopped.map(toJobReply),
  stalled_since: view.stalledSince,
  pauses: view.pauses.map(({ service, since, nextTryAt, code, detail, dataFrom }) => ({
    service: keyOf(service),
    label: descriptors[service].label,
    since,
    next_try_at: nextTryAt,
    code,
    reason: detail,
    data_from: dataFrom,
  })),
  left_company:
    view.leftCompany === null ? null : { at: view.leftCompany.at, turned_off: [...view.leftCompany.turnedOff] },
  guide: view.guide,
  client: { id: view.tenant.id, name: view.tenant.name },
  time_zone: view.tenant.timeZone,
});

export const toPersonReply = (person: Person, { userId }: Principal, secured: ReadonlySet<string>): PersonReply => ({
  id: person.id,
  email: person.email,
  name: person.name,
  role: person.role,
  state: person.state,
  since: person.since,
  last_sign_in_at: person.lastSignInAt,
  sessions: person.sessions,
  is_you: person.id === userId,
  has_second_factor: secured.has(person.id),
  invited_by: person.invitation?.by ?? null,
  invitation_ends_at: person.invitation?.endsAt ?? null,
});

export const toSessionReply = (session: OwnSession): SessionReply => ({
  id: session.id,
  device: describeDevice(session.userAgent),
  address: session.address,
  client: session.clientName,
  signed_in_at: session.createdAt,
  last_used_at: session.lastUsedAt,
  ends_at: session.endsAt,
  is_this: session.isThis,
});
