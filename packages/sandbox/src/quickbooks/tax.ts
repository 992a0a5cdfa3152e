import { amountAt, cents, Exact, sum, toNumber, zero } from './amounts.ts';
import type { Company } from './company.ts';
import { type Doc, docAt, listAt, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import type { Preferences } from './preferences.ts';

/** A line for the tax calculation. `taxCode` is TAX, NON or the id of a code. */
export interface TaxableLine {
  readonly amount: Exact;
  readonly taxCode: string;
}

/** The input of a document's tax calculation. */
export interface TaxQuestion {
  readonly company: Company;
  readonly preferences: Preferences;
  readonly side: 'sales' | 'purchase';
  /** Date of the document: the rates of this day apply. */
  readonly on: string;
  readonly lines: readonly TaxableLine[];
  /** The deduction from the taxable amount: the discount if tax is calculated after it, otherwise zero. */
  readonly discount: Exact;
  /** TxnTaxDetail of this request; values of an older response do not count as sent. */
  readonly sent: Doc;
  /** The header's tax code: sent, or stored before. */
  readonly code: string | undefined;
  readonly customer: Doc | undefined;
  readonly shipAddr: Doc;
  readonly billAddr: Doc;
  /** GlobalTaxCalculation, outside the United States. */
  readonly global: string | undefined;
}

/** The tax of a document: TxnTaxDetail to store, and the tax added to the total. */
export interface TaxAnswer {
  readonly detail: Doc;
  readonly totalTax: Exact;
}

interface Rate {
  readonly id: string;
  readonly percent: Exact;
}

/** Returns whether the company is in the United States, where lines use TAX or NON. */
function isAmerican(company: Company): boolean {
  return company.country === 'US';
}

/**
 * Returns the percentage of a rate on a day, from `EffectiveTaxRate`: the latest that had begun and not ended. A rate
 * with one open period has its `RateValue`.
 *
 * @returns undefined if the rate does not apply on the day
 */
function percentOn(rate: Doc | undefined, on: string): Exact | undefined {
  const day = (period: Doc, member: string) => textAt(period, member)?.slice(0, 10);
  const begun = listAt(rate, 'EffectiveTaxRate')
    .filter((period) => (day(period, 'EffectiveDate') ?? '') <= on)
    .sort((a, b) => (day(a, 'EffectiveDate') ?? '').localeCompare(day(b, 'EffectiveDate') ?? ''));
  const all = listAt(rate, 'EffectiveTaxRate').length;
  const [current] = begun.slice(-1);
  if (all === 0 || (all === 1 && current !== undefined && day(current, 'EndDate') === undefined))
    return amountAt(rate, 'RateValue');
  if (current === undefined || on > (day(current, 'EndDate') ?? on)) return undefined;
  return amountAt(current, 'RateValue');
}

function ratesOf({ company, side, on }: Pick<TaxQuestion, 'company' | 'side' | 'on'>, codeId: string): Rate[] {
  const code = company.find('TaxCode', codeId);
  const list = docAt(code?.body, side === 'sales' ? 'SalesTaxRateList' : 'PurchaseTaxRateList');
  return listAt(list, 'TaxRateDetail').flatMap((detail) => {
    const rate = company.find('TaxRate', refAt(detail, 'TaxRateRef'));
    const percent = percentOn(rate?.body, on);
    return rate === undefined || percent === undefined ? [] : [{ id: rate.id, percent }];
  });
}

function taxLine(rate: Rate, net: Exact, amount: Exact): Doc {
  return {
    Amount: toNumber(amount),
    DetailType: 'TaxLineDetail',
    TaxLineDetail: {
      TaxRateRef: { value: rate.id },
      PercentBased: true,
      TaxPercent: toNumber(rate.percent),
      NetAmountTaxable: toNumber(net),
    },
  };
}

/** Returns one tax line per rate, each rounded to cents, as recorded. */
function taxLines(rates: readonly Rate[], net: Exact): { readonly lines: Doc[]; readonly total: Exact } {
  const amounts = rates.map((rate) => cents(net.times(rate.percent).dividedBy(100)));
  return {
    lines: rates.map((rate, at) => taxLine(rate, net, amounts[at] ?? zero)),
    total: sum(amounts),
  };
}

const untaxed: TaxAnswer = { detail: { TotalTax: 0 }, totalTax: zero };

function taxableNet(question: TaxQuestion): Exact {
  const net = sum(question.lines.filter(({ taxCode }) => taxCode === 'TAX').map(({ amount }) => amount));
  if (question.discount.isZero()) return net;
  const all = sum(question.lines.map(({ amount }) => amount));
  // The discount applies to taxable and untaxed lines alike.
  return all.isZero() ? net : net.minus(cents(question.discount.times(net).dividedBy(all)));
}

/** Calculates manual sales tax: the rates of the header's code on the lines marked TAX. */
function manual(question: TaxQuestion): TaxAnswer {
  const { company, code } = question;
  if (code === undefined) return untaxed;
  if (code === 'CustomSalesTax') throw fault.customSalesTax();
  if (company.find('TaxCode', code) === undefined) throw fault.unknownReference('TaxCodes', code, 'TxnTaxCodeRef');
  if (code === 'TAX' || code === 'NON') throw fault.badLineTaxCode(code);
  if (!question.lines.some(({ taxCode }) => taxCode === 'TAX')) {
    // Without a taxable line, the response has a code only if one was sent (recorded 2026).
    const sentCode = refAt(question.sent, 'TxnTaxCodeRef');
    return {
      detail: sentCode === undefined ? { TotalTax: 0 } : { TxnTaxCodeRef: { value: sentCode }, TotalTax: 0 },
      totalTax: zero,
    };
  }
  const net = taxableNet(question);
  const { lines, total } = taxLines(ratesOf(question, code), net);
  return { detail: { TxnTaxCodeRef: { value: code }, TotalTax: toNumber(total), TaxLine: lines }, totalTax: total };
}

/** The rates of the automated engine: percentages by jurisdiction. All other states have no tax. */
export const automatedRates: Readonly<Record<string, readonly (readonly [name: string, percent: number])[]>> = {
  TX: [
    ['Texas State', 6.25],
    ['Austin and transit', 2.375],
  ],
  CA: [
    ['California State', 7.25],
    ['Alameda district', 1.25],
  ],
  NY: [
    ['New York State', 4],
    ['New York City and district', 4.875],
  ],
  WA: [
    ['Washington State', 6.5],
    ['Seattle', 3.6],
  ],
  FL: [
    ['Florida State', 6],
    ['Florida county', 1],
  ],
  IL: [
    ['Illinois State', 6.25],
    ['Chicago', 4],
  ],
  CO: [
    ['Colorado State', 2.9],
    ['Denver and district', 5.91],
  ],
  GA: [
    ['Georgia State', 4],
    ['Atlanta', 4.9],
  ],
};

/** Returns the place whose rates apply: ship-to, otherwise bill-to, otherwise (by switch) the company's own address. */
function placeOf({ company, shipAddr, billAddr }: TaxQuestion): string | undefined {
  const state = (address: Doc) => {
    const code = textAt(address, 'CountrySubDivisionCode') ?? stateInText(address);
    return code?.toUpperCase();
  };
  const own = company.behaviour.get('ast_without_address') === 'company-address';
  return state(shipAddr) ?? state(billAddr) ?? (own ? state(docAt(company.info, 'CompanyAddr')) : undefined);
}

/** Finds the state in a line of a free-form address, such as `Austin, TX  78701`. */
function stateInText(address: Doc): string | undefined {
  for (const line of ['Line5', 'Line4', 'Line3', 'Line2']) {
    const found = /,\s*([A-Z]{2})\s+\d{5}/.exec(textAt(address, line) ?? '');
    if (found?.[1] !== undefined) return found[1];
  }
  return undefined;
}

/** The engine has the percentages of today; a rate with several periods has that of the document's day. */
function automatedRatesOf({ company, on }: TaxQuestion, state: string): Rate[] {
  const names = new Map((automatedRates[state] ?? []).map(([name, percent]) => [name, new Exact(percent)]));
  const found: Rate[] = [];
  for (const entry of company.table('TaxRate').all()) {
    const known = names.get(textAt(entry.body, 'Name') ?? '');
    const percent = listAt(entry.body, 'EffectiveTaxRate').length > 1 ? percentOn(entry.body, on) : known;
    if (known !== undefined && percent !== undefined) found.push({ id: entry.id, percent });
  }
  return found;
}

/** Calculates automated sales tax: the rates depend on the place; a sent TotalTax counts only with the switch. */
function automated(question: TaxQuestion): TaxAnswer {
  const { company, customer, sent } = question;
  const isExempt = customer?.['Taxable'] === false || textAt(customer, 'TaxExemptionReasonId') !== undefined;
  const place = placeOf(question);
  const net = isExempt ? zero : taxableNet(question);
  const rates = place === undefined || net.isZero() ? [] : automatedRatesOf(question, place);
  const computed = taxLines(rates, net);
  const sentTotal = amountAt(sent, 'TotalTax');
  const code = refAt(sent, 'TxnTaxCodeRef');
  const rule = company.behaviour.get('ast_override');
  const isHonoured =
    rule === 'always' || (rule === 'with-code' && code !== undefined && company.find('TaxCode', code) !== undefined);
  if (sentTotal !== undefined && !sentTotal.equals(computed.total) && isHonoured) {
    const all = sum(rates.map(({ percent }) => percent));
    let left = cents(sentTotal);
    const lines = rates.map((rate, at) => {
      const share =
        at === rates.length - 1 || all.isZero() ? left : cents(sentTotal.times(rate.percent).dividedBy(all));
      left = left.minus(share);
      return taxLine(rate, net, share);
    });
    const detail: Doc = {
      ...(code === undefined ? {} : { TxnTaxCodeRef: { value: code } }),
      TotalTax: toNumber(cents(sentTotal)),
      TaxReviewStatus: 'AST_TAX_OVERRIDE',
    };
    if (lines.length > 0) detail['TaxLine'] = lines;
    return { detail, totalTax: cents(sentTotal) };
  }
  if (rates.length === 0) return untaxed;
  return { detail: { TotalTax: toNumber(computed.total), TaxLine: computed.lines }, totalTax: computed.total };
}

/** Calculates value added and similar taxes outside the United States: each line has a code. */
function international(question: TaxQuestion): TaxAnswer {
  const { lines, global } = question;
  if (global === 'NotApplicable') return { detail: {}, totalTax: zero };
  const netByRate = new Map<string, { readonly rate: Rate; net: Exact }>();
  for (const { amount, taxCode } of lines)
    for (const rate of ratesOf(question, taxCode)) {
      const found = netByRate.get(rate.id) ?? { rate, net: zero };
      found.net = found.net.plus(amount);
      netByRate.set(rate.id, found);
    }
  const answers = [...netByRate.values()].map(({ rate, net }) => taxLines([rate], net));
  const total = sum(answers.map((answer) => answer.total));
  return { detail: { TotalTax: toNumber(total), TaxLine: answers.flatMap((answer) => answer.lines) }, totalTax: total };
}

/** Computes a document's tax according to the company's setup (quickbooks reference section 6). */
export function taxOf(question: TaxQuestion): TaxAnswer {
  const { company, preferences } = question;
  if (!isAmerican(company)) return international(question);
  if (question.side === 'purchase') return { detail: {}, totalTax: zero };
  if (!preferences.usesSalesTax) return untaxed;
  return preferences.hasAutomatedTax ? automated(question) : manual(question);
}

/**
 * Returns the tax code of a line in the company's form: TAX and NON in the United States, a real code elsewhere.
 *
 * @throws ServiceFault 6100 for an unsuitable code, 2020 for a missing one outside the United States
 */
export function lineTaxCode(
  company: Company,
  preferences: Preferences,
  code: string | undefined,
  side: TaxQuestion['side'],
): string | undefined {
  if (isAmerican(company)) {
    if (side === 'purchase') return 'NON';
    if (code === undefined) return 'NON';
    if (code !== 'TAX' && code !== 'NON') throw fault.badLineTaxCode(code);
    return preferences.usesSalesTax ? code : 'NON';
  }
  if (code === undefined) throw fault.missing('TaxCodeRef');
  if (code === 'TAX' || code === 'NON' || company.find('TaxCode', code) === undefined)
    throw fault.unknownReference('TaxCodes', code, 'TaxCodeRef');
  return code;
}

/** Returns GlobalTaxCalculation of a document: undefined in the United States. */
export function globalTax(company: Company, merged: Doc, sentDetail: Doc): string | undefined {
  if (isAmerican(company)) return undefined;
  const global = textAt(merged, 'GlobalTaxCalculation');
  if (global === undefined) {
    if (company.behaviour.get('missing_global_tax_calculation') === 'refused')
      throw fault.missing('GlobalTaxCalculation');
    return 'TaxExcluded';
  }
  if (global === 'NotApplicable' && Object.keys(sentDetail).length > 0) throw fault.taxDetailNotApplicable();
  return global;
}
