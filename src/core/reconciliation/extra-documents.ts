import type { AccountingDocument } from '../documents/accounting-document.ts';
import { isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import type { CalendarDate } from '../values/dates.ts';
import type {
  CompletenessFacts,
  Finding,
  PostedDocument,
  PsaDocument,
  ExtraDocument,
  ExtraOfRow,
} from './completeness-facts.ts';
import type { DifferenceClass } from './difference-classes.ts';
import { compareFingerprints, fingerprintOf, type FingerprintChange } from './fingerprint.ts';
import { monthOf, type Month } from './month.ts';
import { ofType, signedTotal } from './signed.ts';
import { oncePer } from '../values/once-per.ts';

type Facts = Pick<CompletenessFacts, 'month' | 'sources' | 'postings' | 'documents' | 'extras' | 'homeCurrency'>;

const isOf = (month: Month, on: CalendarDate): boolean => monthOf(on) === month;

/** Returns a function that groups a list by a key, once for each list: a month has thousands of documents. */
const indexBy = <Of, Key>(keyOf: (one: Of) => Key) =>
  oncePer((list: readonly Of[]): ReadonlyMap<Key, readonly Of[]> => Map.groupBy(list, keyOf));

const nameOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type} ${id}`;
const documentsByName = indexBy((document: AccountingDocument) => nameOf(document));
const sourcesById = indexBy(({ id }: PsaDocument) => id);
const postingsByInvoice = indexBy(({ psaId }: PostedDocument) => psaId);
const extrasByInvoice = indexBy(({ psaId }: ExtraDocument) => psaId);

/** Returns a document of QuickBooks; null if it was deleted. */
const documentOf = (of: { readonly type: string; readonly id: string }, { documents }: Facts) =>
  documentsByName(documents).get(nameOf(of))?.[0] ?? null;

/** Returns the extra documents of an invoice. */
const extrasOf = (psaId: number, { extras }: Facts): readonly ExtraDocument[] =>
  extrasByInvoice(extras).get(psaId) ?? [];

/** Returns an extra document unless it was deleted or voided. */
const liveDocument = (of: ExtraDocument, facts: Facts): AccountingDocument | null => {
  const document = documentOf(of, facts);
  return document === null || document.isVoided ? null : document;
};

/** Returns the document of an invoice, unless it was deleted or voided. */
function mainDocument(psaId: number, facts: Facts): AccountingDocument | null {
  const own = postingsByInvoice(facts.postings).get(psaId)?.at(-1);
  const document = own === undefined ? null : documentOf(own, facts);
  return document === null || document.isVoided ? null : document;
}

/** Returns whether a credit memo still reverses a voided invoice. */
export const isReversed = (psaId: number, facts: Facts): boolean =>
  extrasOf(psaId, facts).some((document) => document.role === 'reversal' && liveDocument(document, facts) !== null);

/** Returns the documents that bill differences of a source and exist, in any month. */
export const billedFor = ({ id }: Pick<PsaDocument, 'id'>, facts: Facts): readonly AccountingDocument[] =>
  extrasOf(id, facts).flatMap((document) =>
    document.role === 'difference' ? (liveDocument(document, facts) ?? []) : [],
  );

/** Returns whether the documents of an invoice that exist add up to the PSA's total, so no difference is missed. */
function isAgreed(source: PsaDocument | undefined, facts: Facts): boolean {
  if (source === undefined) return false;
  const main = mainDocument(source.id, facts);
  return (
    main !== null &&
    isZero(minus(plus(signedTotal(main), sum(billedFor(source, facts).map(signedTotal))), source.total))
  );
}

/** Returns the signed total that an extra document was posted with; its present one if that is unknown. */
const postedTotal = ({ posted, type }: ExtraDocument, document: AccountingDocument | null): Decimal | null =>
  posted?.total !== undefined && posted.total !== null
    ? ofType(type, posted.total)
    : document === null
      ? null
      : signedTotal(document);

/**
 * Returns the sum of the differences that were billed for a source, in any month, as they were posted. A later change of
 * such a document has its own row.
 */
export function differenceOf(source: PsaDocument, facts: Facts): Decimal {
  const agreed = isAgreed(source, facts);
  return sum(
    extrasOf(source.id, facts).flatMap((document) => {
      if (document.role !== 'difference') return [];
      const live = liveDocument(document, facts);
      if (agreed) return live === null ? [] : [signedTotal(live)];
      return postedTotal(document, live) ?? [];
    }),
  );
}

/** The amounts of a row about an extra document. */
export interface ExtraRow {
  readonly extra: ExtraOfRow;
  readonly document: AccountingDocument | null;
  readonly currency: string;
  readonly accountingAmount: Decimal;
  readonly findings: readonly Finding[];
  readonly details: readonly DifferenceClass[];
  readonly changes: readonly FingerprintChange[];
}

/**
 * Returns the row of an extra document in the month, or in the month that it was posted in; null if it is in another
 * month, or if neither side needs it any more.
 */
export function extraRow(of: ExtraDocument, facts: Facts): ExtraRow | null {
  const { month, sources, homeCurrency } = facts;
  const source = sourcesById(sources).get(of.psaId)?.[0];
  const document = documentOf(of, facts);
  const isGone = document === null || document.isVoided;
  const now = isGone ? zero : signedTotal(document);
  const isSettled = of.role === 'difference' && isAgreed(source, facts);
  const then = isSettled ? now : postedTotal(of, document);
  const postedOn = of.posted?.fingerprint?.datedOn ?? document?.datedOn;
  if (then === null || postedOn === undefined) return null;
  const wasHere = isOf(month, postedOn);
  const isHere = document !== null && isOf(month, document.datedOn);
  if (!wasHere && (!isHere || isGone)) return null;
  if (isGone && isNeededNoMore(of, source, facts)) return null;
  const moving: Finding[] = [];
  const add = (name: DifferenceClass, amount: Decimal) => void moving.push({ class: name, amount });
  if (wasHere) {
    add(baseClass(of, source, facts), then);
    if (document === null) add('deleted_in_accounting', negate(then));
    else if (isGone) add('voided_in_accounting', negate(then));
    else add('edited_in_accounting', minus(now, then));
    if (!isGone && !isHere) add('date_edited', negate(now));
  } else add('date_edited', now);
  const posted = of.posted?.fingerprint ?? null;
  const changes =
    posted === null || document === null || isGone ? [] : compareFingerprints(posted, fingerprintOf(document));
  return {
    extra: {
      role: of.role,
      psaId: of.psaId,
      type: of.type,
      id: of.id,
      number: document?.number ?? of.posted?.number ?? null,
      party: source?.party.name ?? document?.party.name ?? '',
      canRepeat: isGone && source !== undefined && mainDocument(of.psaId, facts) !== null,
    },
    document,
    currency: document?.currency ?? source?.currency ?? homeCurrency,
    accountingAmount: isHere ? now : zero,
    findings: moving.filter(({ amount }) => !isZero(amount)),
    details: wasHere && isHere ? detailsOf(changes) : [],
    changes,
  };
}

/** Returns whether a deleted or voided document is not missed, because the other side changed accordingly. */
function isNeededNoMore({ role, psaId }: ExtraDocument, source: PsaDocument | undefined, facts: Facts): boolean {
  if (role === 'difference') return isAgreed(source, facts) || source?.isVoided === true;
  // The void was taken back, or the invoice itself was voided or deleted instead.
  return source?.isVoided === false || (source !== undefined && mainDocument(psaId, facts) === null);
}

/**
 * A credit memo of an invoice that is not voided any more takes away a sale that the PSA shows. If the invoice itself was
 * voided or deleted in QuickBooks as well, the memo takes away another sale.
 */
function baseClass({ role, psaId }: ExtraDocument, source: PsaDocument | undefined, facts: Facts): DifferenceClass {
  if (role === 'difference') return 'difference_document';
  const isPosted = postingsByInvoice(facts.postings).has(psaId);
  const isNeeded = source?.isVoided !== false && !(isPosted && mainDocument(psaId, facts) === null);
  return isNeeded ? 'credit_of_void' : 'void_taken_back';
}

/** Changes that move no money between months. A document without a number in its body has the one of QuickBooks. */
function detailsOf(changes: readonly FingerprintChange[]): readonly DifferenceClass[] {
  const has = (...fields: readonly FingerprintChange['field'][]) => changes.some(({ field }) => fields.includes(field));
  return [
    ...(has('customer') ? (['customer_differs'] as const) : []),
    ...(has('date') ? (['date_differs'] as const) : []),
    ...(has('item') ? (['item_differs'] as const) : []),
    ...(has('account', 'item_account') ? (['account_differs'] as const) : []),
    ...(has('class') ? (['class_differs'] as const) : []),
    ...(has('location') ? (['location_differs'] as const) : []),
    ...(has('tax_code') && !has('tax') ? (['tax_code_differs'] as const) : []),
    ...(has('tax') ? (['tax_moved'] as const) : []),
    ...(has('rate') ? (['rate_differs'] as const) : []),
  ];
}
