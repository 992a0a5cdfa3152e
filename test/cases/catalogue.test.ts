import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sentenceOfUnreadable } from '#core/documents/accounting-change.ts';
import { isProblemCode, problem, problems, type Problem, type ProblemCode } from '#core/problems.ts';
import { hasTitle } from '#test/support/cited.ts';
import { quickbooksProblem, problemsOfCase, autotaskProblem } from './case-problems.ts';
import { messageTexts } from '../../scripts/help/message-texts.ts';
import { problemSources } from './problem-sources.ts';
import { calendarDate } from '#core/values/dates.ts';
import { menus } from './sample-world.ts';

/**
 * Checks the help on messages (domain reference 13). Each problem is raised as problem-sources.ts says and compared with its text.
 * src/core/problems.test.ts checks the messages.
 */
const root = join(import.meta.dirname, '..', '..');

/** Paths of the screens in the menu. */
const screens = new Set(
  [...readFileSync(join(root, 'src', 'web', 'shell', 'screens.ts'), 'utf8').matchAll(/paths: \['([^']+)'/g)].map(
    ([, path]) => path,
  ),
);

const rows = (Object.keys(messageTexts) as ProblemCode[]).map((code) => ({ code, ...messageTexts[code] }));

test('lists every code once', () => {
  expect(rows.map(({ code }) => code).sort()).toEqual(Object.keys(problems).sort());
});

const creditTax = { number: '1042', accounting: '42.50', ours: '41.25', difference: '+1.25' };

