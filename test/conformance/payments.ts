import { beforeEach, describe, expect, test } from 'vitest';
import type { Posted } from '#core/attempt.ts';
import type { Command, NewPayment } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { addSeconds, calendarDate, instant } from '#core/values/dates.ts';
import { decimal, isZero } from '#core/values/decimal.ts';
import type { SandboxDriver } from './driver.ts';
import { newPayment } from '../cases/sample-documents.ts';

/** Parts for the tests about paid and voided documents; the driver is reset before each test. */
export interface PaymentsUnderTest {
  readonly driver: () => SandboxDriver;
  readonly accounting: () => Accounting;
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
  describe('changes to a posted document', () => {
    let made: Posted;
    beforeEach(async () => {
      made = await under.postInvoice();
      await under.driver().forget();
    });
    const sales = async (...ids: string[]) => under.accounting().readSales(ids.map((id) => ({ type, id })));
    const payment = (more: Partial<NewPayment> = {}): Command => ({
      do: 'create_payment',
      payment: newPayment({
        invoiceId: made.id,
        amount: decimal('1228.75'),
        paidOn: calendarDate('2025-03-05'),
        reference: 'PAY-48213',
        privateNote: 'Autotask payment of invoice 48213 · 2025-03-05',
        ...more,
      }),
    });
    const voiding = (syncToken = made.syncToken ?? ''): Command => ({ do: 'void', type, id: made.id, syncToken });

    test('are read with balance and applied payments: open, partly paid, paid', async () => {
      expect(await sales(made.id)).toMatchObject([
        { type, id: made.id, total: '1228.75', balance: '1228.75', isVoided: false, applied: [] },
      ]);
      const part = await under.accounting().post(payment({ amount: decimal('0.75') }), [], 'request-part');
      expect(await sales(made.id)).toMatchObject([{ balance: '1228', applied: [{ type: 'Payment', id: part.id }] }]);
      await under.accounting().post(payment({ amount: decimal('1228'), privateNote: 'rest' }), [], 'request-rest');
      const [paid] = await sales(made.id);
      expect(paid?.applied).toHaveLength(2);
      expect(isZero(paid?.balance ?? decimal('1'))).toBe(true);
    });

    test('are read for many documents in one call, without deleted ones', async () => {
      const other = await under.postInvoice();
      await under.deleteInvoice(other.id);
      await under.driver().forget();
      const found = await sales(made.id, other.id, '99999999', made.id);
      expect(found.map(({ id }) => id)).toEqual([made.id]);
      expect(await under.driver().journal()).toHaveLength(1);
      expect(await sales()).toEqual([]);
      expect(await under.driver().journal()).toHaveLength(1);
    });

    test('include the dates of payments, without deleted ones', async () => {
      const { id } = await under.accounting().post(payment(), [], 'request-paid');
      const calls = [
        { type: 'Payment', id },
        { type: 'Payment', id: '99999999' },
      ];
      expect(await under.accounting().readDates(calls)).toEqual([
        { type: 'Payment', id, datedOn: '2025-03-05', unapplied: '0', isCredit: false },
      ]);
    });

    test('a payment with a lost response is found by its note only', async () => {
      const match = under.writes('payment');
      await under.driver().fault({ match, times: 1, action: { reset: 'after' } });
      await expect(under.accounting().post(payment(), [], 'request-lost')).rejects.toMatchObject({
        about: { outcome: 'unknown' },
      });
      expect(await under.accounting().find(payment(), [], sentAt)).toMatchObject({ type: 'Payment' });
      expect(await under.accounting().find(payment({ privateNote: 'another day' }), [], sentAt)).toBeNull();
    });

    test('are listed for changed, paid, and deleted documents, reported early or late', async () => {
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
        await under.accounting().post(payment({ invoiceId: paid.id }), [], `request-${paid.id}`);
        await under.deleteInvoice(removed.id);
        await under.driver().advance(120);
        const { touchedInvoices: touched } = await under.accounting().readCdc(since);
        expect(touched).toEqual(expect.arrayContaining([paid.id, removed.id]));
        expect(touched).not.toContain(untouched.id);
      }
    });

    describe('a void', () => {
      test('voids the document and clears its amounts', async () => {
        expect(await under.accounting().find(voiding(), [], sentAt)).toBeNull();
        const voided = await under.accounting().post(voiding(), [], 'request-void');
        expect(voided).toMatchObject({ type, id: made.id, total: '0' });
        expect(await sales(made.id)).toMatchObject([{ isVoided: true, balance: '0' }]);
        expect(await under.accounting().find(voiding(), [], sentAt)).toMatchObject({ id: made.id });
      });

      test('is rejected as stale if the document changed since it was read', async () => {
        await under.accounting().post(payment({ amount: decimal('1') }), [], 'request-one');
        await expect(under.accounting().post(voiding(), [], 'request-void')).rejects.toMatchObject({
          about: { code: 'QBO_STALE', outcome: 'not_applied' },
        });
        expect(await sales(made.id)).toMatchObject([{ isVoided: false, balance: '1227.75' }]);
      });

      test.each([
        ['applied', { reset: 'after' }, true],
        ['not applied', { reset: 'before' }, false],
      ] as const)('with a response lost after it was %s is found if it was', async (_name, action, isApplied) => {
        await under.driver().fault({ match: under.writes('void'), times: 1, action });
        await expect(under.accounting().post(voiding(), [], 'request-void')).rejects.toMatchObject({
          about: { outcome: 'unknown' },
        });
        expect((await under.accounting().find(voiding(), [], sentAt)) !== null).toBe(isApplied);
      });
    });
  });
}
