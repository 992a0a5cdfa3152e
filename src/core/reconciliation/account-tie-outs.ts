import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import { dayText, daysBetween } from '../values/dates.ts';
import { format, isZero, minus, negate, plus, sum, zero, type Decimal } from '../values/decimal.ts';
import { counted } from '../values/text.ts';
import { homeAmount as home } from './home-amounts.ts';
import { payerOf } from './signed.ts';
import {
  accountsOf,
  balance,
  entryRow,
  ledgerOf,
  ofTypes,
  salesTypes,
  signed,
  tieOut,
  type TieOut,
  type TieOutFacts,
  type TieOutRow,
} from './tie-out.ts';

const amountsOf = (entries: readonly LedgerEntry[]): Decimal => sum(entries.map(({ amount }) => amount));

/**
 * Compares the balance of the advances account with its opening balance, plus advances granted, less deductions on
 * bills.
 */
export function employeeAdvances(facts: TieOutFacts, accountId: string): TieOut {
  const accounts = facts.lists.accounts.filter(({ id }) => id === accountId);
  const ledger = ledgerOf(facts, accounts);
  const others = ledger.flatMap(({ entries }) => entries).filter(({ type }) => type !== 'Bill');
  const deducted = sum(
    ofTypes(facts.documents, 'Bill').flatMap((document) =>
      document.lines.flatMap((line) => (line.accountId === accountId ? [home(document, line.amount)] : [])),
    ),
  );
  const rows: TieOutRow[] = [
    { label: 'Balance before the month', left: sum(ledger.map(({ opening }) => opening)), right: null },
    { label: 'Deducted on bills', left: deducted, right: null },
    ...others.map(entryRow),
  ];
  return tieOut(
    {
      name: 'employee_advances',
      label: 'Employee advances',
      leftLabel: 'Opening balance, advances granted and deducted',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows,
    },
    sum(rows.map(({ left }) => left ?? zero)),
    balance(facts, accounts),
  );
}

/** Undeposited payments that are older are listed one by one. */
const oldDepositDays = 5;

/** Compares received money that is not in the bank with its accounts. Lists each old payment, and sums of the rest. */
export function undepositedFunds(facts: TieOutFacts): TieOut {
  const accounts = accountsOf(facts, 'UndepositedFunds');
  const ids = new Set(accounts.map(({ id }) => id));
  const ledger = ledgerOf(facts, accounts);
  // QuickBooks uses undeposited funds for a payment without an account.
  const isHere = ({ depositAccountId: id = null }: AccountingDocument): boolean => id === null || ids.has(id);
  const isWaiting = (document: AccountingDocument): boolean =>
    isHere(document) && !isZero(document.total) && !document.links.some(({ type }) => type === 'Deposit');
  const age = ({ datedOn }: AccountingDocument): number => daysBetween(datedOn, facts.asOf);
  const received = (all: readonly AccountingDocument[]): Decimal =>
    sum(all.map((document) => home(document, document.total)));
  const payments = ofTypes(facts.documents, 'Payment').filter((document) => isHere(document));
  const waiting = payments.filter((payment) => isWaiting(payment));
  const earlier = ofTypes(facts.earlierPayments, 'Payment').filter((document) => isWaiting(document));
  const [recent, listed] = [
    [...earlier, ...waiting].filter((document) => age(document) <= oldDepositDays),
    [...earlier, ...waiting].filter((document) => age(document) > oldDepositDays),
  ];
  const entries = ledger.flatMap((account) => account.entries);
  const deposits = entries.filter(({ type }) => type === 'Deposit');
  const others = entries.filter(({ type }) => type !== 'Payment' && type !== 'Deposit');
  const summed = (label: string, left: Decimal): TieOutRow[] => (isZero(left) ? [] : [{ label, left, right: null }]);
  const rows: TieOutRow[] = [
    ...listed
      .sort((a, b) => age(b) - age(a))
      .map((document) => ({
        label: [document.party.name, document.number, document.datedOn].filter((part) => part !== null).join(' · '),
        left: home(document, document.total),
        right: null,
        note: `Waits for ${counted(age(document), 'day')}`,
      })),
    ...summed(`Payments of the last ${oldDepositDays} days`, received(recent)),
    ...summed('Payments that have been deposited', minus(received(payments), received(waiting))),
    ...summed(
      earlier.length === 0 ? 'Balance before the month' : 'The rest of the balance before the month',
      minus(sum(ledger.map(({ opening }) => opening)), received(earlier)),
    ),
    ...(deposits.length === 0
      ? []
      : [
          {
            label: `Deposit: ${deposits.length} ${deposits.length === 1 ? 'entry' : 'entries'}`,
            left: amountsOf(deposits),
            right: null,
          },
        ]),
    ...others.map(entryRow),
  ];
  return tieOut(
    {
      name: 'undeposited_funds',
      label: 'Undeposited funds',
      leftLabel: 'Opening balance, payments and deposits',
      rightLabel: 'Trial balance',
      mustBeZero: true,
      rows,
    },
    sum(rows.map(({ left }) => left ?? zero)),
    balance(facts, accounts),
  );
}