/** Problems that need an entire sync; a scenario raises them. */
const scenarioProblems: Readonly<Record<string, Problem>> = {
  EXCHANGE_RATE_MISSING: problem('EXCHANGE_RATE_MISSING', { currency: 'CAD', on: calendarDate('2025-03-03') }),
  EXCHANGE_RATE_DOUBTFUL: problem('EXCHANGE_RATE_DOUBTFUL', {
    psa: 'Autotask',
    currency: 'CAD',
    home: 'USD',
    on: calendarDate('2025-03-03'),
    rate: '1',
    amount: '1,620.00',
    accounting: '1,620.00',
    ours: '1,200.00',
    by: 'psa',
  }),
  EXCHANGE_RATE_DIFFERS: problem('EXCHANGE_RATE_DIFFERS', {
    accounting: '1',
    ours: '0.7402',
    worth: ', so that 1,620.00 is worth 1,620.00 and not 1,199.12',
  }),
  CREDIT_TAX_WOULD_DIFFER: problem('CREDIT_TAX_WOULD_DIFFER', creditTax),
  CREDIT_TAX_DIFFERS: problem('CREDIT_TAX_DIFFERS', creditTax),
  REPORT_WITHDRAWN: problem('REPORT_WITHDRAWN', { psa: 'Autotask', number: 'EXP-1207', now: null, before: '412.50' }),
  DELETED_IN_PSA: problem('DELETED_IN_PSA', { psa: 'Autotask', name: 'Invoice 48213', number: '1042' }),
  ORDER_CANCELED: problem('ORDER_CANCELED', { psa: 'Autotask', number: '1009' }),
  CHANGED_ON_BOTH_SIDES: problem('CHANGED_ON_BOTH_SIDES', {
    name: 'Invoice 48213',
    psa: 'Autotask',
    number: '1042',
    changes: 'due date (QuickBooks: Mar 30, 2025; Autotask: Mar 15, 2025)',
  }),
  TEXT_CUT: problem('TEXT_CUT', { list: 'line 3 (4,000 characters)' }),
  RECORD_INACTIVE: problem('RECORD_INACTIVE', { what: 'class', list: '“Services”' }),
  RECORD_INACTIVE_HELD: problem('RECORD_INACTIVE_HELD', { what: 'class', list: '“Services”' }),
  CANNOT_UPDATE: problem('CANNOT_UPDATE', { name: 'Invoice 48213', psa: 'Autotask', because: 'paid' }),
  CANNOT_BILL_DIFFERENCE: problem('CANNOT_BILL_DIFFERENCE', {
    name: 'Invoice 48213',
    psa: 'Autotask',
    because: 'customer',
  }),
  DIFFERENCE_STANDS: problem('DIFFERENCE_STANDS', {
    name: 'Invoice 48213',
    psa: 'Autotask',
    number: 'invoice 1043',
    amount: '100.00',
    advice: 'remove',
  }),
  DIFFERENCE_OPEN: problem('DIFFERENCE_OPEN', {
    psa: 'Autotask',
    menus,
    number: '1042',
    open: '100.00',
    paidOn: calendarDate('2025-03-04'),
  }),
  COMPANY_CHANGED: problem('COMPANY_CHANGED', {
    before: 'Northwind IT Services',
    after: 'Hill Country IT',
    service: 'accounting',
    isSent: true,
  }),
  LINK_DIFFERS: problem('LINK_DIFFERS', {
    psa: 'Autotask',
    number: '1042',
    differences: 'customer “Birch Legal”, Autotask has “Cedar Dental”; 1,966.25, Autotask has 410.00',
  }),
  EXTRA_GONE: problem('EXTRA_GONE', {
    psa: 'Autotask',
    what: 'Credit memo',
    number: '1050',
    invoice: '1042',
    role: 'reversal',
    isVoided: false,
  }),
  VOID_TAKEN_BACK: problem('VOID_TAKEN_BACK', { psa: 'Autotask', number: '1042', memo: '1050', amount: '180.00' }),
  ENTERED_AGAIN: problem('ENTERED_AGAIN', {
    psaId: 48_213,
    what: 'Invoice',
    number: '1060',
    datedOn: calendarDate('2025-03-04'),
    amount: '869.17',
    party: 'Acme Dental',
  }),
  NOTHING_TO_LINK: problem('NOTHING_TO_LINK', { psa: 'Autotask', psaId: 48_213 }),
  PAYMENT_GONE: problem('PAYMENT_GONE', {
    psa: 'Autotask',
    menus,
    number: '1042',
    open: '1,966.25',
    paidOn: calendarDate('2025-03-04'),
  }),
  OPEN_MONEY: problem('OPEN_MONEY', {
    psa: 'Autotask',
    number: '1042',
    open: '940.40',
    paidOn: calendarDate('2025-03-04'),
    party: 'Acme Dental',
    money: ['payment 4711 of Mar 4, 2025 (940.40)'],
    canApply: true,
  }),
  CREDIT_MEMO_NOT_VOIDED: problem('CREDIT_MEMO_NOT_VOIDED', {
    psa: 'Autotask',
    number: '1050',
    party: 'Birch Legal LLP',
    on: calendarDate('2025-02-03'),
    amount: '180.00',
  }),
  PREPAID_MONEY_EXPIRED: problem('PREPAID_MONEY_EXPIRED', {
    number: 'Invoice 48213',
    party: 'Acme Dental',
    amount: '252.00',
  }),
  PREPAID_MONEY_USED: problem('PREPAID_MONEY_USED', {
    psa: 'Autotask',
    number: '1042',
    party: 'Acme Dental',
    amount: '810.00',
  }),
  EXCHANGE_RATE_UNREAD: problem('EXCHANGE_RATE_UNREAD', {
    currency: 'CAD',
    on: calendarDate('2025-02-28'),
    until: calendarDate('2025-04-01'),
  }),
  PREPAID_BALANCE_UNREAD: problem('PREPAID_BALANCE_UNREAD', {
    number: 'Invoice 48213',
    party: 'Acme Dental',
    amount: '810.00',
    until: calendarDate('2025-04-01'),
  }),
  PREPAID_RATE_DIFFERS: problem('PREPAID_RATE_DIFFERS', {
    psa: 'Autotask',
    number: 'Invoice 48213',
    party: 'Maple Clinic',
    amount: '1,000.00 CAD',
  }),
  DEFECT: problem('DEFECT', { reference: '7d0f8a52-3c1e-4b9d-9f60-2a1b5c8e4d11' }),
  PSA_DOCUMENT_MISSING: problem('PSA_DOCUMENT_MISSING', { psa: 'Autotask', what: 'invoice 999999' }),
  MAIL_NOT_SENT: problem('MAIL_NOT_SENT', {
    number: '1042',
    address: 'ap@acmedental.example',
    why: 'QuickBooks sends no more mails today.',
  }),
  NUMBER_MISSING: problem('NUMBER_MISSING', { psa: 'Autotask', name: 'Invoice 48213', id: '9177' }),
  QBO_UNREADABLE: problem('QBO_UNREADABLE', {
    detail: sentenceOfUnreadable({ type: 'Invoice', id: '9177', number: '1042' }),
  }),
  QBO_READS_BLOCKED: problem('QBO_READS_BLOCKED', {
    detail: 'Intuit’s monthly limit of reads from QuickBooks is used up. Reads are blocked until Apr 1, 2025.',
  }),
  QBO_READ_REFUSED: problem('QBO_READ_REFUSED', {
    detail: 'QuickBooks Online refused to read Customer: Not sortable.',
  }),
  PSA_READ_REFUSED: problem('PSA_READ_REFUSED', {
    psa: 'Autotask',
    detail: 'Autotask refused to read invoices: No permission.',
  }),
  PSA_NOT_STORED: problem('PSA_NOT_STORED', {
    psa: 'Autotask',
    detail: 'Autotask accepted the invoice number 1042 of invoice 48213 and did not store it.',
  }),
  NAME_SUFFIXED: problem('NAME_SUFFIXED', { name: 'Acme Dental', used: 'Acme Dental (Vendor)' }),
};

