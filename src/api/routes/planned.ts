import type { DocumentViewReply, LedgerEntryReply, SourceReply } from '#contract/planned.ts';
import type { RunSummary } from '#core/approval-run.ts';
import type { LedgerEntry } from '#core/planning/ledger-effect.ts';
import type { DocumentView } from '#core/planning/plan-view.ts';
import type { SourceView } from '#core/planning/source-view.ts';

/** Returns planned documents in the API format. */

export const toSummary = ({ count, sums, parties, effects, newRecords }: RunSummary) => ({
  count,
  sums: sums.map(({ kind, ...sum }) => ({ type: kind, ...sum })),
  parties: parties.map(({ kind, lastMonth, ...sum }) => ({ type: kind, ...sum, last_month: lastMonth })),
  effects: effects.map(({ currency, isTaxKnown, entries }) => ({
    currency,
    tax_known: isTaxKnown,
    entries: entries.map(toEntry),
  })),
  new_records: newRecords.map(({ list, name, account, documents }) => ({ list, name, account, documents })),
});

export const toEntry = ({ account, className, taxAgency, debit, credit }: LedgerEntry): LedgerEntryReply => ({
  account,
  class: className,
  tax_agency: taxAgency,
  debit,
  credit,
});

export const toView = (view: DocumentView): DocumentViewReply => ({
  form: view.form,
  party: view.party,
  number: view.number,
  date: view.datedOn,
  due: view.dueOn,
  terms: view.terms,
  currency: view.currency,
  lines: view.lines.map((line) => ({
    description: line.description,
    item: line.item,
    account: line.account,
    class: line.className,
    tax: line.tax,
    customer: line.customer,
    quantity: line.quantity,
    unit_price: line.unitPrice,
    amount: line.amount,
  })),
  subtotal: view.subtotal,
  tax: view.tax,
  tax_known: view.isTaxKnown,
  total: view.total,
  source: view.source ? toSource(view.source) : null,
});

const toSource = ({ party, number, datedOn, dueOn, lines, tax, total }: SourceView): SourceReply => ({
  party,
  number,
  date: datedOn,
  due: dueOn,
  lines: lines.map(({ description, quantity, unitPrice, amount }) => ({
    description,
    quantity,
    unit_price: unitPrice,
    amount,
  })),
  tax,
  total,
});
