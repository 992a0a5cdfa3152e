import { describe, expect, test } from 'vitest';
import { approvalWords, rejectWords, summaryWords } from './approval/words.ts';
import { countWord, headingOf, jobWords, markedText, outcomeWord, progressOf, summaryPart } from './jobs/words.ts';
import {
  documentWords,
  entryTitle,
  entryWords,
  filterOptions,
  filterWords,
  heads as logHeads,
  logsWords,
  outcomeText,
  totalWords,
} from './logs/words.ts';
const psa = 'Ledgerline';
const labels = (options: readonly { readonly label: string }[]) => options.map(({ label }) => label);

describe('jobs', () => {
  const job = { type: 'invoice', mode: 'live', force: false, status: 'finished', total: 12, succeeded: 10 } as const;

  test.each<readonly [found: unknown, text: unknown]>([
    [headingOf({ ...job, status: 'queued' }), 'Sync of invoices: waiting to start'],
    [headingOf({ ...job, status: 'running', force: true }), 'Syncing invoices again'],
    [headingOf(job), 'Synced invoices'],
    [headingOf({ ...job, succeeded: 0 }), 'Looked at invoices'],
    [headingOf({ ...job, total: 0 }), 'No invoices to sync'],
    [headingOf({ ...job, mode: 'test' }), 'Tested invoices'],
    [headingOf({ ...job, status: 'failed' }), 'The sync of invoices stopped'],
    [headingOf({ ...job, status: 'cancelled', mode: 'test' }), 'The test of invoices was cancelled'],
    [progressOf({ status: 'running', total: null, done: 0 }), 'Looking for documents…'],
    [progressOf({ status: 'running', total: 1_200, done: 3 }), '3 of 1,200 documents'],
    [progressOf({ status: 'finished', total: 0, done: 0 }), 'Nothing was eligible.'],
    [summaryPart(job, 'succeeded', 12, '$18,430.20'), '12 invoices, $18,430.20, synced'],
    [summaryPart(job, 'failed', 1, '$10.00'), '1 invoice, $10.00, failed'],
    [summaryPart(job, 'failed', 2, ''), '2 invoices failed'],
    [summaryPart({ ...job, mode: 'test' }, 'failed', 2, '$10.00'), '2 invoices, $10.00, would fail'],
    [
      [outcomeWord('failed', false), outcomeWord('failed', true), countWord('failed', false), countWord('held', true)],
      ['Failed', 'Would fail', 'failed', 'would be held'],
    ],
    [
      [markedText('purchase_order', 2, 'ERROR'), markedText('purchase_order', 1, 'ERROR'), jobWords.clear],
      ['2 purchase orders are marked ERROR.', '1 purchase order is marked ERROR.', 'Clear and try again'],
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));
});

describe('logs', () => {
  test.each<readonly [found: unknown, text: unknown]>([
    [
      [logHeads.type, logHeads.id(psa), logHeads.mode, logHeads.manual, logHeads.success, logHeads.at('CST')],
      ['Type', 'Ledgerline ID', 'Test/Live', 'Manually Synced', 'Success', 'Date and Time (CST)'],
    ],
    [
      [
        filterWords.type,
        filterWords.mode,
        filterWords.manual,
        filterWords.success,
        filterWords.after,
        filterWords.before,
      ],
      ['Transaction Type', 'Test/Live', 'Manually Synced?', 'Success?', 'Synced After', 'Synced Before'],
    ],
    [
      labels(filterOptions.type),
      ['Any', 'Differences', 'Expense reports', 'Invoices', 'Payments', 'Purchase orders', 'Voids'],
    ],
    [
      [labels(filterOptions.mode), labels(filterOptions.manual), labels(filterOptions.success)],
      [
        ['Any', 'Test', 'Live'],
        ['Any', 'Manual', 'Automatic'],
        ['Any', 'Yes', 'No'],
      ],
    ],
    [
      logsWords.nothingYet,
      'Log entries will appear here once you’ve synced invoice, purchase order or expense data to QuickBooks Online.',
    ],
    [
      [
        entryWords.title,
        ...(['invoice', 'purchase_order', 'expense_report'] as const).map((type) => entryTitle(type, false)),
      ],
      ['Logs', 'QuickBooks Invoice', 'QuickBooks Purchase Order', 'QuickBooks Bill for Expense Report'],
    ],
    [
      [entryTitle('invoice', true), entryTitle('void', true), entryTitle('void', false)],
      ['QuickBooks Credit Memo', 'QuickBooks Credit Memo, voided', 'QuickBooks Invoice, voided'],
    ],
    [outcomeText(psa, 'invoice', 48_213, 'successful'), 'Processing of Ledgerline invoice ID 48213 was successful.'],
    [
      outcomeText(psa, 'expense_report', 7, 'failed'),
      'Processing of Ledgerline expense report ID 7 was not successful.',
    ],
    [outcomeText(psa, 'invoice', 7, 'held'), 'Processing of Ledgerline invoice ID 7 is on hold.'],
    [
      Object.values(documentWords.heads),
      ['Line', 'Description', 'Qty', 'Unit Price', 'Amount', 'Taxable', 'Billable/Customer'],
    ],
    [
      [
        documentWords.id,
        documentWords.number,
        documentWords.customer,
        documentWords.noShipTo,
        documentWords.emailStatus,
      ],
      ['Id', 'Number', 'Customer', '(no shipping address)', 'Email Status'],
    ],
    [
      [documentWords.tax, totalWords.invoice, totalWords.purchase_order, documentWords.vendor, documentWords.comments],
      ['Total Tax', 'Invoice Total', 'Purchase Order Total', 'Vendor Id / Name', 'Comments'],
    ],
    [entryWords.transcript, 'Job Transcript'],
    [
      entryWords.since({ test: true, success: false, awaits_approval: false }, 'Mar 3'),
      'Tested again since, last on Mar 3: it was not successful.',
    ],
    [
      entryWords.since({ test: false, success: true, awaits_approval: true }, 'Mar 3'),
      'Tried again since, last on Mar 3: it is waiting for approval.',
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));
});

test.each<readonly [found: unknown, text: unknown]>([
  [
    [approvalWords.title, approvalWords.reject, approvalWords.changed, rejectWords.title(2)],
    ['Approval', 'Reject', 'Changed since', 'Reject 2 documents'],
  ],
  [
    [summaryWords.ledger(null), summaryWords.ledger('CAD'), summaryWords.parties],
    ['Debits and credits', 'Debits and credits, CAD', 'By customer and vendor, compared with last month'],
  ],
])('%j', (found, text) => expect(found).toEqual(text));
