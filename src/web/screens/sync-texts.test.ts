import { describe, expect, test } from 'vitest';
import { submittableKinds } from '#core/kinds.ts';
import { syncStatuses } from '#core/sync-status.ts';
import { pageSize } from '../ui/list-table.tsx';
import { screens } from '../shell/screens.ts';
import { approvalWords, rejectWords, summaryWords } from './approval/words.ts';
import { countWord, headingOf, jobWords, markedText, outcomeWord, progressOf, summaryPart } from './jobs/words.ts';
import { pageSize as logPageSize } from './logs/filters.ts';
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
import { attentionWords, changedWords, marksWords, mendingWords } from './needs-attention/words.ts';
import {
  activityWords,
  draftsWords,
  monthWords,
  setupWords,
  statusWords,
  switchWords,
  whyNotWords,
} from './overview/words.ts';
import { syncNowWords } from './overview/sync-now-words.ts';
import { reviewWords } from './sync/review-words.ts';
import {
  confirmWords,
  emptyTexts,
  followUpWords,
  heads,
  resetWords,
  searchWords,
  syncWords,
  testWords,
  titles,
  whatIsCleared,
} from './sync/words.ts';

/**
 * The texts and figures of the Overview, the sync screens, Logs, Needs attention and Approval to the letter: those that the
 * specification words (specification 1, “Overview”; specification 2, sections 2, 4, 8 and 9), and our own beside them.
 * Both services are called by names of their own here, so that no sentence is made for one.
 */

const [psa, books] = ['Ledgerline', 'Account Books'];
const labels = (options: readonly { readonly label: string }[]) => options.map(({ label }) => label);

test('screens have their addresses and their names in the menu', () => {
  const wanted = ['/my', '/needs-attention', '/my-invoices', '/my-purchase-orders', '/my-expenses', '/logs'];
  expect(screens.flatMap(({ paths: [path], label }) => (wanted.includes(path) ? [[path, label]] : []))).toEqual([
    ['/my', 'Overview'],
    ['/needs-attention', 'Needs attention'],
    ['/my-invoices', 'Invoices'],
    ['/my-purchase-orders', 'Purchase Orders'],
    ['/my-expenses', 'Expense Reports'],
    ['/logs', 'Logs'],
  ]);
  expect([pageSize, logPageSize]).toEqual([10, 10]);
});

