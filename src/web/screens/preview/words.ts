import type { DocumentViewReply } from '#contract/planned.ts';
import { countOf } from '../../lib/format.ts';

/** Sentences of the preview of a document. */

type Form = DocumentViewReply['form'];

/** The name of a document, and what stands over whom it is for. */
export const formWords = {
  invoice: { title: 'Invoice', to: 'Bill to' },
  credit_memo: { title: 'Credit memo', to: 'Credit to' },
  purchase_order: { title: 'Purchase order', to: 'Vendor' },
  bill: { title: 'Bill', to: 'Vendor' },
  payment: { title: 'Payment', to: 'Received from' },
  void: { title: 'Void', to: 'Customer' },
} as const satisfies Readonly<Record<Form, unknown>>;

export const previewWords = {
  number: (number: string): string => `No. ${number}`,
  numberedBy: (books: string): string => `Numbered by ${books}`,
  notSent: (title: string, number: string | null): string => `${title} ${number ?? ''}, not sent`,
  date: 'Date',
  terms: 'Terms',
  due: 'Due',
  lines: 'Lines',
  heads: {
    item: 'Item and description',
    account: 'Account',
    tax: 'Tax',
    quantity: 'Quantity',
    price: 'Price',
    amount: 'Amount',
  },
  for: (customer: string): string => `For ${customer}`,
  subtotal: 'Subtotal',
  tax: 'Tax',
  taxAsBilled: (books: string): string => `Tax as billed; ${books} decides`,
  total: 'Total',
  more: (count: number): string => `and ${countOf(count, 'more line', 'more lines')}`,
  noDescription: 'Without a description',
} as const;

/** Words of the document of the PSA beside that of the books, and why they differ. */
export const comparedWords = {
  negative: (psa: string, books: string): string =>
    `${psa} has it as an invoice with a negative total; ${books} as a credit memo with a positive one.`,
  line: (place: number): string => `Line ${place}`,
  none: 'none',
  asBilled: (amount: string): string => `${amount} as billed`,
  customer: 'Customer',
  from: 'From',
  vendor: 'Vendor',
  number: 'Number',
  otherName: (books: string): string => `Goes by this name in ${books}: mapped, or found there`,
  notDue: 'A credit memo is not due',
  bySettings: 'As the settings say',
  byTerms: (books: string): string => `${books} counts it from the terms`,
  by: (terms: string): string => `by ${terms}`,
  given: (books: string): string => `given by ${books}`,
  numberedBy: (books: string): string => `Numbered by ${books}`,
  numberedBySettings: 'Numbered as the settings say',
  moved: 'Moved: the books are closed for that day',
  noLine: 'No line of its own: grouped with others, or left out as the settings say',
  noPsaLine: (psa: string): string => `No line of its own in ${psa}: grouped, or added to come to the same total`,
  otherAmount: 'Another amount',
  priced: 'Priced so that quantity and price come to the amount that was billed',
  decidesTax: (books: string): string => `${books} decides the tax`,
  byRates: (books: string): string => `By the rates of ${books}`,
  follows: 'Follows from the lines and the tax',
} as const;
