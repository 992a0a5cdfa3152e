import { expect, test } from 'vitest';
import { noteOf } from './tab-note.ts';

const facts = { psa: 'Ledgerline', hasProcurement: null, isMultiCurrency: null };
const currencies = (psa: boolean, accounting: boolean) => ({ ...facts, isMultiCurrency: { psa, accounting } });

test('the Purchase Orders tab warns if Procurement is off', () => {
  expect(noteOf('purchase_orders', facts)).toEqual({
    tone: 'info',
    text: 'Procurement must be enabled in Ledgerline.',
  });
  expect(noteOf('purchase_orders', { ...facts, hasProcurement: true })?.tone).toBe('info');
  expect(noteOf('purchase_orders', { ...facts, hasProcurement: false })).toEqual({
    tone: 'warning',
    text: 'You must enable Procurement in Ledgerline to use the Purchase Orders portion of the app.',
  });
});

test('the Invoices tab names a difference in multicurrency', () => {
  expect(noteOf('invoices', currencies(true, false))?.text).toBe(
    'Multicurrency is on in Ledgerline and off in QuickBooks. All multicurrency settings are ignored on invoice sync.',
  );
  expect(noteOf('invoices', currencies(false, true))?.text).toMatch(/^Multicurrency is off in Ledgerline and on in/);
  expect(noteOf('invoices', currencies(true, true))).toBeNull();
  expect(noteOf('invoices', facts)).toBeNull();
  expect(noteOf('other', currencies(true, false))).toBeNull();
});