describe('sync screens', () => {
  test.each<readonly [found: unknown, text: unknown]>([
    [titles, { invoice: 'My Invoices', purchase_order: 'My Purchase Orders', expense_report: 'My Expenses' }],
    [
      emptyTexts,
      {
        expense_report: 'No eligible expense reports found.',
        invoice: 'No eligible invoices found.',
        purchase_order: 'No eligible purchase orders found.',
      },
    ],
    [syncStatuses, { not_synced: 'Not Synced', syncing: 'Syncing', synced: 'Synced', error: 'Error' }],
    [
      [syncWords.sync, syncWords.test, syncWords.clear, syncWords.viewResults, syncWords.nothingSelected],
      ['Sync', 'Test Sync', 'Clear Sync Status', 'View Results', 'Nothing is selected.'],
    ],
    [
      Object.values(heads),
      [
        'ID',
        'Sync Status',
        'Sync Date',
        'Invoice Number',
        'PO Number',
        'External PO Number',
        'Name',
        'QuickBooks Reference Number',
        'Total',
        'Created',
        'Submitted',
        'Paid',
        'Memo',
      ],
    ],
    [
      submittableKinds.map((kind) => [searchWords.byDate(kind), searchWords.byId(kind), searchWords.id(kind, psa)]),
      [
        ['By create date', 'By invoice ID', 'Ledgerline invoice ID'],
        ['By create date', 'By purchase order ID', 'Ledgerline purchase order ID'],
        ['By submit date', 'By expense report ID', 'Ledgerline expense report ID'],
      ],
    ],
    [
      [searchWords.option, searchWords.bySettings, searchWords.search, searchWords.noDate, searchWords.noId],
      ['Search option', 'Use my settings', 'Search', 'Enter a date.', 'Enter an ID: a whole number.'],
    ],
    [Object.values(testWords), ['testing…', 'testing…', 'passed', 'would fail', 'would be skipped', 'would be held']],
    // The questions.
    [confirmWords.title, 'Confirm Sync'],
    [confirmWords.ask('expense_report', 12, false), 'Please confirm you want to test sync these 12 expense reports.'],
    [confirmWords.ask('purchase_order', 12, true), 'Please confirm you want to sync these 12 purchase orders.'],
    [confirmWords.ask('invoice', 1, true), 'Please confirm you want to sync this invoice.'],
    [
      [confirmWords.ifSynced, confirmWords.skip, confirmWords.again],
      ['If already synced...', 'Do not process.', 'Sync it again.'],
    ],
    [
      confirmWords.warning('invoice', books, psa),
      'Each invoice that is already synced gets another document in Account Books, and the former reference number in Ledgerline is overwritten.',
    ],
    [
      [
        confirmWords.submit('invoice', 12, '$18,430.20', 'test'),
        confirmWords.submit('invoice', 12, '$18,430.20', 'review'),
        confirmWords.submit('purchase_order', 1, '', 'again'),
      ],
      ['TEST 12 invoices, $18,430.20', 'Review 12 invoices, $18,430.20', 'Review 1 purchase order, again'],
    ],
    [resetWords.title, 'Confirm Reset Sync Status'],
    [resetWords.ask('invoice', 2), 'Please confirm you want to reset the sync status of these 2 invoices.'],
    [whatIsCleared('expense_report', 1, false, psa), 'Its QuickBooks reference number in Ledgerline is emptied.'],
    [whatIsCleared('purchase_order', 2, false, psa), 'Their external PO number in Ledgerline is emptied.'],
    [whatIsCleared('invoice', 2, false, psa), 'Their invoice number in Ledgerline is emptied.'],
    [
      whatIsCleared('invoice', 1, true, psa),
      'Its invoice number in Ledgerline is set back to the original: ERROR or IN PROCESS is taken off it. The sync date is emptied.',
    ],
    [
      [followUpWords.title, followUpWords.test('payment'), followUpWords.review('void')],
      ['Payments and voids', 'TEST payments', 'Review voids'],
    ],
    // The review.
    [
      [reviewWords.title, reviewWords.empty, reviewWords.nothing, reviewWords.wouldNot(2)],
      ['Review', 'Nothing can be posted now. Nothing was sent.', 'Nothing to post', '2 documents would not be posted'],
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));
});

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

describe('the Overview', () => {
  test.each<readonly [found: unknown, text: unknown]>([
    [
      [setupWords.connect(psa), setupWords.completeSettings, setupWords.done, setupWords.notDone, setupWords.ok],
      ['Connect to Ledgerline', 'Complete your Settings', 'Done', 'Not done', 'Basic setup is OK'],
    ],
    [
      [activityWords.title, ...Object.values(activityWords.heads), activityWords.syncNow],
      ['Latest Activity', 'Type', 'Last Checked', 'Last Synced', 'Additional Info', 'Sync Now'],
    ],
    [Object.values(statusWords), ['Pending', 'Active', 'Suspended', 'Cancelled']],
    [
      Object.values(whyNotWords).map((one) => (typeof one === 'string' ? one : one('suspended'))),
      [
        'Only the administrator of a client can sync.',
        'This subscription is suspended.',
        'Connect both services first.',
        'Complete your settings first.',
      ],
    ],
    [
      [syncNowWords.mode, syncNowWords.ifSynced, syncNowWords.skip, syncNowWords.again],
      ['Mode', 'If already synced...', 'Do not process', 'Sync it again'],
    ],
    [
      syncNowWords.warning('invoice', books, psa),
      'Each invoice that is already synced gets a second document in Account Books: a duplicate, until you delete or void one. The earlier reference number in Ledgerline is overwritten.',
    ],
    [
      [
        syncNowWords.review('invoice', 12, false),
        syncNowWords.review('invoice', null, true),
        syncNowWords.submitTest('invoice'),
      ],
      ['Review 12 invoices', 'Review eligible invoices, again', 'TEST eligible invoices'],
    ],
    [
      [monthWords.soFar(null), monthWords.soFar('March 2025'), monthWords.unsynced(3), monthWords.lastDay],
      ['This month so far', 'March 2025 so far', '3 invoices not synced', 'Last 24 hours:'],
    ],
    [
      [monthWords.needs(1), monthWords.needs(2), monthWords.failures(3), monthWords.synced(1_200)],
      ['1 document needs attention', '2 documents need attention', '3 failed', '1,200 synced'],
    ],
    [
      [switchWords.off(['purchase orders']), switchWords.off(['invoices', 'payments', 'voids']), switchWords.turnOn],
      [
        'Automatic sync of purchase orders is off.',
        'Automatic sync of invoices, payments and voids is off.',
        'Turn on',
      ],
    ],
    [
      [draftsWords.waiting(12, '$18,430.20'), draftsWords.waiting(1, '')],
      ['12 documents, $18,430.20, wait for approval.', '1 document waits for approval.'],
    ],
  ])('%j', (found, text) => expect(found).toEqual(text));
});

test.each<readonly [found: unknown, text: unknown]>([
  [
    [attentionWords.title, attentionWords.nothing, attentionWords.held, attentionWords.retrying],
    ['Needs attention', 'Nothing needs attention.', 'Held', 'Retrying'],
  ],
  [
    [attentionWords.testAgain, attentionWords.release(1), attentionWords.release(12)],
    ['Test again', 'Release', 'Release all 12'],
  ],
  [
    [mendingWords.reconnect, mendingWords.clear, mendingWords.mapTo('Labor'), mendingWords.chooseAccount],
    ['Connect again', 'Clear Sync Status', 'Map “Labor” to', 'Choose an account'],
  ],
  [
    [marksWords.title('invoice', 2, 'ERROR'), marksWords.text(psa, [7]), marksWords.clear],
    [
      '2 invoices are marked ERROR',
      'An earlier try has left the mark in Ledgerline, so no sync takes it up: 7.',
      'Clear and try again',
    ],
  ],
  [
    changedWords.title({ month: '2025-03', count: 4, amounts: [{ amount: '432.50', currency: 'USD' }] }),
    '4 differences in March 2025 came up after posting, $432.50',
  ],
  [
    [approvalWords.title, approvalWords.reject, approvalWords.changed, rejectWords.title(2)],
    ['Approval', 'Reject', 'Changed since', 'Reject 2 documents'],
  ],
  [
    [summaryWords.ledger(null), summaryWords.ledger('CAD'), summaryWords.parties],
    ['Debits and credits', 'Debits and credits, CAD', 'By customer and vendor, compared with last month'],
  ],
])('%j', (found, text) => expect(found).toEqual(text));
