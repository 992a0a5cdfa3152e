import type { Company } from '../company.ts';
import { refAt, textAt } from '../doc.ts';
import type { Entry } from '../table.ts';
import type { Books } from './posting.ts';

/** Returns the first active account that passes a test, in order of creation. */
function accountWhere(company: Company, holds: (account: Entry) => boolean): Entry | undefined {
  for (const entry of company.table('Account').all()) if (entry.body['Active'] !== false && holds(entry)) return entry;
  return undefined;
}

const bySubType = (company: Company, ...subTypes: readonly string[]): Entry | undefined => {
  for (const subType of subTypes) {
    const found = accountWhere(company, ({ body }) => textAt(body, 'AccountSubType') === subType);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Returns the account of a type (receivable or payable) for a currency; each currency has a separate one. Falls back to
 * the first of its type.
 */
export function controlAccount(company: Company, type: string, currency: string): Entry | undefined {
  const ofType = ({ body }: Entry) => textAt(body, 'AccountType') === type;
  const ofCurrency = ({ body }: Entry) => (refAt(body, 'CurrencyRef') ?? company.preferences.homeCurrency) === currency;
  return accountWhere(company, (account) => ofType(account) && ofCurrency(account)) ?? accountWhere(company, ofType);
}

/** Returns the account that holds money until it is deposited. */
export function undepositedFunds(company: Company): Entry | undefined {
  return bySubType(company, 'UndepositedFunds');
}

/** Returns the look-ups that the posting rules need in one company. */
export function booksOf(company: Company): Books {
  return {
    homeCurrency: company.preferences.homeCurrency,
    find: (entity, id) => (entity === '' ? undefined : company.find(entity, id)?.body),
    receivable: (currency) => controlAccount(company, 'Accounts Receivable', currency)?.id,
    payable: (currency) => controlAccount(company, 'Accounts Payable', currency)?.id,
    undepositedFunds: () => undepositedFunds(company)?.id,
    discountsGiven: () => bySubType(company, 'DiscountsRefundsGiven')?.id,
    shippingIncome: () => bySubType(company, 'ShippingFreightDelivery', 'ServiceFeeIncome')?.id,
    taxPayable(agencyId) {
      const agency = textAt(company.find('TaxAgency', agencyId)?.body, 'DisplayName');
      const own = accountWhere(company, ({ body }) => textAt(body, 'Name') === `${agency ?? ''} Payable`);
      return (own ?? bySubType(company, 'SalesTaxPayable', 'GlobalTaxPayable'))?.id;
    },
    exchangeGainOrLoss: () => bySubType(company, 'ExchangeGainOrLoss')?.id,
  };
}
