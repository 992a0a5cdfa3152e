import { z } from 'zod';
import type { OpenMoney } from '#core/documents/open-money.ts';
import { chunked } from '#core/in-parallel.ts';
import { calendarDate, type CalendarDate } from '#core/values/dates.ts';
import { isNegative, isPositive, negate, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { QuickbooksApi } from './api.ts';
import type { JsonRecord } from './errors.ts';
import { idLists, select, type Unreadable } from './query.ts';
import { readOpenReceivables } from './reports.ts';
import { idText, listOf, number, readShape, reference, text } from './wire.ts';

/** Customers in one report, so that its address stays short. */
const customersPerReport = 200;

/** Types of the report whose documents can be applied by their id. */
const types: Readonly<Record<string, 'Payment' | 'CreditMemo'>> = { Payment: 'Payment', 'Credit Memo': 'CreditMemo' };

const link = z.object({ TxnId: idText, TxnType: z.string() });
const qboMoney = z.object({
  Id: idText,
  SyncToken: z.string(),
  TxnDate: z.string().transform((value) => value.slice(0, 10)),
  DocNumber: text,
  PaymentRefNum: text,
  CustomerRef: reference,
  CurrencyRef: reference,
  UnappliedAmt: number.nullish(),
  RemainingCredit: number.nullish(),
  Balance: number.nullish(),
  LinkedTxn: listOf(link),
});

/**
 * Reads the money of customers that is not applied to any invoice. One report lists it for all of them, including
 * deposits and journal entries, which cannot be queried by customer; only then are payments and credits read.
 *
 * @param customerIds customers including their parents and sub-customers
 * @param through last day of the documents
 */
export async function readOpenMoney(
  api: QuickbooksApi,
  customerIds: readonly string[],
  through: CalendarDate,
): Promise<OpenMoney[]> {
  const found: OpenMoney[] = [];
  /** Documents of the report by type and id, with what the report shows of them. */
  const listed = { Payment: new Map<string, OpenMoney>(), CreditMemo: new Map<string, OpenMoney>() };
  for (const some of chunked([...new Set(customerIds)], customersPerReport)) {
    const { documents } = await readOpenReceivables(api, some, through);
    for (const { type, id, number: shown, partyName, datedOn, open } of documents) {
      if (!isNegative(open)) continue;
      const known = types[type];
      const shownMoney = {
        type: known ?? type,
        id: id ?? '',
        number: shown,
        datedOn,
        open: negate(open),
        currency: null,
      };
      const customer = (customerId: string | null) => ({ customer: { id: customerId, name: partyName } });
      if (known !== undefined && id !== null) listed[known].set(id, { ...shownMoney, ...customer(null) });
      else found.push({ ...shownMoney, ...customer(some.length === 1 ? (some[0] ?? null) : null) });
    }
  }
  for (const type of ['Payment', 'CreditMemo'] as const) {
    // What QuickBooks cannot return is known from the report only, and cannot be applied.
    const onUnreadable = ({ id }: Unreadable) => {
      const one = listed[type].get(id ?? '');
      if (one !== undefined) found.push(one);
    };
    for (const where of idLists([...listed[type].keys()]))
      for (const row of await select(api, type, { operation: `read ${type}`, where: [where], onUnreadable }))
        found.push(...toOpenMoney(type, row));
  }
  return found;
}

function toOpenMoney(type: 'Payment' | 'CreditMemo', row: JsonRecord): OpenMoney[] {
  const wire = readShape(`read ${type}`, qboMoney, row);
  const open = (type === 'Payment' ? wire.UnappliedAmt : (wire.RemainingCredit ?? wire.Balance)) ?? zero;
  if (!isPositive(open)) return [];
  const isDeposited = wire.LinkedTxn.some(({ TxnType }) => TxnType === 'Deposit');
  return [
    {
      type,
      id: wire.Id,
      number: wire.DocNumber ?? wire.PaymentRefNum,
      customer: { id: wire.CustomerRef?.value ?? null, name: wire.CustomerRef?.name ?? null },
      datedOn: calendarDate(wire.TxnDate),
      open,
      currency: wire.CurrencyRef?.value ?? null,
      ...(type === 'Payment' && {
        // A row parsed from JSON is JSON.
        payment: { syncToken: wire.SyncToken, isDeposited, found: row as JsonObject },
      }),
    },
  ];
}
