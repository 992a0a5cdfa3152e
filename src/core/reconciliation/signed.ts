import type { AccountingDocument } from '../documents/accounting-document.ts';
import { negate, zero, type Decimal } from '../values/decimal.ts';

const negativeTypes: ReadonlySet<string> = new Set(['CreditMemo', 'RefundReceipt', 'VendorCredit']);

/** Returns an amount with the sign of what the customer owes: credits and refunds are negative. */
export const ofType = (type: string, amount: Decimal): Decimal => (negativeTypes.has(type) ? negate(amount) : amount);

/** Returns the signed total of a document: negative for credits and refunds, 0 if it is voided. */
export const signedTotal = ({ type, total, isVoided }: AccountingDocument): Decimal =>
  isVoided ? zero : ofType(type, total);

/** Returns the signed sales tax of a document, by the same rules. */
export const signedTax = ({ type, tax, isVoided }: AccountingDocument): Decimal =>
  isVoided ? zero : ofType(type, tax);

/** Returns the paying customer: the first part of a sub-customer's full name, such as `Acme Dental:North branch`. */
export const payerOf = (fullName: string): string => fullName.split(':', 1)[0] ?? fullName;
