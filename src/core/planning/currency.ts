import type { Company } from '../documents/party.ts';
import type { AccountingLists, PsaReferenceData } from '../documents/reference-data.ts';
import { problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import type { PsaIndex } from './reference-index.ts';
import type { DecisionLog } from './decision-log.ts';

/** Currency in which a document is sent. */
export interface CurrencyChoice {
  /** True if both sides use several currencies, so amounts are in the customer's currency. */
  readonly isForeign: boolean;
  /** ISO code to send; null unless both sides use several currencies. */
  readonly sent: string | null;
  /** True if the document's currency is the home currency of QuickBooks. */
  readonly isHome: boolean;
  /** True if the PSA's total is in the customer's currency, and the amounts that are sent are not. */
  readonly isConverted: boolean;
  /** ISO code of the amounts. */
  readonly ofAmounts: string;
}

export interface CurrencyFacts {
  readonly company: Company | null;
  readonly psa: PsaReferenceData;
  readonly books: AccountingLists;
  readonly settings: Pick<Settings, 'foreign_currency_policy'>;
  readonly psaLabel: string;
}

/** Chooses the currency of a document (domain reference 5.11). QuickBooks applies its own exchange rate. */
export function chooseCurrency(facts: CurrencyFacts, psa: PsaIndex, log: DecisionLog): CurrencyChoice {
  const { company, psaLabel } = facts;
  const { homeCurrency: home, multiCurrency } = facts.books.preferences;
  if (psa.internalCurrency !== null && psa.internalCurrency !== home)
    log.refuse(problem('HOME_CURRENCY_MISMATCH', { psa: psaLabel, currency: psa.internalCurrency, other: home }));
  const own = psa.currencyCodes.get(company?.currencyId ?? Number.NaN);
  const currency = own ?? psa.internalCurrency ?? home;
  const isForeign = facts.psa.modules.multiCurrency && multiCurrency;
  if (isForeign) {
    if (currency !== home) log.note('info', `Currency: ${currency}, at the rate of QuickBooks`);
    return { isForeign, isHome: currency === home, isConverted: false, sent: currency, ofAmounts: currency };
  }
  // Different home currencies were refused above, so they need no second problem here.
  if (currency !== (psa.internalCurrency ?? home) && currency !== home && company !== null) {
    const of = { psa: psaLabel, company: company.name, currency, home };
    // A multi-currency company file accepts home amounts. Another check refuses customers with another currency.
    const isAccepted = multiCurrency || facts.settings.foreign_currency_policy === 'home_amounts';
    if (isAccepted) log.warn(problem('CURRENCY_IGNORED', of));
    else log.refuse(problem('CURRENCY_NOT_KEPT', of));
  }
  const isHome = currency === home;
  return { isForeign, isHome, isConverted: facts.psa.modules.multiCurrency && !isHome, sent: null, ofAmounts: home };
}
