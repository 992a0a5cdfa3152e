import { BadInput, type JsonObject } from '../../kit/input.ts';
import { type Exact, sum, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, textAt } from '../doc.ts';
import { isDate } from '../times.ts';
import { generalLedger, postingEntities, type PostedTransaction } from './ledger.ts';
import type { SettledPosting } from './posting.ts';

const debit = (amount: Exact): string => (amount.isPositive() ? amount : zero).toFixed(2);
const credit = (amount: Exact): string => (amount.isNegative() ? amount.negated() : zero).toFixed(2);

function named(company: Company, entity: string, member: string, id: string | undefined): Doc | null {
  if (id === undefined) return null;
  return { id, name: textAt(company.find(entity, id)?.body, member) ?? null };
}

function entryOf(company: Company, transaction: PostedTransaction, posting: SettledPosting): Doc {
  const account = company.find('Account', posting.accountId)?.body;
  const { party } = posting;
  return {
    transaction_type: transaction.entity,
    transaction_id: transaction.id,
    number: transaction.number ?? null,
    date: transaction.date,
    line_id: posting.lineId ?? null,
    description: posting.description ?? null,
    account:
      posting.accountId === undefined
        ? null
        : {
            id: posting.accountId,
            name: textAt(account, 'FullyQualifiedName') ?? null,
            type: textAt(account, 'AccountType') ?? null,
          },
    debit: debit(posting.amount),
    credit: credit(posting.amount),
    currency: transaction.currency,
    rate: transaction.rate,
    home_debit: debit(posting.home),
    home_credit: credit(posting.home),
    class: named(company, 'Class', 'FullyQualifiedName', posting.classId),
    department: named(company, 'Department', 'FullyQualifiedName', posting.departmentId),
    entity:
      party === undefined
        ? null
        : {
            type: party.type,
            ...named(company, party.type, party.type === 'Customer' ? 'FullyQualifiedName' : 'DisplayName', party.id),
          },
    customer: named(company, 'Customer', 'FullyQualifiedName', posting.customerId),
    item: named(company, 'Item', 'Name', posting.itemId),
    agency: named(company, 'TaxAgency', 'DisplayName', posting.agencyId),
  };
}

const filters = ['transaction_type', 'transaction_id', 'from', 'to', 'account', 'realmId'];

/**
 * Returns the response to `GET /__sandbox/ledger`: the entries of the general ledger with totals of debits and credits.
 *
 * @param params `transaction_type`, `transaction_id`, `from`, `to` (dates, both included) and `account` (an id)
 * @throws BadInput for an unknown parameter
 */
export function controlLedger(company: Company, params: URLSearchParams): JsonObject {
  for (const name of params.keys())
    if (!filters.includes(name)) throw new BadInput(`ledger takes ${filters.join(', ')}; it does not take ${name}.`);
  const of = (name: string) => params.get(name) ?? undefined;
  const entity = of('transaction_type');
  if (entity !== undefined && !postingEntities.includes(entity))
    throw new BadInput(`transaction_type must be one of: ${postingEntities.join(', ')}.`);
  for (const name of ['from', 'to'] as const)
    if (!isDate(of(name) ?? '2025-01-01')) throw new BadInput(`${name} must be a date, YYYY-MM-DD.`);
  const account = of('account');
  const pairs = generalLedger(company, { entity, id: of('transaction_id'), from: of('from'), to: of('to') }).flatMap(
    (transaction) =>
      transaction.postings
        .filter(({ accountId }) => account === undefined || accountId === account)
        .map((posting) => ({ transaction, posting })),
  );
  const homes = pairs.map(({ posting }) => posting.home);
  return {
    home_currency: company.preferences.homeCurrency,
    home_debit: sum(homes.filter((home) => home.isPositive())).toFixed(2),
    home_credit: sum(homes.filter((home) => home.isNegative()))
      .negated()
      .toFixed(2),
    entries: pairs.map(({ transaction, posting }) => entryOf(company, transaction, posting)),
  };
}
