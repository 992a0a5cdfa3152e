import type { Account } from '../documents/reference-data.ts';
import { format, isPositive, isZero, minus, negate, plus, sum, zero } from '../values/decimal.ts';
import { counted } from '../values/text.ts';
import {
  employeeAdvances,
  expiredPrepayments,
  foreignCurrency,
  paymentExchange,
  unbilled,
  undepositedFunds,
} from './account-tie-outs.ts';
import type { DocumentRow } from './completeness.ts';
import { homeAmount as home } from './home-amounts.ts';
import { customerSales, revenueByAccount, revenueByClass } from './revenue-tie-outs.ts';
import { salesLinesPsa } from './sales-lines-tie-out.ts';
import { payerOf } from './signed.ts';
import { taxByAgency, taxByRegion } from './tax-tie-outs.ts';
import {
  accountsOf,
  balance,
  entryRow,
  ledgerOf,
  ofTypes,
  salesEntryTypes,
  salesTypes,
  signed,
  tieOut,
  type TieOut,
  type TieOutFacts,
  type TieOutRow,
} from './tie-out.ts';

/** Returns all tie-outs of a month, in the order of {@link tieOutNames}. `rows` are its documents, with both sides. */
export function tieOuts(facts: TieOutFacts, rows: readonly DocumentRow[]): readonly TieOut[] {
  return [
    customerSales(facts, rows),
    receivablesAgeing(facts),
    receivablesMovement(facts),
    receivablesPsa(facts),
    ...salesLinesPsa(facts, rows),
    revenueByAccount(facts),
    revenueByClass(facts),
    salesTax(facts),
    ...taxByAgency(ofTypes(facts.documents, ...salesTypes), facts.taxes),
    ...taxByRegion(rows, facts.psaLabel),
    payablesAgeing(facts),
    employeePayables(facts),
    ...(facts.advanceAccountId === null ? [] : [employeeAdvances(facts, facts.advanceAccountId)]),
    undepositedFunds(facts),
    ...prepayments(facts),
    ...expiredPrepayments(facts),
    openOrders(facts),
    ...receivedNotBilled(facts),
    ...(facts.unbilled === null ? [] : [unbilled(facts, facts.unbilled)]),
    ...foreignCurrency(facts),
  ];
}

const receivable = (facts: TieOutFacts): Account[] => accountsOf(facts, 'AccountsReceivable');

const receivablesAgeing = (facts: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'receivables_ageing',
      label: 'Accounts receivable',
      leftLabel: 'Report “A/R Aging Detail”',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows: [],
    },
    facts.reports.aged_receivables.total,
    balance(facts, receivable(facts)),
  );

function receivablesMovement(facts: TieOutFacts): TieOut {
  const { documents } = facts;
  const accounts = receivable(facts);
  const ledger = ledgerOf(facts, accounts);
  const ids = new Set(accounts.map(({ id }) => id));
  const total = (type: string) => sum(ofTypes(documents, type).map((document) => home(document, document.total)));
  const names = new Map(facts.lists.customers.map(({ id, displayName }) => [id, displayName]));
  const journal = ofTypes(documents, 'JournalEntry').flatMap((document) =>
    document.lines.flatMap(({ accountId, partyId, amount }): TieOutRow[] =>
      accountId === null || !ids.has(accountId)
        ? []
        : [
            entryRow({
              ...document,
              type: 'Journal Entry',
              partyName: names.get(partyId ?? '') ?? null,
              amount: home(document, amount),
            }),
          ],
    ),
  );
  const entries = ledger.flatMap((account) => account.entries);
  const exchange = paymentExchange(facts);
  const own = new Set(['Invoice', 'Credit Memo', 'Payment', 'Journal Entry']);
  const others = entries.filter(({ type }) => !own.has(type));
  const rows: TieOutRow[] = [
    { label: 'Balance before the month', left: sum(ledger.map(({ opening }) => opening)), right: null },
    { label: 'Invoices', left: total('Invoice'), right: null },
    { label: 'Credit memos', left: negate(total('CreditMemo')), right: null },
    { label: 'Payments', left: negate(total('Payment')), right: null },
    ...journal,
    ...(isZero(exchange) ? [] : [{ label: 'Exchange differences of payments', left: exchange, right: null }]),
    ...others.map(entryRow),
  ];
  return tieOut(
    {
      name: 'receivables_movement',
      label: 'Accounts receivable, movement',
      leftLabel: 'Opening balance and documents of the month',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows,
    },
    sum(rows.map(({ left }) => left ?? zero)),
    balance(facts, accounts),
  );
}

