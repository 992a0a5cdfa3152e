import type { AuditEventReply } from '#contract/audit.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { kinds, kindNames } from '#core/kinds.ts';
import type { SettingDefinition } from '#core/settings/definition.ts';
import { settingDefinitions } from '#core/settings/definitions.ts';
import { itemSettingDefinitions, namingConventions } from '#core/settings/item-settings.ts';
import { formatDate, formatMonth } from '../../data/format.ts';

/** Returns an audit entry as a sentence without its subject, e.g. “saved the settings”. @param psa the PSA's label */
export function sentenceOf({ action, subject, before, after }: AuditEventReply, psa: string): string {
  const sentence = sentences[action];
  return sentence === undefined
    ? `${action.replaceAll('_', ' ').replace('.', ': ')}${subject === null ? '' : ` (${subject})`}`
    : sentence({
        subject: subject ?? '',
        before: recordOf(before),
        after: recordOf(after),
        was: before,
        value: after,
      }).replaceAll('{psa}', psa);
}

interface AuditedEvent {
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly was: unknown;
  readonly value: unknown;
}

const serviceNames: Readonly<Record<string, string>> = { autotask: '{psa}', qbo: 'QuickBooks Online' };
const serviceOf = ({ subject }: AuditedEvent): string => serviceNames[subject] ?? subject;
const pluralOf = (kind: unknown): string => {
  const found = kindNames.find((one) => one === kind);
  return found === undefined ? 'documents' : kinds[found].plural.toLowerCase();
};

const mappingNames: Readonly<Record<MappingNamespace, string>> = {
  Customer: 'customer mappings',
  Vendor: 'vendor mappings',
  Employee: 'vendor mappings of employees',
  SalesCustomField: 'custom fields',
  ExpenseCategoryBillable: 'expense mappings, billable',
  ExpenseCategoryNonBillable: 'expense mappings, non-billable',
  ItemBilling: 'item mappings of invoices',
  ItemPurchasing: 'item mappings of purchase orders',
  ItemName: 'remembered item names',
  LineOfBusiness: 'mappings of lines of business to classes',
  Location: 'mappings of lines of business to locations',
  TaxRegion: 'tax region mappings',
};
const mappingsName = (namespace: string): string =>
  Object.entries(mappingNames).find(([name]) => name === namespace)?.[1] ?? `mappings of ${namespace}`;

const settleVerbs: Readonly<Record<string, string>> = {
  post: 'posted',
  post_again: 'posted again',
  update_accounting: 'updated',
};

const listOf = (names: unknown): string => (Array.isArray(names) ? names.map(textOf).join(', ') : 'a user');
const monthName = (month: string): string => (/^\d{4}-\d{2}$/.test(month) ? formatMonth(month) : month);