/** Compares approved work that is not invoiced with the account where a person accrues it. */
export const unbilled = (
  facts: TieOutFacts,
  { count, amount }: { readonly count: number; readonly amount: Decimal },
): TieOut => {
  const accounts = facts.lists.accounts.filter(({ id }) => id === facts.unbilledAccountId);
  const [account] = accounts;
  return tieOut(
    {
      name: 'unbilled',
      label: 'Approved and not invoiced',
      leftLabel: count === 1 ? '1 billing item' : `${count} billing items`,
      rightLabel: account === undefined ? 'Accrue by hand' : `Balance of ${account.fullyQualifiedName}`,
      mustBeZero: false,
      rows: [],
    },
    amount,
    balance(facts, accounts),
  );
};

/**
 * Lists prepaid money whose block, retainer or tickets have ended, with its age and the proposed entry to income. The
 * difference waits for the end of the grace period. Empty if there is none.
 */
export function expiredPrepayments({ prepaid, lists, asOf }: TieOutFacts): TieOut[] {
  if (prepaid === null || prepaid.expired.length === 0) return [];
  const nameOf = (accountId: string | null) => lists.accounts.find(({ id }) => id === accountId)?.fullyQualifiedName;
  const [liability, income] = [nameOf(prepaid.accountId) ?? 'the prepaid account', nameOf(prepaid.breakageAccountId)];
  const rows = prepaid.expired.map(({ contract, customer, endedOn, months, left, isDue }): TieOutRow => ({
    label: [contract, customer, `ended ${dayText(endedOn)}`, months === 0 ? null : `${counted(months, 'month')} ago`]
      .filter((part) => part !== null)
      .join(' · '),
    left,
    right: isDue ? left : null,
    note: !isDue
      ? 'In the grace period of Settings'
      : income === undefined
        ? 'Choose the income account of expired prepayments in Settings'
        : `Journal entry on ${dayText(asOf)}: debit ${liability}, credit ${income}${customer === null ? '' : `, customer ${customer}`}`,
  }));
  const proposed = sum(rows.map(({ right }) => right ?? zero));
  return [
    tieOut(
      {
        name: 'expired_prepayments',
        label: 'Expired blocks, retainers and tickets',
        leftLabel: `Left in ${liability}`,
        rightLabel: income === undefined ? 'Proposed as income' : `Proposed entry to ${income}; post by hand`,
        mustBeZero: false,
        rows,
      },
      sum(rows.map(({ left }) => left ?? zero)),
      proposed,
    ),
  ];
}

/**
 * Compares receivables in other currencies with the account of each currency, and exchange differences with their
 * account, all in the home currency. Empty if no document and no account uses another currency.
 */