function receivablesPsa(facts: TieOutFacts): TieOut {
  const { psaOpen, psaLabel, reports } = facts;
  const accounting = Map.groupBy(reports.aged_receivables.documents, ({ partyName }) => payerOf(partyName));
  const psa = Map.groupBy(psaOpen, ({ customer }) => customer);
  const rows = [...new Set([...accounting.keys(), ...psa.keys()])].sort().map((label) => {
    const own = psa.get(label) ?? [];
    const without = own.filter(({ amount }) => amount === null);
    return {
      label,
      left: sum(own.map(({ amount }) => amount ?? zero)),
      right: sum((accounting.get(label) ?? []).map(({ open }) => open)),
      ...(without.length === 0
        ? {}
        : {
            note: [...Map.groupBy(without, ({ currency }) => currency)]
              .map(([code, all]) => `${code} ${format(sum(all.map((one) => one.amountInCurrency)))} without a rate`)
              .join(', '),
          }),
    };
  });
  return tieOut(
    {
      name: 'receivables_psa',
      label: `Open invoices, ${psaLabel} against QuickBooks`,
      leftLabel: `Not paid in ${psaLabel} at the end of the month`,
      rightLabel: 'Open in QuickBooks',
      mustBeZero: false,
      rows: rows.filter(({ left, right, note }) => note !== undefined || !isZero(minus(left, right))),
    },
    sum(rows.map(({ left }) => left)),
    sum(rows.map(({ right }) => right)),
  );
}

function salesTax(facts: TieOutFacts): TieOut {
  const taxed = ofTypes(facts.documents, ...salesTypes);
  const own = sum(taxed.map((document) => signed(document, home(document, document.tax))));
  const ledger = ledgerOf(facts, accountsOf(facts, 'GlobalTaxPayable', 'SalesTaxPayable', 'GlobalTaxSuspense'));
  const entries = ledger.flatMap((account) => account.entries);
  const others = entries.filter(({ type }) => !salesEntryTypes.has(type));
  return tieOut(
    {
      name: 'sales_tax',
      label: 'Sales tax',
      leftLabel: 'Tax of sales documents, and other entries',
      rightLabel: 'Activity of Sales Tax Payable',
      mustBeZero: true,
      rows: [
        { label: `Tax of ${counted(taxed.length, 'sales document')}`, left: own, right: null },
        ...others.map(entryRow),
        ...ledger.map(({ name, entries: all }) => ({
          label: name,
          left: null,
          right: sum(all.map(({ amount }) => amount)),
        })),
      ],
    },
    plus(own, sum(others.map(({ amount }) => amount))),
    sum(entries.map(({ amount }) => amount)),
  );
}

const payablesAgeing = (facts: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'payables_ageing',
      label: 'Accounts payable',
      leftLabel: 'Report “A/P Aging Detail”',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows: [],
    },
    facts.reports.aged_payables.total,
    negate(balance(facts, accountsOf(facts, 'AccountsPayable'))),
  );

/** Returns the open documents of vendors for employees: named `v-…`, or with the bill of an expense report. */
function ofEmployees({ reports, expenseBillIds }: TieOutFacts) {
  const { documents } = reports.aged_payables;
  const own = new Set(
    documents.flatMap(({ type, id, partyName }) =>
      type === 'Bill' && id !== null && expenseBillIds.has(id) ? [partyName] : [],
    ),
  );
  return documents.filter(({ partyName }) => /^v-/i.test(partyName ?? '') || own.has(partyName));
}

