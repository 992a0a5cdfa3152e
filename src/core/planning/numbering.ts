import type { AccountingPreferences } from '../documents/reference-data.ts';
import type { Kind } from '../kinds.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type Problem } from '../problems.ts';
import { usesPsaNumber, type Settings } from '../settings/definitions.ts';
import { withoutSentinel } from '../sync-status.ts';
import type { Command } from './plan.ts';

/** Longest document number in QuickBooks. */
const maxNumberLength = 21;

/**
 * Returns a document number with a suffix, such as `1042-CR`. A number that is too long loses its beginning, because
 * numbers in sequence differ at their end.
 */
export const suffixedNumber = (number: string, suffix: string): string =>
  `${number.slice(suffix.length - maxNumberLength)}${suffix}`;

/** Document types that always have a number, from the PSA or from QuickBooks. */
const numberedTypes: ReadonlySet<string | null> = new Set(['Invoice', 'CreditMemo', 'PurchaseOrder', 'Bill']);

/** Returns whether a posted document has no number although its type requires one. */
export const lacksNumber = (document: { readonly type: string | null; readonly number: string | null }): boolean =>
  numberedTypes.has(document.type) && (document.number ?? '').trim() === '';

/** Returns whether QuickBooks would leave the number of a new document empty, because a preference expects one from us. */
export function wouldLackNumber(
  command: Command,
  preferences: Pick<AccountingPreferences, 'customTransactionNumbers' | 'customOrderNumbers'>,
): boolean {
  switch (command.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return command.document.number === null && preferences.customTransactionNumbers;
    case 'create_purchase_order':
      return command.order.number === null && preferences.customOrderNumbers;
    default:
      return false;
  }
}

/** Returns whether QuickBooks numbers the documents of a kind, which are then created in the order of the PSA ids. */
export function isNumberedByBooks(
  kind: Kind,
  settings: Pick<Settings, 'inv_numbering_option' | 'po_numbering_option'>,
): boolean {
  if (kind === 'invoice') return !usesPsaNumber(settings.inv_numbering_option);
  return kind === 'purchase_order' && !usesPsaNumber(settings.po_numbering_option);
}

export interface NumberFacts {
  /** Number in the PSA, including a sentinel. */
  readonly number: string;
  readonly settings: Pick<Settings, 'inv_numbering_option'>;
  readonly preferences: Pick<AccountingPreferences, 'customTransactionNumbers'>;
  /** Another QuickBooks document with this number; never the posting of the same invoice. */
  readonly takenBy: NumberedDocument | null;
  readonly psaLabel: string;
}

/**
 * Decides the number that an invoice is sent with; null lets QuickBooks assign one (domain reference 6.3, 6.12). If the
 * preference in QuickBooks does not match the setting, QuickBooks leaves the number empty or ignores it.
 */
export function chooseNumber(facts: NumberFacts): { readonly number: string | null; readonly problems: Problem[] } {
  const isPsaNumber = usesPsaNumber(facts.settings.inv_numbering_option);
  const isOn = facts.preferences.customTransactionNumbers;
  const problems = isOn === isPsaNumber ? [] : [problem('NUMBERING_MISMATCH', { isOn })];
  if (!isPsaNumber) return { number: null, problems };
  const number = withoutSentinel(facts.number);
  const psa = facts.psaLabel;
  if (number === '') problems.push(problem('DOC_NUMBER_MISSING', { psa }));
  else if (number.length > maxNumberLength) problems.push(problem('DOC_NUMBER_TOO_LONG', { psa, number }));
  else if (facts.takenBy !== null)
    problems.push(
      problem('DUPLICATE_DOC_NUMBER', { what: 'Invoice number', number, takenBy: describe(facts.takenBy) }),
    );
  return { number, problems };
}

export interface OrderNumberFacts {
  /** The number in the PSA. */
  readonly number: string;
  readonly settings: Pick<Settings, 'po_numbering_option'>;
  readonly preferences: Pick<AccountingPreferences, 'customOrderNumbers'>;
  /** Another QuickBooks purchase order with this number; never the posting of the same order. */
  readonly takenBy: NumberedDocument | null;
  readonly psaLabel: string;
}

/**
 * Decides the number that a purchase order is sent with; null lets QuickBooks assign one (domain reference 9.2), unless
 * its preference expects ours.
 */
export function chooseOrderNumber(facts: OrderNumberFacts): {
  readonly number: string | null;
  readonly problems: Problem[];
} {
  if (!usesPsaNumber(facts.settings.po_numbering_option)) {
    const isOn = facts.preferences.customOrderNumbers;
    return { number: null, problems: isOn ? [problem('NUMBERING_MISMATCH', { isOn, what: 'purchase order' })] : [] };
  }
  const number = facts.number.trim();
  const psa = facts.psaLabel;
  if (number === '') return { number, problems: [problem('DOC_NUMBER_MISSING', { psa, what: 'purchase order' })] };
  if (number.length > maxNumberLength)
    return { number, problems: [problem('DOC_NUMBER_TOO_LONG', { psa, number, what: 'purchase order' })] };
  if (facts.takenBy === null) return { number, problems: [] };
  const takenBy = describe(facts.takenBy);
  return { number, problems: [problem('DUPLICATE_DOC_NUMBER', { what: 'Purchase order number', number, takenBy })] };
}

/**
 * Returns a description such as `the voided invoice of Birch Legal`. It omits the QuickBooks id, which users never see.
 */
const describe = ({ type, customerName, privateNote }: NumberedDocument): string => {
  const voided = /^voided\b/i.test(privateNote ?? '') ? 'voided ' : '';
  const what = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `the ${voided}${what}${customerName === '' ? ' without a customer' : ` of ${customerName}`}`;
};