export function foreignCurrency(facts: TieOutFacts): TieOut[] {
  const rows = [...foreignReceivables(facts), ...exchangeRows(facts)];
  if (rows.length === 0) return [];
  return [
    tieOut(
      {
        name: 'foreign_currency',
        label: 'Foreign currencies',
        leftLabel: 'Open by customer, and exchange differences',
        rightLabel: 'Trial balance and general ledger',
        mustBeZero: true,
        rows,
      },
      sum(rows.map(({ left }) => left ?? zero)),
      sum(rows.map(({ right }) => right ?? zero)),
    ),
  ];
}

function foreignReceivables(facts: TieOutFacts): TieOutRow[] {
  const isForeign = (currency: string | null | undefined): currency is string =>
    currency !== null && currency !== undefined && currency !== facts.homeCurrency;
  const invoiced = ofTypes(facts.documents, ...salesTypes).filter(({ currency }) => isForeign(currency));
  const accounts = accountsOf(facts, 'AccountsReceivable').filter(({ currency }) => isForeign(currency));
  const currencyOf = new Map(facts.lists.customers.map(({ displayName, currency }) => [displayName, currency]));
  const open = Map.groupBy(facts.reports.aged_receivables.documents, ({ partyName }) =>
    currencyOf.get(payerOf(partyName)),
  );
  const currencies = [...new Set([...invoiced, ...accounts].map(({ currency }) => currency ?? ''))].sort();
  return currencies.flatMap((code): TieOutRow[] => {
    const own = invoiced.filter(({ currency }) => currency === code);
    const left = sum((open.get(code) ?? []).map((one) => one.open));
    const right = balance(
      facts,
      accounts.filter(({ currency }) => currency === code),
    );
    if (own.length === 0 && isZero(left) && isZero(right)) return [];
    const billed = sum(own.map((document) => signed(document, document.total)));
    const rates = [...new Set(own.map(({ exchangeRate }) => exchangeRate))];
    const rate = rates.length === 1 ? `at ${rates[0]}` : `at ${rates.length} rates`;
    return [
      {
        label: `Receivables in ${code}, in ${facts.homeCurrency}`,
        left,
        right,
        ...(own.length === 0 ? {} : { note: `${code} ${format(billed)} invoiced this month, ${rate}` }),
      },
    ];
  });
}

/** A payment clears its invoice at the invoice's rate. The difference in value is an exchange gain or loss. */
function exchangeRows(facts: TieOutFacts): TieOutRow[] {
  const accounts = accountsOf(facts, 'ExchangeGainOrLoss');
  const entries = ledgerOf(facts, accounts).flatMap((account) => account.entries);
  const ofPayments = negate(paymentExchange(facts));
  if (entries.length === 0 && isZero(ofPayments)) return [];
  const [own, others] = [
    entries.filter(({ type }) => type === 'Payment'),
    entries.filter(({ type }) => type !== 'Payment'),
  ];
  return [
    { label: 'Exchange differences of payments, losses positive', left: ofPayments, right: amountsOf(own) },
    ...others.map((entry) => ({ ...entryRow(entry), right: entry.amount })),
  ];
}

/**
 * Returns how much more the month's payments were worth than the receivables that they cleared, in the home currency.
 */
export function paymentExchange(facts: TieOutFacts): Decimal {
  const foreign = new Map(
    ofTypes(facts.documents, 'Payment').flatMap((document) =>
      document.currency === null || document.currency === facts.homeCurrency
        ? []
        : [[document.id, home(document, document.total)] as const],
    ),
  );
  const entries = ledgerOf(facts, accountsOf(facts, 'AccountsReceivable')).flatMap((account) => account.entries);
  return sum(
    entries.flatMap(({ type, id, amount }) =>
      type === 'Payment' && id !== null && foreign.has(id) ? [plus(amount, foreign.get(id) ?? zero)] : [],
    ),
  );
}
