import type { AccountingDocument, AccountingDocumentType } from '../documents/accounting-document.ts';
import type { Kind } from '../kinds.ts';
import { differenceSource } from '../planning/plan-difference.ts';

/** Types of QuickBooks documents that Tallybridge creates. */
export const madeTypes = [
  'Invoice',
  'CreditMemo',
  'PurchaseOrder',
  'Bill',
  'Payment',
] as const satisfies readonly AccountingDocumentType[];

/** The PSA document that a posted document names as its source. */
export interface NamedSource {
  readonly kind: Kind;
  readonly psaId: number;
}

const kindsByNoun = {
  invoice: 'invoice',
  'purchase order': 'purchase_order',
  'expense report': 'expense_report',
} as const satisfies Readonly<Record<string, Kind>>;

/** Document types that each kind creates. */
const typesOf: Readonly<Record<Kind, readonly string[]>> = {
  invoice: ['Invoice', 'CreditMemo'],
  purchase_order: ['PurchaseOrder'],
  expense_report: ['Bill'],
  payment: ['Payment'],
  difference: ['Invoice', 'CreditMemo'],
  void: ['CreditMemo'],
};

/**
 * Returns the source that a document's private note names, and the kind of the posting. An invoice can also be the
 * source of a payment, a difference or the credit memo of a void. QuickBooks puts “Voided - ” in front of the note of a
 * voided document.
 *
 * @returns null for a document that Tallybridge did not create
 */
export function namedSource(
  { type, privateNote }: Pick<AccountingDocument, 'type' | 'privateNote'>,
  psaLabel: string,
): NamedSource | null {
  const note = (privateNote ?? '').trim().replace(/^Voided - /, '');
  const difference = differenceSource(note, psaLabel);
  const found = difference === null ? ofOrigin(note, psaLabel) : ({ kind: 'difference', psaId: difference } as const);
  return found !== null && typesOf[found.kind].includes(type) ? found : null;
}

/** A safe integer has at least this many digits. */
const maxIdDigits = 15;

function ofOrigin(note: string, psaLabel: string): NamedSource | null {
  if (!note.startsWith(`${psaLabel} `)) return null;
  const rest = note.slice(psaLabel.length + 1);
  const [, noun = '', id = '', after = ''] = /^(invoice|purchase order|expense report) (\d+)(.*)/s.exec(rest) ?? [];
  if (id === '' || id.length > maxIdDigits) return null;
  const psaId = Number(id);
  if (after.startsWith(' marked paid')) return { kind: 'payment', psaId };
  if (after.startsWith(' voided · ')) return { kind: 'void', psaId };
  return { kind: kindsByNoun[noun as keyof typeof kindsByNoun], psaId };
}
