import type { BooksDocument } from '../documents/books-document.ts';
import { negate, zero, type Decimal } from '../values/decimal.ts';

const negativeTypes: ReadonlySet<string> = new Set(['CreditMemo', 'RefundReceipt', 'VendorCredit']);

/** An amount of a document with the sign of what the customer owes: credits and refunds are negative. */
export const ofType = (type: string, amount: Decimal): Decimal => (negativeTypes.has(type) ? negate(amount) : amount);

/** Total of a document with its sign: credits and refunds are negative, voided ones nothing. */
export const signedTotal = ({ type, total, isVoided }: BooksDocument): Decimal =>
  isVoided ? zero : ofType(type, total);

/** The sales tax of a document, likewise. */
export const signedTax = ({ type, tax, isVoided }: BooksDocument): Decimal => (isVoided ? zero : ofType(type, tax));

/** The paying customer: the first of a name such as `Acme Dental:North branch`, which the books give a sub-customer. */
export const payerOf = (fullName: string): string => fullName.split(':', 1)[0] ?? fullName;