function employeePayables(facts: TieOutFacts): TieOut {
  const open = ofEmployees(facts);
  const rows = [...Map.groupBy(open, ({ partyName }) => partyName)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, own]) => {
      const others = own.filter(({ type, id }) => type !== 'Bill' || id === null || !facts.expenseBillIds.has(id));
      return {
        label,
        left: sum(own.flatMap((one) => (others.includes(one) ? [] : [one.open]))),
        right: sum(own.map((one) => one.open)),
        ...(others.length === 0
          ? {}
          : { note: others.map(({ type, number }) => [type, number ?? 'without a number'].join(' ')).join(', ') }),
      };
    });
  return tieOut(
    {
      name: 'employee_payables',
      label: 'Owed to employees',
      leftLabel: `Open bills of ${facts.psaLabel} expense reports`,
      rightLabel: 'Vendors of employees in “A/P Aging Detail”',
      mustBeZero: false,
      rows,
    },
    sum(rows.map(({ left }) => left)),
    sum(rows.map(({ right }) => right)),
  );
}

/** Compares the liability for blocks and retainers by contract; empty if no account is chosen. */
function prepayments(facts: TieOutFacts): TieOut[] {
  const { prepaid, psaLabel, lists } = facts;
  if (prepaid === null) return [];
  const account = lists.accounts.filter(({ id }) => id === prepaid.accountId);
  const rows: TieOutRow[] = [
    ...prepaid.contracts.map(({ label, psa, accounting }) => ({ label, left: psa, right: accounting })),
    ...prepaid.others.map((entry) => ({ ...entryRow(entry), left: null, right: entry.amount, note: 'No contract' })),
    ...(isZero(prepaid.opening) ? [] : [{ label: 'Earlier entries', left: null, right: prepaid.opening }]),
  ];
  if (rows.length === 0) return [];
  return [
    tieOut(
      {
        name: 'prepayments',
        label: 'Customer prepayments, by contract',
        leftLabel: prepaid.isVisible ? `Left in ${psaLabel} today, sold less used` : `Not shown by ${psaLabel}`,
        rightLabel: `Balance of ${account[0]?.fullyQualifiedName ?? 'the account'}, trial balance`,
        mustBeZero: false,
        rows,
      },
      sum(prepaid.contracts.map(({ psa }) => psa ?? zero)),
      negate(balance(facts, account)),
    ),
  ];
}

const openOrders = ({ openOrders: orders, psaLabel }: TieOutFacts): TieOut =>
  tieOut(
    {
      name: 'open_orders',
      label: 'Open purchase orders',
      leftLabel: `Open in ${psaLabel}, not received`,
      rightLabel: 'Open in QuickBooks, not billed',
      mustBeZero: false,
      rows: orders.map(({ label, psa, accounting }) => ({ label, left: psa, right: accounting })),
    },
    sum(orders.map(({ psa }) => psa ?? zero)),
    sum(orders.map(({ accounting }) => accounting ?? zero)),
  );

/**
 * Compares received goods that have no bill yet, which are owed although no account shows them. Empty if there are
 * none.
 */
function receivedNotBilled({ received: orders, psaLabel }: TieOutFacts): TieOut[] {
  const rows = orders
    .filter(({ received, billed }) => isPositive(minus(received, billed)))
    .map(({ label, received, billed }) => ({ label, left: received, right: billed }));
  if (rows.length === 0) return [];
  return [
    tieOut(
      {
        name: 'received_not_billed',
        label: 'Received and not billed',
        leftLabel: `Received in ${psaLabel}, at cost`,
        rightLabel: 'Billed in QuickBooks, at cost; accrue the rest by hand',
        mustBeZero: false,
        rows,
      },
      sum(rows.map(({ left }) => left)),
      sum(rows.map(({ right }) => right)),
    ),
  ];
}