/** Returns `company info` for `readCompanyInfo`. */
const recordsRead = (call: string): string =>
  call
    .replace(/^(read|list|search|watch)/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** Returns the work that stopped, e.g. “; jobs ended: 2; drafts closed: 3 invoices (1966.25 USD)”. */
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

const sentences: Readonly<Record<string, (event: AuditedEvent) => string>> = {
  'approval.asked': ({ after }) => `asked ${listOf(after['to'])} for approval`,
  'close.signature_asked': ({ subject, after }) =>
    `asked ${listOf(after['to'])} for the second signature of ${monthName(subject)}`,
  'client.registered': ({ subject }) => `registered ${subject === '' ? 'the company' : subject}`,
  'subscription.activated': () => 'activated the subscription: both services are connected and the settings are valid',
  'subscription.suspended': ({ after }) => `suspended the subscription: ${textOf(after['reason'])}`,
  'subscription.reactivated': ({ after }) => `reactivated the subscription: ${textOf(after['reason'])}`,
  'subscription.cancelled': ({ after }) => `canceled the subscription: ${textOf(after['reason'])}`,
  'tenant.exported': () => 'exported all data',
  'tenant.moved_out': () => 'moved the client to another deployment',
  'tenant.moved_in': () => 'moved the client here from another deployment',
  'tenant.move_undone': () => 'undid the move to another deployment',
  'connection.made': (event) => `connected ${serviceOf(event)}`,
  'connection.secrets_lost': () => 'continued without the lost SECRET_KEY: both services must be connected again',
  'connection.removed': (event) => `disconnected ${serviceOf(event)}`,
  'company.forgotten': ({ before, after }) =>
    `connected another company: ${textOf(before['mappings'])} mappings and all chosen accounts were removed${stoppedOf(after)}`,
  'settings.saved': () => 'saved the settings',
  'item_settings.saved': () => 'saved the item settings',
  'time_zone.saved': ({ was, value }) => `changed the time zone from ${textOf(was)} to ${textOf(value)}`,
  'mappings.confirmed': ({ subject }) => `confirmed ${mappingsName(subject)}`,
  'mappings.saved': ({ subject }) => `saved ${mappingsName(subject)}`,
  'mapping.deleted': ({ subject }) => `deleted one of the ${mappingsName(subject)}`,
  'mappings.undone': ({ subject }) => `undid the last change of ${mappingsName(subject)}`,
  'record.unreadable': ({ subject }) =>
    `skipped ${subject}, which QuickBooks cannot read. To fix it, correct its email address in QuickBooks`,
  'sync_status.cleared': ({ subject }) => `cleared the sync status of ${pluralOf(subject)}`,
  'job.submitted': ({ after }) =>
    `started a ${after['mode'] === 'live' ? 'live' : 'test'} sync of ${
      typeof after['documents'] === 'number' ? `${after['documents']} ` : 'all eligible '
    }${pluralOf(after['kind'])}${after['force'] === true ? ', including already synced documents' : after['revises'] === true ? ', to update them in QuickBooks' : ''}`,
  'job.cancelled': ({ after }) =>
    `stopped a sync after ${textOf(after['done'])} of ${textOf(after['total'])} documents`,
  'drafts.approved': ({ after }) => {
    const [approved, first] = [Number(after['approved']), Number(after['first_of_two'])];
    const two = first === 0 ? '' : `${approved === 0 ? '' : ', and '}${first} as the first of two approvers`;
    return `approved ${approved === 0 ? '' : `${approved} documents`}${two}`.trim();
  },
  'drafts.rejected': ({ after }) => `rejected ${textOf(after['rejected'])} documents: ${textOf(after['reason'])}`,
  'close.signed': ({ subject, after }) => `signed ${monthName(subject)} as ${textOf(after['as'])}`,
  'close.difference_accepted': ({ subject, after }) =>
    `accepted a difference of ${textOf(after['amount'])} in ${monthName(subject)}: ${textOf(after['reason'])}`,
  'close.difference_carried': ({ subject, after }) =>
    `carried a difference of ${textOf(after['amount'])} in ${monthName(subject)} to the next month: ${textOf(after['reason'])}`,
  'close.differences_accepted': ({ subject, after }) =>
    `accepted ${textOf(after['count'])} differences in ${monthName(subject)}: ${textOf(after['reason'])}`,
  'close.differences_carried': ({ subject, after }) =>
    `carried ${textOf(after['count'])} differences in ${monthName(subject)} to the next month: ${textOf(after['reason'])}`,
  'close.difference_settled': ({ subject, after }) =>
    `${settleVerbs[textOf(after['by'])] ?? 'fixed'} a difference of ${textOf(after['amount'])} in ${monthName(subject)}`,
  'masquerade.begun': () => 'started acting as this client',
  'masquerade.read': ({ subject }) => `viewed ${recordsRead(subject)} while acting as this client`,
  'masquerade.ended': () => 'stopped acting as this client',
  'sign_in.succeeded': () => 'logged in',
  'sign_in.failed': () => 'failed to log in: wrong password or code',
  'sign_in.locked_out': () => 'was locked out after too many failed logins',
  'sign_in.linked': () => 'logged in with the company account for the first time',
  'sign_in.ended_by_provider': ({ subject }) => `ended the sessions of ${subject}: the account was removed or disabled`,
  'sign_in_provider.saved': ({ subject }) => `set up company sign-in at ${subject}`,
  'sign_in_provider.tested': () => 'tested company sign-in',
  'sign_in_provider.removed': () => 'removed company sign-in',
  'sign_in_provider.requirement_saved': ({ subject, value }) =>
    value === true
      ? `required company sign-in for all users except ${subject}`
      : 'allowed passwords besides company sign-in',
  'email.proved': () => 'confirmed the email address',
  'password.changed': () => 'set a new password',
  'password.reset_forced': ({ subject }) => `required ${subject} to set a new password`,
  'sessions.ended': ({ after }) => (after['sessions'] === 1 ? 'ended another session' : 'ended other sessions'),
  'api_key.created': ({ subject }) => `created the API key “${subject}”`,
  'webhook.added': ({ subject }) => `added the chat “${subject}”`,
  'webhook.changed': ({ subject }) => `changed the chat “${subject}”`,
  'webhook.handed_over': ({ subject, after }) => `handed over the chat “${subject}” to ${textOf(after['owner'])}`,
  'webhook.removed': ({ subject }) => `removed the chat “${subject}”`,
  'webhook_endpoint.added': ({ subject }) => `added the webhook to ${subject}`,
  'webhook_endpoint.changed': ({ subject }) => `changed the events of the webhook to ${subject}`,
  'webhook_endpoint.paused': ({ subject }) => `paused the webhook to ${subject}`,
  'webhook_endpoint.resumed': ({ subject }) => `resumed the webhook to ${subject}`,
  'webhook_endpoint.secret_rotated': ({ subject }) => `replaced the secret of the webhook to ${subject}`,
  'webhook_endpoint.deleted': ({ subject }) => `deleted the webhook to ${subject}`,
  'api_key.handed_over': ({ subject, after }) => `handed over the API key “${subject}” to ${textOf(after['owner'])}`,
  'api_key.revoked': ({ subject }) => `revoked the API key “${subject}”`,
  'user.invited': ({ subject }) => `invited ${subject}`,
  'user.invited_again': ({ subject }) => `invited ${subject} again`,
  'user.invitation_handed_over': ({ subject, after }) =>
    `handed over the invitation for ${subject} to ${textOf(after['owner'])}`,
  'user.invitation_withdrawn': ({ subject }) => `withdrew the invitation for ${subject}`,
  'user.joined': () => 'joined',
  'user.deactivated': ({ subject }) => `deactivated ${subject}`,
  'user.reactivated': ({ subject }) => `reactivated ${subject}`,
  'user.removed': ({ subject }) => `removed ${subject}`,
  'user.sessions_ended': ({ subject }) => `logged ${subject} out everywhere`,
  'second_factor.turned_on': () => 'turned two-step login on',
  'second_factor.turned_off': () => 'turned two-step login off',
  'second_factor.codes_replaced': () => 'created new recovery codes',
  'second_factor.recovery_code_used': ({ after }) =>
    `logged in with a recovery code${typeof after['left'] === 'number' ? ` (${after['left']} left)` : ''}`,
  'second_factor.reset': ({ subject }) => `reset the two-step login of ${subject}`,
  'second_factor.requirement_saved': ({ value }) =>
    value === true ? 'required two-step login for all users' : 'made two-step login optional',
};

/** A changed value; “–” means none. */
export interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Actions whose changes are listed value by value. The sentence covers all other known actions. */
const changeReaders: Readonly<Record<string, (event: Values) => readonly Change[]>> = {
  'settings.saved': ({ before, after }) => valuesOf(before, after, settingFormat),
  'item_settings.saved': ({ before, after }) => valuesOf(before, after, itemSettingFormat),
  'mappings.confirmed': mappingsOf,
  'mappings.saved': mappingsOf,
  'mapping.deleted': mappingsOf,
  'mappings.undone': mappingsOf,
  'connection.made': ({ before, after }) => valuesOf(before, after, connectionFormat),
  'connection.removed': ({ before }) => valuesOf(before, null, connectionFormat),
  'sync_status.cleared': ({ before, after }) => valuesOf(before, after, (id) => ({ name: `{psa} id ${id}` })),
  'sign_in_provider.saved': ({ before, after }) =>
    valuesOf(
      before,
      after,
      only({
        issuer: 'issuer',
        client_id: 'client ID',
        domains: 'email domains',
        covers_second_step: 'provider checks the second step',
      }),
    ),
  'sign_in.succeeded': addressOf,
  'sign_in.failed': addressOf,
  'sign_in.locked_out': addressOf,
  'close.signed': ({ after }) => valuesOf(null, after, only({ sha256: 'SHA-256 of the file', reason: 'note' })),
};

type Values = Pick<AuditEventReply, 'before' | 'after'>;

function addressOf({ after }: Values): readonly Change[] {
  return valuesOf(null, after, only({ address: 'network address' }));
}

/** Names these keys and leaves out all others. */
function only(names: Readonly<Record<string, string>>): (key: string) => ValueFormat | null {
  return (key) => {
    const name = Object.entries(names).find(([one]) => one === key)?.[1];
    return name === undefined ? null : { name };
  };
}

/**
 * Returns the changed values of an audit entry with their labels; empty if the sentence covers them. An unknown action
 * shows all stored values.
 *
 * @param psa the PSA's label
 */
export function changesOf(
  { action, before, after }: Pick<AuditEventReply, 'action' | 'before' | 'after'>,
  psa: string,
): readonly Change[] {
  if (changeReaders[action] === undefined && sentences[action] !== undefined) return [];
  const found =
    changeReaders[action]?.({ before, after }) ??
    valuesOf(before, after, (key) => ({ name: key.replaceAll('_', ' ') }));
  const withPsa = (text: string) => text.replaceAll('{psa}', psa);
  return found
    .filter((one) => one.before !== one.after)
    .map((one) => ({ name: withPsa(one.name), before: withPsa(one.before), after: withPsa(one.after) }));
}

interface ValueFormat {
  readonly name: string;
  readonly format?: (value: unknown) => string;
}

/** Compares two records key by key. @param formatOf returns null for a key to leave out */
function valuesOf(before: unknown, after: unknown, formatOf: (key: string) => ValueFormat | null): readonly Change[] {
  const [was, is] = [recordOf(before), recordOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) => {
    const found = formatOf(key);
    if (found === null) return [];
    const { name, format = textOf } = found;
    return [{ name, before: format(was[key]), after: format(is[key]) }];
  });
}

