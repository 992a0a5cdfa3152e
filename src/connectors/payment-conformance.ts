import { beforeEach, describe, expect, test } from 'vitest';
import type { Posted } from '#core/attempt.ts';
import type { Command, NewPayment } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { addSeconds, calendarDate, instant } from '#core/values/dates.ts';
import { decimal, isZero } from '#core/values/decimal.ts';
import type { SandboxDriver } from './conformance.ts';

/** Parts for the tests about paid and voided documents; the driver is reset before each test. */
export interface PaymentsUnderTest {
  readonly driver: () => SandboxDriver;
  readonly books: () => Accounting;
  /** Posts an unpaid invoice of 1,228.75. */
  readonly postInvoice: () => Promise<Posted>;
  /** Method and path of writes that change a document. */
  readonly writes: (path: 'void' | 'payment') => { readonly method: string; readonly path: string };
  readonly deleteInvoice: (id: string) => Promise<void>;
  /** Switches for how soon the service reports a change: at once, and late. */
  readonly changesAt: () => readonly Readonly<Record<string, unknown>>[];
}

const sentAt = instant('2025-03-03T15:00:00Z');
const type = 'Invoice';

/** Tests of the accounting port's contract for documents that are paid, voided or deleted. */
export function paymentConformance(under: PaymentsUnderTest): void {
  describe('what becomes of a document', () => {
    let made: Posted;
    beforeEach(async () => {
      made = await under.postInvoice();
      await under.driver().forget();
    });
    const sales = async (...ids: string[]) => under.books().readSales(ids.map((id) => ({ type, id })));
    const payment = (more: Partial<NewPayment> = {}): Command => ({
      do: 'create_payment',
      payment: {
        customerId: '58',
        invoiceId: made.id,
        amount: decimal('1228.75'),
        paidOn: calendarDate('2025-03-05'),
        depositAccountId: null,
        reference: 'PAY-48213',
        privateNote: 'Autotask payment of invoice 48213 · 2025-03-05',
        currency: null,
        ...more,
      },
    });
    const voiding = (syncToken = made.syncToken ?? ''): Command => ({ do: 'void', type, id: made.id, syncToken });

    test('is read as it is now: open, partly paid, paid, with what was applied', async () => {
      expect(await sales(made.id)).toMatchObject([
        { type, id: made.id, total: '1228.75', balance: '1228.75', isVoided: false, applied: [] },
      ]);
      const part = await under.books().post(payment({ amount: decimal('0.75') }), [], 'request-part');
      expect(await sales(made.id)).toMatchObject([{ balance: '1228', applied: [{ type: 'Payment', id: part.id }] }]);
      await under.books().post(payment({ amount: decimal('1228'), privateNote: 'rest' }), [], 'request-rest');
      const [paid] = await sales(made.id);
      expect(paid?.applied).toHaveLength(2);
      expect(isZero(paid?.balance ?? decimal('1'))).toBe(true);
    });

    test('is read for many documents by one call, and what is gone is left out', async () => {
      const other = await under.postInvoice();
      await under.deleteInvoice(other.id);
      await under.driver().forget();
      const found = await sales(made.id, other.id, '99999999', made.id);
      expect(found.map(({ id }) => id)).toEqual([made.id]);
      expect(await under.driver().journal()).toHaveLength(1);
      expect(await sales()).toEqual([]);
      expect(await under.driver().journal()).toHaveLength(1);
    });

    test('the days of payments are told, and those that are gone are left out', async () => {
      const { id } = await under.books().post(payment(), [], 'request-paid');
      const asked = [
        { type: 'Payment', id },
        { type: 'Payment', id: '99999999' },
      ];
      expect(await under.books().readDates(asked)).toEqual([
        { type: 'Payment', id, datedOn: '2025-03-05', unapplied: '0', isCredit: false },
      ]);
    });

    test('a payment whose answer was lost is found again by its note, and not taken for another', async () => {
      const match = under.writes('payment');
      await under.driver().fault({ match, times: 1, action: { reset: 'after' } });
      await expect(under.books().post(payment(), [], 'request-lost')).rejects.toMatchObject({
        about: { outcome: 'unknown' },
      });
      expect(await under.books().find(payment(), [], sentAt)).toMatchObject({ type: 'Payment' });
      expect(await under.books().find(payment({ privateNote: 'another day' }), [], sentAt)).toBeNull();
    });

    test('whose invoice changed, was paid or removed is listed, whether changes are told at once or late', async () => {
      for (const switches of under.changesAt()) {
        await under.driver().behave(switches);
        const [paid, removed, untouched] = [
          await under.postInvoice(),
          await under.postInvoice(),
          await under.postInvoice(),
        ];
        await under.driver().advance(120);
        const [before] = await sales(untouched.id);
        const since = addSeconds(before?.changedAt ?? sentAt, 60);
        await under.books().post(payment({ invoiceId: paid.id }), [], `request-${paid.id}`);
        await under.deleteInvoice(removed.id);
        await under.driver().advance(120);
        const { touchedInvoices: touched } = await under.books().readCdc(since);
        expect(touched).toEqual(expect.arrayContaining([paid.id, removed.id]));
        expect(touched).not.toContain(untouched.id);
      }
    });

    describe('a void', () => {
      test('empties the document, which is voided from then on', async () => {
        expect(await under.books().find(voiding(), [], sentAt)).toBeNull();
        const voided = await under.books().post(voiding(), [], 'request-void');
        expect(voided).toMatchObject({ type, id: made.id, total: '0' });
        expect(await sales(made.id)).toMatchObject([{ isVoided: true, balance: '0' }]);
        expect(await under.books().find(voiding(), [], sentAt)).toMatchObject({ id: made.id });
      });

      test('of a document that was changed since it was read is refused as stale, and nothing happens', async () => {
        await under.books().post(payment({ amount: decimal('1') }), [], 'request-one');
        await expect(under.books().post(voiding(), [], 'request-void')).rejects.toMatchObject({
          about: { code: 'QBO_STALE', outcome: 'not_applied' },
        });
        expect(await sales(made.id)).toMatchObject([{ isVoided: false, balance: '1227.75' }]);
      });

      test.each([
        ['applied', { reset: 'after' }, true],
        ['not applied', { reset: 'before' }, false],
      ] as const)('whose answer was lost after it was %s is found if it was', async (_name, action, isApplied) => {
        await under.driver().fault({ match: under.writes('void'), times: 1, action });
        await expect(under.books().post(voiding(), [], 'request-void')).rejects.toMatchObject({
          about: { outcome: 'unknown' },
        });
        expect((await under.books().find(voiding(), [], sentAt)) !== null).toBe(isApplied);
      });
    });
  });
}