function problemFrom(code: string): Problem | undefined {
  const problemSource = problemSources[code];
  if (problemSource === undefined) throw new Error(`problem-sources.ts has no ${code}.`);
  if ('quickbooks' in problemSource) return quickbooksProblem(problemSource.quickbooks);
  if ('autotask' in problemSource) return autotaskProblem(problemSource.autotask);
  if ('golden' in problemSource) {
    const [kind = '', name = ''] = problemSource.golden.split('/');
    return problemsOfCase(kind, name).find((found) => found.code === code);
  }
  const { file, title } = problemSource;
  const source = readFileSync(join(root, file), 'utf8');
  expect([title, hasTitle(source, title)]).toEqual([title, true]);
  const found = scenarioProblems[code];
  expect(source.includes(code) || source.includes(found?.message ?? code), `${file} contains ${code}`).toBe(true);
  return found;
}

describe.each(rows)('$code', (row) => {
  test('has the listed treatment, a meaning, and a fix if the product has one', () => {
    const found = problemFrom(row.code);
    expect(found).toMatchObject({ code: row.code, treatment: problems[row.code].treatment });
    expect(row.meaning).toMatch(/^[A-Z].*\.$/);
    expect(row.fix === null).toBe(found?.remedy === null);
    const { screen = null } = found ?? {};
    expect(screen === null || screens.has(screen)).toBe(true);
  });
});

test('maps every other fault code of QuickBooks to a problem', () => {
  // Fault codes in the domain reference, section 13.
  const expectedFaults: Readonly<Record<string, readonly number[]>> = {
    QBO_AUTH: [100, 110],
    QBO_PERMISSION: [],
    QBO_COMPANY_UNAVAILABLE: [150],
    QBO_REFERENCE: [610, 6250],
    QBO_VALIDATION: [2020, 2050, 4000, 4001, 6000, 6070, 6100, 6240, 6430, 6540],
    DUPLICATE_DOC_NUMBER: [6140],
    PERIOD_CLOSED: [6200, 6210],
    QBO_UNAVAILABLE: [10000],
  };
  for (const [code, faults] of Object.entries(expectedFaults))
    for (const fault of faults) {
      const found = quickbooksProblem(fault);
      expect([fault, found.code]).toEqual([fault, code]);
      expect(isProblemCode(found.code)).toBe(true);
      // A rejection includes the service's message.
      if (found.treatment === 'person') expect(found.message).toContain('Service message.');
    }
});
