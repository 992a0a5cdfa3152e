import type { AccountingTaxes } from '../documents/accounting-report.ts';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { equals, isZero, negate, sum, zero } from '../values/decimal.ts';
import type { DocumentRow } from './completeness.ts';
import { homeAmount } from './home-amounts.ts';
import { signed, type TieOut, type TieOutRow } from './tie-out.ts';

const asTieOut = (of: Pick<TieOut, 'name' | 'label' | 'leftLabel' | 'rightLabel' | 'rows'>): TieOut => {
  const left = sum(of.rows.map((row) => row.left ?? zero));
  const right = sum(of.rows.map((row) => row.right ?? zero));
  return { ...of, left, right, difference: sum([left, negate(right)]), mustBeZero: false };
};

/**
 * Compares tax lines on documents with QuickBooks' own summary, by agency and rate. This is only a list, because
 * QuickBooks provides the summary only in some countries. Another tie-out compares the sum with the liability account.
 *
 * @param documents sales documents that are not void
 */
export function taxByAgency(documents: readonly AccountingDocument[], { rates, summaries }: AccountingTaxes): TieOut[] {
  const lines = documents.flatMap((document) =>
    (document.taxes ?? []).map(({ rateId, amount }) => ({
      rateId,
      amount: signed(document, homeAmount(document, amount)),
    })),
  );
  const own = Map.groupBy(lines, ({ rateId }) => rateId);
  const theirs = new Map(summaries.flatMap(({ rates: all }) => all.map(({ rateId, tax }) => [rateId, tax] as const)));
  const agencyIds = new Set(summaries.map(({ agencyId }) => agencyId));
  const rows = [...new Set([...own.keys(), ...theirs.keys()])].map((rateId): TieOutRow => {
    const rate = rates.find(({ id }) => id === rateId);
    const isReported = rate !== undefined && rate.agencyId !== null && agencyIds.has(rate.agencyId);
    return {
      label: [rate?.agency, rate?.name ?? 'Tax without a rate']
        .filter((part) => part !== null && part !== undefined)
        .join(' · '),
      left: sum((own.get(rateId) ?? []).map(({ amount }) => amount)),
      right: isReported ? (theirs.get(rateId) ?? zero) : null,
      ...(isReported ? {} : { note: 'QuickBooks reports no summary' }),
    };
  });
  if (rows.length === 0) return [];
  return [
    asTieOut({
      name: 'sales_tax_by_agency',
      label: 'Sales tax, by agency and rate',
      leftLabel: 'Tax on sales documents',
      rightLabel: 'Report “Tax Summary” of each agency',
      rows: rows.sort((a, b) => (a.label < b.label ? -1 : 1)),
    }),
  ];
}

/**
 * Compares the tax that the PSA billed with the tax in QuickBooks, by region. Invoices that differ are listed
 * separately.
 */
export function taxByRegion(rows: readonly DocumentRow[], psaLabel: string): TieOut[] {
  const taxed = rows.flatMap(({ kind, psa, accounting, currency, findings }) => {
    if (kind !== 'invoice' || psa === null || psa.isVoided || accounting?.isVoided === true) return [];
    // Its tax in the PSA is in another currency. Such an invoice has a second row, in the currency of QuickBooks.
    const isConverted = findings.some((finding) => finding.class === 'currency_differs');
    if (isConverted && currency === psa.currency) return [];
    const left = isConverted ? null : accounting === null ? psa.tax : homeAmount(accounting, psa.tax);
    const right = accounting === null ? null : signed(accounting, homeAmount(accounting, accounting.tax));
    const isNone = [left, right].every((amount) => amount === null || isZero(amount));
    const region = psa.taxRegion ?? '';
    return isNone ? [] : [{ region: region === '' ? 'Without a tax region' : region, psa, left, right }];
  });
  if (taxed.length === 0) return [];
  const listed = [...Map.groupBy(taxed, ({ region }) => region)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([region, own]): TieOutRow[] => {
      const same = own.filter(({ left, right }) => left !== null && right !== null && equals(left, right));
      const others = own.filter((one) => !same.includes(one));
      return [
        ...(same.length === 0
          ? []
          : [
              {
                label: `${region}: ${same.length} ${same.length === 1 ? 'invoice that agrees' : 'invoices that agree'}`,
                left: sum(same.map(({ left }) => left ?? zero)),
                right: sum(same.map(({ right }) => right ?? zero)),
              },
            ]),
        ...others.map(({ psa, left, right }) => ({
          label: [region, psa.number === '' ? String(psa.id) : psa.number, psa.party.name].join(' · '),
          left,
          right,
          ...(right === null ? { note: 'Not in QuickBooks' } : {}),
          ...(left === null ? { note: `Billed in ${psa.currency}` } : {}),
        })),
      ];
    });
  return [
    asTieOut({
      name: 'sales_tax_by_region',
      label: `Sales tax, ${psaLabel} by region`,
      leftLabel: `Billed in ${psaLabel}`,
      rightLabel: 'Charged in QuickBooks',
      rows: listed,
    }),
  ];
}
