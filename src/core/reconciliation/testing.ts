import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import type { PostedDocument, PsaDocument } from './completeness.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Returns a small document for tests: one line, dated in February 2026, in US dollars. */
export const sourceOf = (id: number, net: string, more: Partial<PsaDocument> = {}): PsaDocument => ({
  id,
  number: `AT-${id}`,
  party: { id: 175, name: 'Acme Dental' },
  datedOn: calendarDate('2026-02-10'),
  dueOn: calendarDate('2026-03-12'),
  currency: 'USD',
  total: decimal(net),
  tax: zero,
  linesNet: null,
  isVoided: false,
  isPaid: false,
  mappedPartyId: '58',
  ifMissing: 'missing_not_taken_up',
  ...more,
});

export const lineOf = (amount: string, more: Partial<AccountingLine> = {}): AccountingLine => ({
  description: 'Remote support',
  itemId: '11',
  accountId: null,
  classId: null,
  taxCode: 'NON',
  quantity: decimal('1'),
  unitPrice: decimal(amount),
  amount: decimal(amount),
  partyId: null,
  ...more,
});

export const documentOf = (id: number, net: string, more: Partial<AccountingDocument> = {}): AccountingDocument => ({
  type: 'Invoice',
  id: String(id),
  number: `AT-${id}`,
  party: { id: '58', name: 'Acme Dental' },
  datedOn: calendarDate('2026-02-10'),
  dueOn: calendarDate('2026-03-12'),
  currency: 'USD',
  exchangeRate: decimal('1'),
  total: decimal(net),
  tax: zero,
  balance: decimal(net),
  isVoided: false,
  isOpen: null,
  privateNote: null,
  changedAt: instant('2026-02-10T15:00:00Z'),
  changedBy: null,
  links: [],
  lines: [lineOf(net)],
  ...more,
});

/** Returns the posting of a source as this document. */
export const postingOf = (
  source: PsaDocument,
  document: AccountingDocument,
  more: Partial<PostedDocument> = {},
): PostedDocument => ({
  psaId: source.id,
  type: document.type,
  id: document.id,
  number: document.number,
  total: document.total,
  tax: document.tax,
  psaTotal: source.total,
  psaTax: source.tax,
  fingerprint: fingerprintOf(document),
  ...more,
});