/** Compares the mappings of each PSA record. */
function mappingsOf({ before, after }: Values): readonly Change[] {
  const targets = (list: unknown) =>
    new Map((Array.isArray(list) ? list : []).map(recordOf).map((one) => [textOf(one['sourceValue']), one]));
  const [was, is] = [targets(before), targets(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((source) => ({
    name: textOf((is.get(source) ?? was.get(source))?.['source']),
    before: textOf(was.get(source)?.['target']),
    after: is.has(source) ? textOf(is.get(source)?.['target']) : notMapped,
  }));
}

const notMapped = 'not mapped';

const isShared = (label: string): boolean =>
  Object.values(settingDefinitions).filter((one) => one.label === label).length > 1;

/** Settings that no longer exist are shown by their key. */
function settingFormat(key: string): ValueFormat {
  const found: SettingDefinition | undefined = Object.entries(settingDefinitions).find(([name]) => name === key)?.[1];
  if (found === undefined) return { name: key.replaceAll('_', ' ') };
  return {
    name: isShared(found.label) ? `${found.label} (${found.tab.replaceAll('_', ' ')})` : found.label,
    format: (value) => settingText(found, value),
  };
}

function settingText(definition: SettingDefinition, value: unknown): string {
  switch (definition.type) {
    case 'choice':
      return definition.options.find((one) => one.value === value)?.text ?? textOf(value);
    case 'account': {
      const { name } = recordOf(value);
      // Earlier versions stored only the id.
      return name === undefined && typeof value === 'string' ? `QuickBooks account ${value}` : textOf(name);
    }
    case 'date':
      return typeof value === 'string' ? formatDate(value) : textOf(value);
    case 'integer':
      return typeof value === 'number'
        ? `${value} ${value === 1 ? definition.unit.slice(0, -1) : definition.unit}`
        : textOf(value);
    default:
      return textOf(value);
  }
}

function itemSettingFormat(key: string): ValueFormat {
  const found = Object.entries(itemSettingDefinitions).find(([name]) => name === key)?.[1];
  if (found === undefined) return { name: key.replaceAll('_', ' ') };
  const format = (value: unknown) =>
    Object.entries(namingConventions).find(([name]) => name === value)?.[1] ?? textOf(value);
  return { name: found.label, format };
}

const connectionFormat = only({ name: 'company', user: 'user' });

/** Formats a value: “–” for none, the members of a list, the JSON of a record. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || '–';
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? { ...value } : {});
