import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clearedReference, errorMark, hasSentinel, syncStatusOf, withoutSentinel } from './sync-status.ts';

fc.configureGlobal({ seed: 20_250_303 });

const ours = { usesPsaNumber: true };
const theirs = { usesPsaNumber: false };
const day = '2025-03-03T15:00:00Z';

describe('the status of a document', () => {
  test.each([
    ['', 'not_synced'],
    [null, 'not_synced'],
    [undefined, 'not_synced'],
    ['ERROR', 'error'],
    ['IN PROCESS', 'syncing'],
    ['9203', 'synced'],
  ] as const)('expense report with reference “%s”: %s', (reference, status) => {
    expect(syncStatusOf('expense_report', { reference }, theirs)).toBe(status);
  });

  test.each([
    ['', 'not_synced'],
    ['ERROR', 'error'],
    ['1009', 'synced'],
    ['IN PROCESS', 'synced'],
  ] as const)('purchase order with external number “%s”: %s', (reference, status) => {
    expect(syncStatusOf('purchase_order', { reference }, theirs)).toBe(status);
  });

  test.each([
    ['20250312', null, 'not_synced'],
    ['20250312', day, 'synced'],
    ['20250312 ERROR', null, 'error'],
    ['20250312 ERROR', day, 'error'],
    ['20250312 IN PROCESS', null, 'syncing'],
    ['20250312 IN PROCESS', day, 'synced'],
    ['', null, 'not_synced'],
  ] as const)('invoice with a PSA number “%s”, exported %s: %s', (reference, exportedAt, status) => {
    expect(syncStatusOf('invoice', { reference, exportedAt }, ours)).toBe(status);
  });

  test.each([
    ['', null, 'not_synced'],
    ['1042', day, 'synced'],
    ['1042', null, 'synced'],
    ['ERROR', null, 'error'],
    ['IN PROCESS', null, 'syncing'],
  ] as const)('invoice with a QuickBooks number “%s”, exported %s: %s', (reference, exportedAt, status) => {
    expect(syncStatusOf('invoice', { reference, exportedAt }, theirs)).toBe(status);
  });

  test('a running attempt shows as syncing, regardless of the PSA', () => {
    for (const kind of ['invoice', 'purchase_order', 'expense_report'] as const)
      for (const reference of ['', 'ERROR', '1042'])
        expect(syncStatusOf(kind, { reference }, { ...theirs, isBusy: true })).toBe('syncing');
  });
});

describe('status texts', () => {
  test.each([
    ['20250312 ERROR', '20250312'],
    ['20250312 IN PROCESS', '20250312'],
    ['20250312', '20250312'],
    ['ERROR', ''],
    ['IN PROCESS', ''],
    ['20250312 IN PROCESS ERROR', '20250312'],
    ['ERROR 7', 'ERROR 7'],
    [' 20250312 ', '20250312'],
  ])('“%s” without its status text is “%s”', (text, without) => {
    expect(withoutSentinel(text)).toBe(without);
  });

  test('adds and removes a status text without a trace, only once', () => {
    const numbers = fc.stringMatching(/^[A-Z0-9][A-Z0-9 -]{0,30}[0-9]$/);
    fc.assert(
      fc.property(numbers, (number) => {
        const marked = errorMark('invoice', { reference: number, exportedAt: null }, true);
        expect(hasSentinel(marked)).toBe(true);
        expect(withoutSentinel(marked)).toBe(number);
        expect(errorMark('invoice', { reference: marked, exportedAt: null }, true)).toBe(marked);
        expect(syncStatusOf('invoice', { reference: marked }, ours)).toBe('error');
      }),
    );
  });
});

describe('the error flag', () => {
  test.each([
    ['invoice', '', null, theirs, 'ERROR'],
    ['invoice', 'IN PROCESS', null, theirs, 'ERROR'],
    ['invoice', '20250312', null, ours, '20250312 ERROR'],
    ['invoice', '20250312 IN PROCESS', null, ours, '20250312 ERROR'],
    ['invoice', '', null, ours, 'ERROR'],
    ['purchase_order', '', null, theirs, 'ERROR'],
    ['expense_report', 'IN PROCESS', null, theirs, 'ERROR'],
  ] as const)('%s “%s”, exported %s', (kind, reference, exportedAt, { usesPsaNumber }, mark) => {
    expect(errorMark(kind, { reference, exportedAt }, usesPsaNumber)).toBe(mark);
  });

  test('keeps a valid reference after a second posting fails', () => {
    expect(errorMark('invoice', { reference: '1042', exportedAt: day }, false)).toBe('1042');
    expect(errorMark('invoice', { reference: '20250312', exportedAt: day }, true)).toBe('20250312');
    expect(errorMark('expense_report', { reference: '9203' }, false)).toBe('9203');
  });

  test('leaves a number without room for the status text unchanged (100 characters)', () => {
    const number = '7'.repeat(95);
    expect(errorMark('invoice', { reference: number, exportedAt: null }, true)).toBe(number);
    expect(errorMark('invoice', { reference: number.slice(1), exportedAt: null }, true)).toBe(
      `${number.slice(1)} ERROR`,
    );
  });
});

test.each([
  ['invoice', '20250312 ERROR', true, '20250312'],
  ['invoice', '20250312', true, '20250312'],
  ['invoice', '1042', false, ''],
  ['invoice', 'ERROR', false, ''],
  ['purchase_order', 'ERROR', true, ''],
  ['expense_report', 'IN PROCESS', true, ''],
] as const)('clearing the %s reference “%s” (PSA number: %s) leaves “%s”', (kind, reference, usesPsaNumber, left) => {
  expect(clearedReference(kind, reference, usesPsaNumber)).toBe(left);
});
