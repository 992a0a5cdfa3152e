import type { BooksDocument, BooksDocumentType } from '../documents/books-document.ts';
import type { Kind } from '../kinds.ts';
import { differenceSource } from '../planning/plan-difference.ts';

/** Types of the books' documents that we make. */
export const madeTypes = [
  'Invoice',
  'CreditMemo',
  'PurchaseOrder',
  'Bill',
  'Payment',
] as const satisfies readonly BooksDocumentType[];

/** A document of the PSA that a document of ours names as its source. */
export interface NamedSource {
  readonly kind: Kind;
  readonly psaId: number;
}

const kindsByNoun = {
  invoice: 'invoice',
  'purchase order': 'purchase_order',
  'expense report': 'expense_report',
} as const satisfies Readonly<Record<string, Kind>>;

/** Types of documents that are made for each kind. */
const typesOf: Readonly<Record<Kind, readonly string[]>> = {
  invoice: ['Invoice', 'CreditMemo'],
  purchase_order: ['PurchaseOrder'],
  expense_report: ['Bill'],
  payment: ['Payment'],
  difference: ['Invoice', 'CreditMemo'],
  void: ['CreditMemo'],
};

/**
 * The source that the private note of a document names, and what it was made for: of an invoice also the payment of its paid
 * date, what bills a difference, and what takes back a void. A note that says that the document is void says so in front.
 *
 * @returns null for a document that is none of ours.
 */
export function namedSource(
  { type, privateNote }: Pick<BooksDocument, 'type' | 'privateNote'>,
  psaLabel: string,
): NamedSource | null {
  const note = (privateNote ?? '').trim().replace(/^Voided - /, '');
  const difference = differenceSource(note, psaLabel);
  const found = difference === null ? ofOrigin(note, psaLabel) : ({ kind: 'difference', psaId: difference } as const);
  return found !== null && typesOf[found.kind].includes(type) ? found : null;
}

function ofOrigin(note: string, psaLabel: string): NamedSource | null {
  if (!note.startsWith(`${psaLabel} `)) return null;
  const rest = note.slice(psaLabel.length + 1);
  const [, noun = '', id = '', after = ''] =
    /^(invoice|purchase order|expense report) (\d{1,15})(?!\d)(.*)/s.exec(rest) ?? [];
  if (id === '') return null;
  const psaId = Number(id);
  if (after.startsWith(' marked paid')) return { kind: 'payment', psaId };
  if (after.startsWith(' voided · ')) return { kind: 'void', psaId };
  return { kind: kindsByNoun[noun as keyof typeof kindsByNoun], psaId };
}
