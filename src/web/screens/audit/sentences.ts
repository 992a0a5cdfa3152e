import type { AuditEventReply } from '#contract/audit.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { kinds, kindNames } from '#core/kinds.ts';
import type { SettingDefinition } from '#core/settings/definition.ts';
import { settingDefinitions } from '#core/settings/definitions.ts';
import { itemSettingDefinitions, namingConventions } from '#core/settings/item-settings.ts';
import { formatDate } from '../../lib/format.ts';

/** The deed of an audit entry, as one sentence without its subject: “saved the settings”. */
export function deedOf({ action, subject, before, after }: AuditEventReply, psa: string): string {
  const sentence = deeds[action];
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

/** Mappings of each namespace, as its screen is called. */
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
const mappingsCalled = (namespace: string): string =>
  Object.entries(mappingNames).find(([name]) => name === namespace)?.[1] ?? `mappings of ${namespace}`;

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
  'client.registered': ({ subject }) => `registered ${subject === '' ? 'the company' : subject}`,
  'subscription.activated': () => 'activated the subscription: both services are connected and the settings are valid',
  'subscription.suspended': ({ after }) => `suspended the subscription: ${textOf(after['reason'])}`,
  'subscription.reactivated': ({ after }) => `reactivated the subscription: ${textOf(after['reason'])}`,
  'subscription.cancelled': ({ after }) => `cancelled the subscription: ${textOf(after['reason'])}`,
  'tenant.exported': () => 'exported all data',
  'connection.made': (event) => `connected ${serviceOf(event)}`,
  'connection.secrets_lost': () => 'went on without a lost SECRET_KEY: both services have to be connected again',
  'connection.removed': (event) => `disconnected ${serviceOf(event)}`,
  'company.forgotten': ({ before, after }) =>
    `connected another company: ${textOf(before['mappings'])} mappings and every chosen account were forgotten${stoppedOf(after)}`,
  'settings.saved': () => 'saved the settings',
  'item_settings.saved': () => 'saved the item settings',
  'time_zone.saved': ({ was, value }) => `changed the time zone from ${textOf(was)} to ${textOf(value)}`,
  'mappings.saved': ({ subject }) => `saved ${mappingsCalled(subject)}`,
  'mapping.deleted': ({ subject }) => `deleted one of the ${mappingsCalled(subject)}`,
  'mappings.undone': ({ subject }) => `took back the last change of ${mappingsCalled(subject)}`,
  'record.unreadable': ({ subject }) =>
    `found that QuickBooks cannot read ${subject}: open it in QuickBooks, correct its email address, and save it. Everything else was read`,
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
  'sessions.ended': ({ after }) => (after['sessions'] === 1 ? 'ended another session' : 'ended other sessions'),
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
  'second_factor.recovery_code_used': ({ after }) =>
    `logged in with a recovery code${typeof after['left'] === 'number' ? `, of which ${after['left']} are left` : ''}`,
  'second_factor.reset': ({ subject }) => `reset the two-step login of ${subject}`,
  'second_factor.requirement_saved': ({ value }) =>
    value === true ? 'required two-step login of everybody' : 'left two-step login to everybody’s own choice',
};

/** One value that changed, as it was and as it is; a dash for nothing. */
export interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Deeds that are told value by value; of all others known here the sentence says everything. */
const told: Readonly<Record<string, (event: Values) => readonly Change[]>> = {
  'settings.saved': ({ before, after }) => valuesOf(before, after, settingWords),
  'item_settings.saved': ({ before, after }) => valuesOf(before, after, itemSettingWords),
  'mappings.saved': mappingsOf,
  'mapping.deleted': mappingsOf,
  'mappings.undone': mappingsOf,
  'connection.made': ({ before, after }) => valuesOf(before, after, connectionWords),
  'connection.removed': ({ before }) => valuesOf(before, null, connectionWords),
  'sync_status.cleared': ({ before, after }) => valuesOf(before, after, (id) => ({ name: `{psa} id ${id}` })),
  'sign_in.succeeded': addressOf,
  'sign_in.failed': addressOf,
  'sign_in.locked_out': addressOf,
  'close.signed': ({ after }) => valuesOf(null, after, only({ sha256: 'SHA-256 of the file', reason: 'note' })),
};

type Values = Pick<AuditEventReply, 'before' | 'after'>;

function addressOf({ after }: Values): readonly Change[] {
  return valuesOf(null, after, only({ address: 'network address' }));
}

/** Tells these keys under these names, and no other. */
function only(names: Readonly<Record<string, string>>): (key: string) => Words | null {
  return (key) => {
    const name = Object.entries(names).find(([one]) => one === key)?.[1];
    return name === undefined ? null : { name };
  };
}

/**
 * The changes of an audit entry, value by value: settings by the names they have on their screen, accounts and mapped
 * records by name; empty where the sentence says it all. Deeds that are not known here show all that was kept.
 *
 * @param psa the PSA's label.
 */
export function changesOf(
  { action, before, after }: Pick<AuditEventReply, 'action' | 'before' | 'after'>,
  psa: string,
): readonly Change[] {
  if (told[action] === undefined && deeds[action] !== undefined) return [];
  const found =
    told[action]?.({ before, after }) ?? valuesOf(before, after, (key) => ({ name: key.replaceAll('_', ' ') }));
  const inWords = (text: string) => text.replaceAll('{psa}', psa);
  return found
    .filter((one) => one.before !== one.after)
    .map((one) => ({ name: inWords(one.name), before: inWords(one.before), after: inWords(one.after) }));
}

interface Words {
  readonly name: string;
  readonly say?: (value: unknown) => string;
}

/** The values of two records, key by key. @param wordsFor null for what is not told. */
function valuesOf(before: unknown, after: unknown, wordsFor: (key: string) => Words | null): readonly Change[] {
  const [was, is] = [recordOf(before), recordOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) => {
    const words = wordsFor(key);
    if (words === null) return [];
    const { name, say = textOf } = words;
    return [{ name, before: say(was[key]), after: say(is[key]) }];
  });
}

/** Records of the PSA, each with what it was mapped to and what it is mapped to now. */
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

/** A key that an older program knew keeps its own name. */
function settingWords(key: string): Words {
  const found: SettingDefinition | undefined = Object.entries(settingDefinitions).find(([name]) => name === key)?.[1];
  if (found === undefined) return { name: key.replaceAll('_', ' ') };
  return {
    name: isShared(found.label) ? `${found.label} (${found.tab.replaceAll('_', ' ')})` : found.label,
    say: (value) => settingText(found, value),
  };
}

function settingText(definition: SettingDefinition, value: unknown): string {
  switch (definition.type) {
    case 'choice':
      return definition.options.find((one) => one.value === value)?.text ?? textOf(value);
    case 'account': {
      const { name } = recordOf(value);
      // Entries of an earlier version kept the id alone.
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

function itemSettingWords(key: string): Words {
  const found = Object.entries(itemSettingDefinitions).find(([name]) => name === key)?.[1];
  if (found === undefined) return { name: key.replaceAll('_', ' ') };
  const say = (value: unknown) =>
    Object.entries(namingConventions).find(([name]) => name === value)?.[1] ?? textOf(value);
  return { name: found.label, say };
}

const connectionWords = only({ name: 'company', user: 'user' });

/** A value for people: nothing is a dash, a list its members, a record its JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || '–';
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? { ...value } : {});
