import { amountAt, cents, type Exact, sum, zero } from '../amounts.ts';
import { type Doc, docAt, listAt, refAt, textAt } from '../doc.ts';
import { fault } from '../faults.ts';
import { generalLedger } from '../ledger/ledger.ts';
import { isProfitAndLoss, ledgerEntries, parentOf, partyName } from './entries.ts';
import {
  basisOf,
  dataRow,
  filterHeader,
  idsParam,
  money,
  periodOf,
  type ReportBody,
  type ReportQuery,
  section,
  text,
} from './report.ts';

const salesForms: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt']);

/**
 * CustomerSales: sales to each customer in the period, in home currency, without tax; sub-customers within their
 * customer. Lines whose items post to a liability (prepayments) are sales here, as in the service.
 */
export function customerSales(query: ReportQuery): ReportBody {
  const { company } = query;
  const basis = basisOf(query);
  const period = periodOf(query, 'this fiscal year-to-date');
  const sold = new Map<string, Exact>();
  for (const entry of ledgerEntries(query, { from: period.from, to: period.to })) {
    const isSale = entry.itemId !== undefined || isProfitAndLoss(company.find('Account', entry.accountId));
    if (!salesForms.has(entry.transaction.entity) || entry.party === undefined || !isSale) continue;
    sold.set(entry.party.id, (sold.get(entry.party.id) ?? zero).minus(entry.home));
  }
  // A parent without sales is still listed above its sub-customers.
  const listed = new Set(sold.keys());
  for (const id of sold.keys())
    for (let parent = parentOf(company.find('Customer', id)); parent !== undefined;) {
      listed.add(parent);
      parent = parentOf(company.find('Customer', parent));
    }
  const byParent = Map.groupBy([...listed], (id) => parentOf(company.find('Customer', id)));
  const name = (id: string) => textAt(company.find('Customer', id)?.body, 'DisplayName') ?? id;
  const wholeOf = (id: string): Exact =>
    sum([sold.get(id) ?? zero, ...(byParent.get(id) ?? []).map((child) => wholeOf(child))]);
  const rowsOf = (parent: string | undefined): Doc[] =>
    [...(byParent.get(parent) ?? [])]
      .sort((a, b) => (name(a) < name(b) ? -1 : 1))
      .map((id): Doc => {
        const own = sold.get(id) ?? zero;
        if (!byParent.has(id)) return dataRow([text(name(id), id), money(own)], { isTyped: false });
        return section({
          head: [text(name(id), id), own.isZero() ? text('') : money(own)],
          rows: rowsOf(id),
          summary: [text(`Total ${name(id)}`), money(wholeOf(id))],
        });
      });
  const rows = rowsOf(undefined);
  const total = sum(sold.values());
  return {
    header: { ...period.header, ...basis, ...filterHeader(query), SummarizeColumnsBy: 'Total' },
    columns: [
      { title: '', type: 'Customer' },
      { title: 'Total', type: 'Money' },
    ],
    rows: rows.length === 0 ? [] : [...rows, section({ group: 'GrandTotal', summary: [text('TOTAL'), money(total)] })],
  };
}

/** Taxed net amounts and their tax, by rate; below zero for credit memos and purchases. */
interface TaxOfRate {
  net: Exact;
  tax: Exact;
}

/**
 * TaxSummary of one agency: for each of its rates the taxed amount of the period, the tax on it, and the tax due.
 * Documented for companies outside the United States; the rows are the sandbox's own format.
 */
export function taxSummary(query: ReportQuery): ReportBody {
  const { company } = query;
  const basis = basisOf(query);
  const agencies = idsParam(query, 'agency_id');
  if (agencies === undefined) throw fault.missing('agency_id');
  const period = periodOf(query, 'this fiscal year-to-date');
  const rates = new Map<string, TaxOfRate>();
  for (const { entity, body, rate } of generalLedger(company, { from: period.from, to: period.to })) {
    const sign =
      entity === 'CreditMemo' || entity === 'RefundReceipt' || entity === 'Bill' || entity === 'Purchase' ? -1 : 1;
    for (const line of listAt(docAt(body, 'TxnTaxDetail'), 'TaxLine')) {
      const detail = docAt(line, 'TaxLineDetail');
      const id = refAt(detail, 'TaxRateRef') ?? '';
      if (!agencies.has(refAt(company.find('TaxRate', id)?.body, 'AgencyRef') ?? '')) continue;
      const home = (amount: Exact) => cents(amount.times(rate)).times(sign);
      const found = rates.get(id) ?? { net: zero, tax: zero };
      found.net = found.net.plus(home(amountAt(detail, 'NetAmountTaxable') ?? zero));
      found.tax = found.tax.plus(home(amountAt(line, 'Amount') ?? zero));
      rates.set(id, found);
    }
  }
  const rows = [...rates].map(([id, { net, tax }]) => {
    const name = textAt(company.find('TaxRate', id)?.body, 'Name') ?? id;
    return section({
      head: [text(name, id), text('')],
      rows: [dataRow([text('Taxable amount'), money(net)]), dataRow([text('Tax'), money(tax)])],
      summary: [text(`Total ${name}`), money(tax)],
      group: id,
    });
  });
  const due = section({
    group: 'GrandTotal',
    summary: [text('Tax due'), money(sum([...rates.values()].map(({ tax }) => tax)))],
  });
  return {
    header: { ...period.header, ...basis, SummarizeColumnsBy: 'Total' },
    options: [...agencies].map((id) => [
      'agency',
      textAt(company.find('TaxAgency', id)?.body, 'DisplayName') ?? partyName(company, 'Vendor', id) ?? id,
    ]),
    columns: [
      { title: '', type: 'String' },
      { title: 'Total', type: 'Money' },
    ],
    rows: rows.length === 0 ? [] : [...rows, due],
  };
}
