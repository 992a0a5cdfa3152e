import type { Kind } from '#core/kinds.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Asked } from './flow.ts';
import type { Evidence, JournalEntry, Row } from './evidence.ts';

/** A record that the books made because a request of ours was carried out. */
export interface Creation {
  readonly realmId: string;
  readonly entity: string;
  readonly id: string;
  readonly record: JsonObject;
  /** The document of the PSA that it says it is for; null for customers, vendors and items. */
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

/** The source that a record of the books names in its private note; null when it names none. */
export function sourceOf(record: JsonObject): Creation['source'] {
  const note = record['PrivateNote'];
  if (typeof note !== 'string') return null;
  for (const [pattern, kind] of sources) {
    const psaId = pattern.exec(note)?.[1];
    if (psaId !== undefined) return { kind, psaId: Number(psaId) };
  }
  return null;
}

/** One write to the books: of its own, or an item of a batch. */
export interface Write {
  readonly entry: JournalEntry;
  readonly realmId: string;
  readonly entity: string;
  readonly operation: 'create' | 'void' | 'update';
  readonly body: JsonObject;
  /** The record as it was answered; undefined when it was refused. */
  readonly answer: JsonObject | undefined;
  /** `requestid` of the request, with the item's own id in a batch. */
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

/** Every write to the books that arrived whole, in order; those that were not carried out are among them. */
export function writesToBooks({ journal }: Evidence): Write[] {
  return journal.books.flatMap((one): Write[] => {
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

/** A text or a number of a record as text; empty when it is neither. */
export const textIn = (record: JsonObject, name: string): string => {
  const value = record[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** Everything that the books made for us, once each, in the order in which it was made. */
export function creationsOf(evidence: Evidence): Creation[] {
  const found = new Map<string, Creation>();
  for (const { entry, realmId, entity, operation, answer } of writesToBooks(evidence)) {
    if (operation !== 'create' || answer === undefined || !entry.applied) continue;
    const id = textIn(answer, 'Id');
    const key = `${realmId} ${entity} ${id}`;
    if (id !== '' && !found.has(key))
      found.set(key, { realmId, entity, id, record: answer, source: sourceOf(answer), sequence: entry.sequence });
  }
  return [...found.values()];
}

/** The creations of one document of the PSA, oldest first. */
export const madeFor = (creations: readonly Creation[], { kind, psaId }: Pick<Asked, 'kind' | 'psaId'>): Creation[] =>
  creations.filter(({ source }) => source?.kind === kind && source.psaId === psaId);

/** A record of the books as it is now. */
export const inBooks = (evidence: Evidence, { realmId, entity, id }: Creation): JsonObject | undefined =>
  evidence.books[entity]?.find((record) => record['Id'] === id && record['realmId'] === realmId);

/** A void leaves no flag: everything is 0, and the note says so in front. */
export const isVoided = (record: JsonObject): boolean =>
  record['TotalAmt'] === 0 && /^voided\b/i.test(textIn(record, 'PrivateNote'));

/** The PSA's entity for each kind of document, and its status field, which carries our reference. */
export const psaFields = {
  invoice: { entity: 'Invoices', field: 'invoiceNumber' },
  purchase_order: { entity: 'PurchaseOrders', field: 'externalPONumber' },
  expense_report: { entity: 'ExpenseReports', field: 'quickBooksReferenceNumber' },
} as const;

export type ReferencedKind = keyof typeof psaFields;
export const isReferenced = (kind: Kind): kind is ReferencedKind => Object.hasOwn(psaFields, kind);

/** A document of the PSA as it is now. */
export function inPsa({ psa }: Evidence, kind: ReferencedKind, psaId: number): JsonObject | undefined {
  return psa[psaFields[kind].entity]?.find((row) => row['id'] === psaId);
}

/** Our reference in the status field of the PSA; empty when there is none. */
export function referenceInPsa(evidence: Evidence, kind: ReferencedKind, psaId: number): string {
  const row = inPsa(evidence, kind, psaId);
  return row === undefined ? '' : textIn(row, psaFields[kind].field);
}

/** The reference that the PSA gets for a document: its number, of a bill its id. */
export const referenceTo = ({ source, record, id }: Creation): string =>
  source?.kind === 'expense_report' || textIn(record, 'DocNumber') === '' ? id : textIn(record, 'DocNumber');

/** An amount in whole cents. @throws RangeError when it is none. */
export function cents(value: unknown): number {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(value));
  if (match === null) throw new RangeError(`not an amount to the cent: ${JSON.stringify(value)}`);
  const [, sign, whole = '0', part = ''] = match;
  return (Number(whole) * 100 + Number(part.padEnd(2, '0'))) * (sign === '-' ? -1 : 1);
}

/** The rows of a table. */
export const rowsOf = ({ tables }: Evidence, table: string): readonly Row[] => tables[table] ?? [];

/** Whether a document was given up with the company it was on its way to: the PSA and the log say so (decision 14). */
export function wasLeft(evidence: Evidence, { kind, psaId, end }: Asked): boolean {
  if (end !== 'left' || !isReferenced(kind) || !referenceInPsa(evidence, kind, psaId).endsWith('ERROR')) return false;
  const rows = rowsOf(evidence, 'logs').filter((row) => row['type'] === kind && row['psa_id'] === psaId);
  return rows.some((row) => row['success'] === false && String(row['message']).includes('was not finished in'));
}

/** Tenants whose books do not let us in any more, and who are told so. */
export const lockedOut = (evidence: Evidence): ReadonlySet<unknown> =>
  new Set(
    rowsOf(evidence, 'connections')
      .filter((row) => row['service'] === 'accounting' && row['status'] === 'inactive' && row['problem'] !== null)
      .map((row) => row['tenant_id']),
  );
