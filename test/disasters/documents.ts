import type { Kind } from '#core/kinds.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { ExpectedDocument } from './flow.ts';
import type { JournalEntry } from '../support/world.ts';
import type { Evidence, Row } from './evidence.ts';

/** A record that a request of the product created in QuickBooks. */
export interface Creation {
  readonly realmId: string;
  readonly entity: string;
  readonly id: string;
  readonly record: JsonObject;
  /** The Autotask document; null for customers, vendors and items. */
  readonly source: { readonly kind: Kind; readonly psaId: number } | null;
  readonly sequence: number;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const itemsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const sources: readonly (readonly [RegExp, Kind])[] = [
  [/Autotask invoice (\d+) marked paid/, 'payment'],
  [/Difference \d+ of Autotask invoice (\d+)/, 'difference'],
  [/Autotask invoice (\d+)/, 'invoice'],
  [/Autotask purchase order (\d+)/, 'purchase_order'],
  [/Autotask expense report (\d+)/, 'expense_report'],
];

/** Returns the Autotask document named in a record's private note, or null. */
export function sourceOf(record: JsonObject): Creation['source'] {
  const note = record['PrivateNote'];
  if (typeof note !== 'string') return null;
  for (const [pattern, kind] of sources) {
    const psaId = pattern.exec(note)?.[1];
    if (psaId !== undefined) return { kind, psaId: Number(psaId) };
  }
  return null;
}

/** One write to QuickBooks: a single call or an item of a batch. */
export interface Write {
  readonly entry: JournalEntry;
  readonly realmId: string;
  readonly entity: string;
  readonly operation: 'create' | 'void' | 'update';
  readonly body: JsonObject;
  /** The returned record; undefined when QuickBooks rejected the write. */
  readonly answer: JsonObject | undefined;
  /** `requestid` of the request; within a batch, with the item's id. */
  readonly requestId: string;
}

const entityNames: Readonly<Record<string, string>> = {
  invoice: 'Invoice',
  creditmemo: 'CreditMemo',
  purchaseorder: 'PurchaseOrder',
  bill: 'Bill',
  payment: 'Payment',
  customer: 'Customer',
  vendor: 'Vendor',
  item: 'Item',
};

/** Returns every write that arrived completely, in order, including writes that were not applied. */
export function quickbooksWrites({ journal }: Evidence): Write[] {
  return journal.accounting.flatMap((one): Write[] => {
    const [, realmId, name] = /^\/v3\/company\/([^/]+)\/([a-z]+)$/.exec(one.path) ?? [];
    if (one.method !== 'POST' || realmId === undefined || name === undefined || name === 'query') return [];
    const request = parsed(one.request_body);
    const answer = parsed(one.response_body);
    const id = new URLSearchParams(one.query).get('requestid') ?? '';
    if (name === 'batch') {
      const answers = new Map(itemsOf(answer['BatchItemResponse']).map((item) => [item['bId'], item]));
      return itemsOf(request['BatchItemRequest']).flatMap((item): Write[] => {
        const entity = Object.values(entityNames).find((known) => isObject(item[known]));
        const body = entity === undefined ? undefined : item[entity];
        if (entity === undefined || !isObject(body)) return [];
        const made = answers.get(item['bId'])?.[entity];
        const isVoid = item['operation'] === 'void' || JSON.stringify(item['optionsData'] ?? '').includes('void');
        const operation = isVoid ? 'void' : item['operation'] === 'update' ? 'update' : 'create';
        const requestId = `${id}:${JSON.stringify(item['bId'])}`;
        return [{ entry: one, realmId, entity, operation, body, answer: isObject(made) ? made : undefined, requestId }];
      });
    }
    const entity = entityNames[name];
    if (entity === undefined) return [];
    const made = answer[entity];
    const isVoid = /operation=void|include=void/.test(one.query);
    const operation = isVoid ? 'void' : request['Id'] === undefined ? 'create' : 'update';
    return [
      {
        entry: one,
        realmId,
        entity,
        operation,
        body: request,
        answer: isObject(made) ? made : undefined,
        requestId: id,
      },
    ];
  });
}

/** Returns a text or number field as text, or an empty text. */
export const textIn = (record: JsonObject, name: string): string => {
  const value = record[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** Returns every record that the product created in QuickBooks once, in order. */
export function creationsOf(evidence: Evidence): Creation[] {
  const found = new Map<string, Creation>();
  for (const { entry, realmId, entity, operation, answer } of quickbooksWrites(evidence)) {
    if (operation !== 'create' || answer === undefined || !entry.applied) continue;
    const id = textIn(answer, 'Id');
    const key = `${realmId} ${entity} ${id}`;
    if (id !== '' && !found.has(key))
      found.set(key, { realmId, entity, id, record: answer, source: sourceOf(answer), sequence: entry.sequence });
  }
  return [...found.values()];
}

/** Returns the records created for one Autotask document, oldest first. */
export const creationsFor = (
  creations: readonly Creation[],
  { kind, psaId }: Pick<ExpectedDocument, 'kind' | 'psaId'>,
): Creation[] => creations.filter(({ source }) => source?.kind === kind && source.psaId === psaId);

/** Returns the current record in QuickBooks. */
export const inQuickBooks = (evidence: Evidence, { realmId, entity, id }: Creation): JsonObject | undefined =>
  evidence.accounting[entity]?.find((record) => record['Id'] === id && record['realmId'] === realmId);

/** Returns whether QuickBooks has the document of a ledger row now; the response with its id may have been lost. */
export const isInQuickBooks = ({ accounting }: Evidence, row: Row): boolean =>
  Object.values(accounting)
    .flat()
    .some((record) => record['Id'] === row['target_id'] && sourceOf(record)?.psaId === row['psa_id']);

/** QuickBooks has no void flag: all amounts are 0 and the note starts with "Voided". */
export const isVoided = (record: JsonObject): boolean =>
  record['TotalAmt'] === 0 && /^voided\b/i.test(textIn(record, 'PrivateNote'));

/** Autotask's entity for each kind of document, and the field with the product's reference. */
export const psaFields = {
  invoice: { entity: 'Invoices', field: 'invoiceNumber' },
  purchase_order: { entity: 'PurchaseOrders', field: 'externalPONumber' },
  expense_report: { entity: 'ExpenseReports', field: 'quickBooksReferenceNumber' },
} as const;

export type ReferencedKind = keyof typeof psaFields;
export const isReferenced = (kind: Kind): kind is ReferencedKind => Object.hasOwn(psaFields, kind);

/** Returns the current document in Autotask. */
export function inPsa({ psa }: Evidence, kind: ReferencedKind, psaId: number): JsonObject | undefined {
  return psa[psaFields[kind].entity]?.find((row) => row['id'] === psaId);
}

/** Returns the product's reference in Autotask, or an empty text. */
export function referenceInPsa(evidence: Evidence, kind: ReferencedKind, psaId: number): string {
  const row = inPsa(evidence, kind, psaId);
  return row === undefined ? '' : textIn(row, psaFields[kind].field);
}

/** Returns the expected reference: the document number, or the id of a bill. */
export const referenceTo = ({ source, record, id }: Creation): string =>
  source?.kind === 'expense_report' || textIn(record, 'DocNumber') === '' ? id : textIn(record, 'DocNumber');

/**
 * Converts an amount to whole cents.
 *
 * @throws RangeError for any other value.
 */
export function cents(value: unknown): number {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(value));
  if (match === null) throw new RangeError(`not in whole cents: ${JSON.stringify(value)}`);
  const [, sign, whole = '0', part = ''] = match;
  return (Number(whole) * 100 + Number(part.padEnd(2, '0'))) * (sign === '-' ? -1 : 1);
}

export const rowsOf = ({ tables }: Evidence, table: string): readonly Row[] => tables[table] ?? [];

/**
 * Returns whether a document was abandoned when the client changed its company; Autotask and the log then show it
 * (decision 13).
 */
export function wasAbandoned(evidence: Evidence, { kind, psaId, end }: ExpectedDocument): boolean {
  if (end !== 'abandoned' || !isReferenced(kind) || !referenceInPsa(evidence, kind, psaId).endsWith('ERROR'))
    return false;
  const keys = rowsOf(evidence, 'logs')
    .filter((row) => row['type'] === kind && row['psa_id'] === psaId && row['success'] === false)
    .map((row) => row['key']);
  return rowsOf(evidence, 'log_details').some(
    ({ key, problems }) => keys.includes(key) && JSON.stringify(problems).includes('"COMPANY_CHANGED"'),
  );
}

/** Tenants with an inactive QuickBooks connection, which Needs attention shows. */
export const lockedOut = (evidence: Evidence): ReadonlySet<unknown> =>
  new Set(
    rowsOf(evidence, 'connections')
      .filter((row) => row['service'] === 'accounting' && row['status'] === 'inactive' && row['problem'] !== null)
      .map((row) => row['tenant_id']),
  );
