import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import { calendarDate, instant } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { Account } from '../documents/reference-data.ts';
import { proveCompleteness, type CompletenessFacts, type PostedDocument, type PsaDocument } from './completeness.ts';
import { fingerprintOf } from './fingerprint.ts';
import { month } from './month.ts';
import type { TieOutFacts } from './tie-out.ts';

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
  paymentSync: { toAccounting: true, toPsa: true },
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

/** Returns the rows and bridges of February 2026. */
export const provedOf = (of: Partial<CompletenessFacts>) =>
  proveCompleteness({
    kind: 'invoice',
    month: month('2026-02'),
    sources: [],
    postings: [],
    documents: [],
    extras: [],
    mappedPartyIds: new Set(),
    homeCurrency: 'USD',
    psaLabel: 'Autotask',
    ...of,
  });

export const accountOf = (id: string, fullyQualifiedName: string, more: Partial<Account> = {}): Account => ({
  id,
  fullyQualifiedName,
  classification: 'Revenue',
  subType: '',
  isActive: true,
  ...more,
});

/** Returns an entry of an invoice in the ledger. */
export const entryOf = (amount: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  datedOn: calendarDate('2026-02-10'),
  type: 'Invoice',
  id: '1',
  number: 'AT-1',
  partyName: 'Acme Dental',
  memo: null,
  amount: decimal(amount),
  ...more,
});

/** Returns the facts of a month in which nothing happened. */
export const tieOutFactsOf = (
  accounts: readonly Account[],
  { reports, ...of }: Partial<Omit<TieOutFacts, 'reports'>> & { readonly reports?: Partial<TieOutFacts['reports']> },
): TieOutFacts => ({
  through: calendarDate('2026-02-28'),
  asOf: calendarDate('2026-02-28'),
  homeCurrency: 'USD',
  psaLabel: 'Autotask',
  lists: { accounts, classes: [], customers: [], items: [] },
  documents: [],
  earlierPayments: [],
  expenseBillIds: new Set(),
  reports: {
    trial_balance: [],
    general_ledger: [],
    aged_receivables: { documents: [], total: zero },
    aged_payables: { documents: [], total: zero },
    customer_sales: { customers: [], total: zero },
    ...reports,
  },
  psaOpen: [],
  openOrders: [],
  received: [],
  unbilled: null,
  taxes: { rates: [], summaries: [] },
  prepaid: null,
  advanceAccountId: null,
  unbilledAccountId: null,
  ...of,
});
