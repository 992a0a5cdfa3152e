import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import { dayText } from '../values/dates.ts';
import { minus, sum, zero } from '../values/decimal.ts';
import { createNames, type DocumentView, type ViewLine } from './plan-view.ts';
import { indexAccounting } from './reference-index.ts';

const forms: Readonly<Record<string, DocumentView['form']>> = {
  Invoice: 'invoice',
  CreditMemo: 'credit_memo',
  PurchaseOrder: 'purchase_order',
  Bill: 'bill',
};

/**
 * Returns a document as it is in QuickBooks now, with names instead of ids. Several bills of one expense report are one
 * document; each line then includes the date of its bill.
 *
 * @param documents the last one represents the document; at least one
 * @param lists null: unknown, so records without a name in the document have none
 */
export function viewOfPosted(
  documents: readonly [AccountingDocument, ...AccountingDocument[]],
  lists: AccountingLists | null,
): DocumentView {
  const last = documents.at(-1) ?? documents[0];
  const isPurchase = last.type === 'Bill' || last.type === 'PurchaseOrder';
  const lineOf = lists === null ? withoutNames : namer(lists, isPurchase);
  const lines = documents.flatMap((document) =>
    document.lines.map((line) => {
      const view = lineOf(line);
      return documents.length === 1
        ? view
        : {
            ...view,
            description: `Bill ${document.number ?? ''} of ${dayText(document.datedOn)}: ${view.description}`,
          };
    }),
  );
  const [total, tax] = [
    sum(documents.map((document) => document.total)),
    sum(documents.map((document) => document.tax)),
  ];
  const parties = lists?.[isPurchase ? 'vendors' : 'customers'] ?? [];
  return {
    form: forms[last.type] ?? 'invoice',
    party: last.party.name ?? parties.find(({ id }) => id === last.party.id)?.displayName ?? '',
    number: last.number,
    datedOn: last.datedOn,
    dueOn: last.dueOn,
    terms: null,
    currency: last.currency,
    lines,
    subtotal: minus(total, tax),
    tax: isPurchase ? zero : tax,
    isTaxKnown: true,
    total,
    newRecords: [],
  };
}

type NameLine = (line: AccountingLine) => ViewLine;

const withoutNames: NameLine = (line) => ({
  description: line.description ?? (line.isDiscount === true ? 'Discount' : ''),
  item: null,
  account: null,
  className: null,
  tax: null,
  customer: null,
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  amount: line.amount,
});

function namer(lists: AccountingLists, isPurchase: boolean): NameLine {
  const names = createNames({ commands: [] }, lists);
  const { accountNames, itemsById } = indexAccounting(lists);
  // The cached lists may not have a record that was just created; a placeholder would look like its name.
  const knownItem = (id: string | null): string | null => itemsById.get(id ?? '')?.fullyQualifiedName ?? null;
  const accountOf = ({ accountId, itemAccountId, itemId }: AccountingLine): string | null => {
    const known = accountId ?? itemAccountId ?? null;
    if (known !== null) return accountNames.get(known) ?? null;
    if (itemId === null || knownItem(itemId) === null) return null;
    return isPurchase ? names.expenseOf({ id: itemId }) : names.incomeOf({ id: itemId });
  };
  return (line) => ({
    ...withoutNames(line),
    item: knownItem(line.itemId),
    account: accountOf(line),
    className: names.className(line.classId),
    tax: isPurchase ? null : names.tax(line.taxCode),
  });
}
