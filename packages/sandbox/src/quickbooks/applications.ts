import { amountAt, cents, type Exact, sum, toNumber, zero } from './amounts.ts';
import { type Company, inHome } from './company.ts';
import { type Doc, listAt, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import type { Entry } from './table.ts';

/** One line of a payment that is linked to a document: the amount it takes off that document's balance. */
export interface Application {
  readonly entity: string;
  readonly entry: Entry;
  readonly amount: Exact;
  /** Credits reduce the amount that the payment must cover. */
  readonly isCredit: boolean;
  readonly line: Doc;
}

/** Documents that a payment of each kind can be applied to, and whether they are credits. */
const targets: Readonly<
  Record<string, Readonly<Record<string, { readonly entity: string; readonly isCredit: boolean }>>>
> = {
  Payment: {
    Invoice: { entity: 'Invoice', isCredit: false },
    CreditMemo: { entity: 'CreditMemo', isCredit: true },
  },
  BillPayment: {
    Bill: { entity: 'Bill', isCredit: false },
    VendorCredit: { entity: 'VendorCredit', isCredit: true },
  },
};

/**
 * The type of a payment in the links of its document; bills use BillPaymentCheck for checks and cards alike (recorded).
 */
const linkType: Readonly<Record<string, string>> = { Payment: 'Payment', BillPayment: 'BillPaymentCheck' };

/** Returns the applications of a stored payment. Skips deleted documents. */
export function storedApplications(company: Company, payment: string, body: Doc): Application[] {
  return listAt(body, 'Line').flatMap((line) => {
    const [link] = listAt(line, 'LinkedTxn');
    const target = targets[payment]?.[textAt(link, 'TxnType') ?? ''];
    const entry = target === undefined ? undefined : company.find(target.entity, textAt(link, 'TxnId'));
    if (target === undefined || entry === undefined) return [];
    return [{ ...target, entry, amount: amountAt(line, 'Amount') ?? zero, line }];
  });
}

/**
 * Checks the lines of a payment against the documents they name.
 *
 * @param party CustomerRef or VendorRef of the payment
 * @param before the payment's old body: amounts it applied count as open again
 */
export function checkedApplications(
  company: Company,
  payment: string,
  body: Doc,
  party: { readonly member: string; readonly id: string },
  before: Doc | undefined,
): Application[] {
  const old = before === undefined ? [] : storedApplications(company, payment, before);
  const cuts = company.behaviour.get('payment_over_balance') === 'cut';
  const taken = new Map<Entry, Exact>();
  return listAt(body, 'Line').map((line) => {
    const links = listAt(line, 'LinkedTxn');
    const [link] = links;
    const [type, id] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
    const target = targets[payment]?.[type];
    if (link === undefined || links.length > 1) throw fault.missing('LinkedTxn');
    if (target === undefined) throw fault.cannotLink(type, id);
    const entry = company.find(target.entity, id);
    if (entry === undefined) throw fault.deletedByOther();
    if (!belongsTo(company, entry.body, party))
      throw fault.business('The transaction that you are trying to link belongs to somebody else.', 'LinkedTxn');
    const given = amountAt(line, 'Amount');
    if (given === undefined) throw fault.missing('Amount');
    const amount = cents(given);
    if (amount.isNegative() && !amount.isZero())
      throw fault.business('An applied amount cannot be negative.', 'Amount');
    const returned = sum(old.filter((other) => other.entry === entry).map((other) => other.amount));
    const open = (amountAt(entry.body, 'Balance') ?? zero).plus(returned).minus(taken.get(entry) ?? zero);
    if (amount.greaterThan(open) && !cuts)
      throw fault.business('You cannot apply more than the open balance of a transaction.', 'Amount');
    const applied = amount.greaterThan(open) ? open : amount;
    taken.set(entry, (taken.get(entry) ?? zero).plus(applied));
    return { ...target, entry, amount: applied, line };
  });
}

/** Returns whether a document belongs to the party or, for customers, to one of its sub-customers. */
function belongsTo(
  company: Company,
  body: Doc,
  { member, id }: { readonly member: string; readonly id: string },
): boolean {
  let owner = refAt(body, member);
  for (let level = 0; owner !== undefined && level < 6; level += 1) {
    if (owner === id) return true;
    owner = refAt(company.find(member === 'CustomerRef' ? 'Customer' : 'Vendor', owner)?.body, 'ParentRef');
  }
  return false;
}

/** Returns the amount that the payment must cover: documents less credits. */
export function neededFor(applications: readonly Application[]): Exact {
  return sum(applications.map(({ amount, isCredit }) => (isCredit ? amount.negated() : amount)));
}

/** Updates the documents' balances and links from a payment's old applications to its new ones. */
export function settle(
  company: Company,
  payment: string,
  paymentId: string,
  old: readonly Application[],
  now: readonly Application[],
): void {
  const touched = new Set([...old, ...now].map(({ entry }) => entry));
  for (const entry of touched) {
    const before = sum(old.filter((other) => other.entry === entry).map(({ amount }) => amount));
    const after = sum(now.filter((other) => other.entry === entry).map(({ amount }) => amount));
    const isLinked = now.some((other) => other.entry === entry);
    const wasLinked = old.some((other) => other.entry === entry);
    if (before.equals(after) && isLinked === wasLinked) continue;
    const type = linkType[payment] ?? payment;
    const others = listAt(entry.body, 'LinkedTxn').filter(
      (link) => textAt(link, 'TxnId') !== paymentId || textAt(link, 'TxnType') !== type,
    );
    const balance = (amountAt(entry.body, 'Balance') ?? zero).plus(before).minus(after);
    const body: Doc = {
      ...entry.body,
      LinkedTxn: isLinked ? [...others, { TxnId: paymentId, TxnType: type }] : others,
      Balance: toNumber(balance),
    };
    const rate = amountAt(body, 'ExchangeRate');
    if (body['HomeBalance'] !== undefined && rate !== undefined) body['HomeBalance'] = inHome(balance, rate);
    if (body['RemainingCredit'] !== undefined) body['RemainingCredit'] = toNumber(balance);
    const entity = [...old, ...now].find((other) => other.entry === entry)?.entity;
    if (entity !== undefined) company.change(company.table(entity).kind, entry, body);
  }
}

/**
 * Removes a voided document from the payments applied to it: they remain, with that amount unapplied (quickbooks
 * reference 5.1, observed 2026).
 */
export function unlinkPayments(company: Company, voided: Entry): void {
  for (const payment of ['Payment', 'BillPayment'] as const) {
    const { kind } = company.table(payment);
    const party = payment === 'Payment' ? 'CustomerRef' : 'VendorRef';
    const owner = refAt(voided.body, party);
    if (owner === undefined) continue;
    const candidates = [...company.table(payment).find(party, owner)];
    for (const entry of candidates) {
      const applications = storedApplications(company, payment, entry.body);
      const rest = applications.filter((other) => other.entry !== voided);
      if (rest.length === applications.length) continue;
      const body: Doc = { ...entry.body, Line: rest.map(({ line }) => line) };
      if (payment === 'Payment')
        body['UnappliedAmt'] = toNumber((amountAt(body, 'TotalAmt') ?? zero).minus(neededFor(rest)));
      company.change(kind, entry, body);
    }
  }
}
