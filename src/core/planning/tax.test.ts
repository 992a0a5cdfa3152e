import { describe, expect, test } from 'vitest';
import { accounting, mapping, menus } from '#test/cases/sample-world.ts';
import type { AccountingLists, RatePeriod, TaxCode } from '../documents/reference-data.ts';
import { untaxedSource } from '../mapping/mapping.ts';
import { defaultSettings } from '../settings/definitions.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import { indexMappings } from './reference-index.ts';
import { checkTax, forecastTax, lineTaxCodes, percentOn, roundingWithin, taxRounding } from './tax.ts';

const day = calendarDate('2025-03-03');

describe('rates with dates', () => {
  const period = (from: string | null, through: string | null, percent: string): RatePeriod => ({
    from: from === null ? null : calendarDate(from),
    through: through === null ? null : calendarDate(through),
    percent: decimal(percent),
  });
  const rate = (...periods: readonly RatePeriod[]) => ({
    id: '1',
    name: 'VAT',
    agencyId: null,
    percent: decimal(20),
    ...(periods.length > 0 && { periods }),
  });
  const raised = rate(period('2010-01-01', '2011-01-03', '17.5'), period('2011-01-04', null, '20'));

  test.each([
    ['a rate without dates', rate(), '2009-12-31', '20'],
    ['the last day of a period', raised, '2011-01-03', '17.5'],
    ['the first day of the next', raised, '2011-01-04', '20'],
    [
      'a day that two periods share',
      rate(period(null, '2011-01-04', '17.5'), period('2011-01-04', null, '20')),
      '2011-01-04',
      '20',
    ],
    ['a day before the first period', raised, '2009-12-31', null],
    ['a day after the last period', rate(period(null, '2011-01-03', '17.5')), '2011-01-04', null],
    [
      'a raise that has not begun',
      rate(period(null, null, '17.5'), period('2030-01-01', null, '20')),
      '2025-03-03',
      '17.5',
    ],
  ])('%s', (_, of, on, percent) => {
    expect(percentOn(of, calendarDate(on))).toBe(percent);
  });

  test.each([
    ['2011-01-03', '17.5'],
    ['2011-01-04', '20'],
    ['2009-12-31', null],
  ])('the tax of a document of %s is %s', (on, tax) => {
    const taxCodes: readonly TaxCode[] = [
      { id: '5', name: 'VAT', isActive: true, salesRate: decimal(20), salesRates: [raised] },
    ];
    const lines = [{ amount: decimal(100), taxCode: '5' }];
    const basis = { lines, regime: 'elsewhere', documentCode: null, on: calendarDate(on) } as const;
    expect(forecastTax({ ...basis, accounting: { ...accounting, taxCodes } })).toBe(tax);
  });
});

describe('lines without tax outside the US', () => {
  const code = (id: string, name: string, rate: string, isActive = true): TaxCode => ({
    id,
    name,
    isActive,
    salesRate: decimal(rate),
  });
  const taxCodes = [
    code('2', '20.0% S', '20'),
    code('4', 'Exempt', '0'),
    code('5', 'EU reverse charge', '0'),
    code('6', '0.0% Z', '0'),
    code('7', 'Old zero', '0', false),
  ];
  const chosen = (region: string | null, mapped: Readonly<Record<string, string>> = {}) => {
    const lists: AccountingLists = { ...accounting, taxCodes };
    const mappings = indexMappings(
      Object.entries(mapped).map(([source, target]) => mapping('TaxRegion', source, target)),
    );
    const facts = { regime: 'elsewhere', regionName: region, on: day, accounting: lists, mappings } as const;
    const { untaxed, problems, warnings } = lineTaxCodes(facts, { taxable: false, untaxed: true });
    return [untaxed, ...[...problems, ...warnings].map((found) => found.code)];
  };

  test.each<readonly [string, string | null, Readonly<Record<string, string>>, readonly (string | null)[]]>([
    ['the code of the mapped region', 'European Union', { 'European Union': '5' }, ['5']],
    ['another mapped code', 'Export', { Export: '6' }, ['6']],
    ['the code with the region’s name', 'EU REVERSE charge', {}, ['5']],
    ['the code for all lines without tax', 'UK', { UK: '2', [untaxedSource]: '6' }, ['6']],
    ['the region’s code first', 'Export', { Export: '5', [untaxedSource]: '6' }, ['5']],
    ['a guess for a taxed region', 'UK', { UK: '2' }, ['4', 'TAX_CODE_GUESSED']],
    ['a guess without a region', null, {}, ['4', 'TAX_CODE_GUESSED']],
    ['no guess for an inactive mapped code', 'Export', { Export: '7' }, [null, 'TAX_CODE_REQUIRED']],
  ])('have %s', (_, region, mapped, expected) => {
    expect(chosen(region, mapped)).toEqual(expected);
  });
});

describe('rounding of tax', () => {
  const lines = (count: number, amount: string) =>
    Array.from({ length: count }, () => ({ amount: decimal(amount), taxCode: 'TAX' }));
  const basis = { regime: 'us_manual', documentCode: '5', on: day, accounting } as const;

  test.each([
    [25, '9.99', '0.11'],
    [90, '100', '0'],
    [1, '9.99', '0.01'],
  ])('%i lines of %s at 8.25 % can round by %s', (count, amount, rounding) => {
    expect(taxRounding({ ...basis, lines: lines(count, amount) }, count)).toBe(rounding);
  });

  test('is half a cent per line where only QuickBooks knows the rates', () => {
    const automated = { ...basis, regime: 'us_automated' as const };
    expect(taxRounding({ ...automated, lines: lines(25, '9.99') }, 25)).toBe('0.125');
  });

  test.each([
    [defaultSettings.tax_hold_over, '0.11'],
    [decimal('0.02'), '0.02'],
    [decimal('1'), '0.11'],
  ])('with a limit of %s, is accepted up to %s', (limit, accepted) => {
    expect(roundingWithin(decimal('0.11'), { tax_hold_over: limit })).toBe(accepted);
  });

  test('above a chosen limit, waits and says that it is rounding', () => {
    const check = (limit: string) =>
      checkTax({
        billed: decimal('20.50'),
        forecast: decimal('20.60'),
        company: { name: 'Acme Dental', isTaxExempt: false },
        customer: null,
        regime: 'us_manual',
        settings: { tax_hold_over: decimal(limit) },
        rounding: decimal('0.11'),
        psaLabel: 'Autotask',
        psaMenus: menus,
      });
    expect(check('0.05')).toEqual([]);
    expect(check('0.02')).toMatchObject([
      { code: 'TAX_WOULD_DIFFER', message: expect.stringContaining('Autotask rounds the tax of each line') as string },
    ]);
  });
});
