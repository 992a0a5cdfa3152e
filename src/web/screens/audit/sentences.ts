import type { AuditEventReply } from '#contract/audit.ts';
import { kinds, kindNames } from '#core/kinds.ts';
import type { SettingDefinition } from '#core/settings/definition.ts';
import { settingDefinitions } from '#core/settings/definitions.ts';
import { itemSettingDefinitions, namingConventions } from '#core/settings/item-settings.ts';

/** The deed of an audit entry, as one sentence without its subject: “saved the settings”. */
export function deedOf({ action, subject, before, after }: AuditEventReply): string {
  const sentence = deeds[action];
  return sentence === undefined
    ? `${action.replaceAll('_', ' ').replace('.', ': ')}${subject === null ? '' : ` (${subject})`}`
    : sentence({ subject: subject ?? '', before: recordOf(before), after: recordOf(after), value: after });
}

interface AuditedEvent {
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

const serviceNames: Readonly<Record<string, string>> = { autotask: 'Autotask', qbo: 'QuickBooks Online' };
const serviceOf = ({ subject }: AuditedEvent): string => serviceNames[subject] ?? subject;
const pluralOf = (kind: unknown): string => {
  const found = kindNames.find((one) => one === kind);
  return found === undefined ? 'documents' : kinds[found].plural.toLowerCase();
};

const settledWords: Readonly<Record<string, string>> = {
  post: 'posted',
  post_again: 'posted again',
  update_books: 'updated',
};

/** `readCompanyInfo` as `company info`. */
const readingOf = (call: string): string =>
  call
    .replace(/^(read|list|search|watch)/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** Work for the company before that was stopped: “; jobs ended: 2; drafts closed: 3 invoices (1966.25 USD)”. */
function stoppedOf(after: AuditedEvent['after']): string {
  const { jobs, drafts, turned_off: off } = after;
  const groups = (Array.isArray(drafts) ? drafts : []).map((group) => {
    const { kind, count, sum, currency } = recordOf(group);
    return `${textOf(count)} ${pluralOf(kind)} (${textOf(sum)} ${textOf(currency)})`;
  });
  return [
    ...(typeof jobs === 'number' && jobs > 0 ? [`jobs ended: ${jobs}`] : []),
    ...(groups.length > 0 ? [`drafts closed: ${groups.join(', ')}`] : []),
    ...(Array.isArray(off) && off.length > 0 ? [`automatic syncs turned off: ${off.length}`] : []),
  ]
    .map((part) => `; ${part}`)
    .join('');
}

const deeds: Readonly<Record<string, (event: AuditedEvent) => string>> = {
  'client.registered': () => 'registered the company',
  'subscription.activated': () => 'activated the subscription: both services are connected and the settings are valid',
  'subscription.suspended': ({ after }) => `suspended the subscription: ${textOf(after['reason'])}`,
  'subscription.reactivated': ({ after }) => `reactivated the subscription: ${textOf(after['reason'])}`,
  'subscription.cancelled': ({ after }) => `cancelled the subscription: ${textOf(after['reason'])}`,
  'tenant.exported': () => 'exported all data',
  'connection.made': (event) => `connected ${serviceOf(event)}`,
  'connection.secrets_lost': () => 'went on without a lost SECRET_KEY: both services have to be connected again',
  'connection.removed': (event) => `disconnected ${serviceOf(event)}`,
  'company.forgotten': ({ after }) =>
    `connected another company: mappings and chosen accounts were forgotten${stoppedOf(after)}`,
  'settings.saved': () => 'saved the settings',
  'item_settings.saved': () => 'saved the item settings',
  'time_zone.saved': ({ value }) => `set the time zone to ${textOf(value)}`,
  'mappings.saved': ({ subject }) => `saved mappings of ${subject}`,
  'mapping.deleted': ({ subject }) => `deleted a mapping of ${subject}`,
  'mappings.undone': ({ subject }) => `took back the last change of mappings of ${subject}`,
  'sync_status.cleared': ({ subject }) => `cleared the sync status of ${pluralOf(subject)}`,
  'job.submitted': ({ after }) =>
    `started a ${after['mode'] === 'live' ? 'live' : 'test'} sync of ${
      typeof after['documents'] === 'number' ? `${after['documents']} ` : 'all eligible '
    }${pluralOf(after['kind'])}${after['force'] === true ? ', also of those synced already' : after['revises'] === true ? ', to update what stands in QuickBooks' : ''}`,
  'job.cancelled': ({ after }) =>
    `stopped a sync after ${textOf(after['done'])} of ${textOf(after['total'])} documents`,
  'drafts.approved': ({ after }) => {
    const [approved, first] = [Number(after['approved']), Number(after['first_of_two'])];
    const two = first === 0 ? '' : `${approved === 0 ? '' : ', and '}${first} as the first of two people`;
    return `approved ${approved === 0 ? '' : `${approved} documents`}${two}`.trim();
  },
  'drafts.rejected': ({ after }) => `rejected ${textOf(after['rejected'])} documents: ${textOf(after['reason'])}`,
  'close.signed': ({ subject, after }) => `signed the month ${subject} as ${textOf(after['as'])}`,
  'close.difference_accepted': ({ subject, after }) =>
    `accepted a difference of ${textOf(after['amount'])} in ${subject}: ${textOf(after['reason'])}`,
  'close.difference_carried': ({ subject, after }) =>
    `carried a difference of ${textOf(after['amount'])} in ${subject} to the next month: ${textOf(after['reason'])}`,
  'close.difference_settled': ({ subject, after }) =>
    `${settledWords[textOf(after['by'])] ?? 'settled'} a document of ${subject} that the proof named, ${textOf(after['amount'])}`,
  'masquerade.begun': () => 'began to act as this client',
  'masquerade.read': ({ subject }) => `looked at ${readingOf(subject)} while acting as this client`,
  'masquerade.ended': () => 'stopped acting as this client',
  'sign_in.succeeded': () => 'logged in',
  'sign_in.failed': () => 'failed to log in: password or code were wrong',
  'sign_in.locked_out': () => 'was made to wait after too many failed logins',
  'email.proved': () => 'confirmed the email address',
  'password.changed': () => 'set a new password',
  'password.reset_forced': ({ subject }) => `made ${subject} set a new password`,
  'sessions.ended': () => 'ended other sessions',
  'user.invited': ({ subject }) => `invited ${subject}`,
  'user.invited_again': ({ subject }) => `invited ${subject} again`,
  'user.invitation_withdrawn': ({ subject }) => `withdrew the invitation of ${subject}`,
  'user.joined': () => 'joined',
  'user.deactivated': ({ subject }) => `deactivated ${subject}`,
  'user.reactivated': ({ subject }) => `reactivated ${subject}`,
  'user.removed': ({ subject }) => `removed ${subject}`,
  'user.sessions_ended': ({ subject }) => `logged ${subject} out everywhere`,
  'second_factor.turned_on': () => 'turned two-step login on',
  'second_factor.turned_off': () => 'turned two-step login off',
  'second_factor.codes_replaced': () => 'got new recovery codes',
  'second_factor.recovery_code_used': () => 'logged in with a recovery code',
  'second_factor.reset': ({ subject }) => `reset the two-step login of ${subject}`,
  'second_factor.requirement_saved': ({ value }) =>
    value === true ? 'required two-step login of everybody' : 'left two-step login to everybody’s own choice',
};

/** One value that changed, as it was and as it is. */
export interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Deeds whose sentence says everything that the event holds. */
const withoutChanges: ReadonlySet<string> = new Set(['job.submitted', 'job.cancelled', 'subscription.activated']);

/**
 * The changes of an audit entry, value by value, settings by the names they have on their screen; empty where the
 * sentence says it all.
 *
 * @param psa the PSA's label.
 */
export function changesOf(
  { action, before, after }: Pick<AuditEventReply, 'action' | 'before' | 'after'>,
  psa: string,
): readonly Change[] {
  if (withoutChanges.has(action) || (!isObject(before) && !isObject(after))) return [];
  const [was, is] = [recordOf(before), recordOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) => {
    const { name, valueOf } = wordsFor[action]?.(key) ?? { name: key.replaceAll('_', ' '), valueOf: textOf };
    const worded = (value: unknown): string => valueOf(value).replaceAll('{psa}', psa);
    const change = { name: name.replaceAll('{psa}', psa), before: worded(was[key]), after: worded(is[key]) };
    return change.before === change.after ? [] : [change];
  });
}

interface Words {
  readonly name: string;
  readonly valueOf: (value: unknown) => string;
}

const isShared = (label: string): boolean =>
  Object.values(settingDefinitions).filter((one) => one.label === label).length > 1;

/** How the keys of an event are called on screens; a key that an older program knew keeps its own name. */
const wordsFor: Readonly<Record<string, (key: string) => Words | undefined>> = {
  'settings.saved': (key) => {
    const found: SettingDefinition | undefined = Object.entries(settingDefinitions).find(([name]) => name === key)?.[1];
    if (found === undefined) return undefined;
    const options = found.type === 'choice' ? found.options : [];
    const valueOf = (value: unknown) => options.find((one) => one.value === value)?.text ?? textOf(value);
    return {
      name: isShared(found.label) ? `${found.label} (${found.tab.replaceAll('_', ' ')})` : found.label,
      valueOf,
    };
  },
  'item_settings.saved': (key) => {
    const found = Object.entries(itemSettingDefinitions).find(([name]) => name === key)?.[1];
    if (found === undefined) return undefined;
    const valueOf = (value: unknown) =>
      Object.entries(namingConventions).find(([name]) => name === value)?.[1] ?? textOf(value);
    return { name: found.label, valueOf };
  },
};

/** A value for people: nothing is a dash, a list its members, a record its JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? { ...value } : {});
