import { amountAt, cents, zero } from '../amounts.ts';
import { type Doc, docAt, listAt, refAt, textAt } from '../doc.ts';
import {
  type Books,
  counterPosting,
  currencyOfDocument,
  descriptionOf,
  type Dimensions,
  headerDimensions,
  type PostedDocument,
  type Posting,
  taxPostings,
} from './posting.ts';

/** The sign of a form's income: invoices and sales receipts credit income, credit memos and refunds debit it. */
const incomeSign: Readonly<Record<string, 1 | -1>> = { Invoice: -1, SalesReceipt: -1, CreditMemo: 1, RefundReceipt: 1 };

/** Returns the lines that post; a bundle is replaced by its inner lines. */
function postedLines(body: Doc): Doc[] {
  return listAt(body, 'Line').flatMap((line) =>
    textAt(line, 'DetailType') === 'GroupLineDetail' ? listAt(docAt(line, 'GroupLineDetail'), 'Line') : [line],
  );
}

/**
 * Returns the postings of a sales form: each line to the income account of its item (a negative line to the other
 * side), the discount to its account, each tax rate to its agency, and the total to receivables or to the deposit
 * account. An estimate does not post.
 */
export function salesPostings({ entity, body }: PostedDocument, books: Books): Posting[] {
  const sign = incomeSign[entity];
  if (sign === undefined) return [];
  const header = headerDimensions(body);
  const customerId = refAt(body, 'CustomerRef');
  const party: Dimensions = customerId === undefined ? {} : { party: { type: 'Customer', id: customerId } };
  const lines = postedLines(body).flatMap((line): Posting[] => {
    const type = textAt(line, 'DetailType');
    const amount = cents(amountAt(line, 'Amount') ?? zero).times(sign);
    const common = { ...header, ...party, lineId: textAt(line, 'Id'), description: descriptionOf(line) };
    if (type === 'SalesItemLineDetail') {
      const detail = docAt(line, 'SalesItemLineDetail');
      return [
        {
          ...common,
          accountId: refAt(detail, 'ItemAccountRef') ?? incomeAccount(refAt(detail, 'ItemRef'), books),
          amount,
          itemId: refAt(detail, 'ItemRef'),
          classId: refAt(detail, 'ClassRef') ?? header.classId,
        },
      ];
    }
    if (type !== 'DiscountLineDetail') return [];
    const account = refAt(docAt(line, 'DiscountLineDetail'), 'DiscountAccountRef');
    return [{ ...common, accountId: account ?? books.discountsGiven(), amount: amount.negated() }];
  });
  const others = [...lines, ...taxPostings(body, books, sign).map((posting) => ({ ...posting, ...party }))];
  const { code } = currencyOfDocument(body, books);
  const isReceivable = entity === 'Invoice' || entity === 'CreditMemo';
  const accountId = isReceivable
    ? books.receivable(code)
    : (refAt(body, 'DepositToAccountRef') ?? books.undepositedFunds());
  return [counterPosting(others, { ...header, ...party, accountId }), ...others];
}

function incomeAccount(itemId: string | undefined, books: Books): string | undefined {
  return itemId === 'SHIPPING_ITEM_ID' ? books.shippingIncome() : refAt(books.find('Item', itemId), 'IncomeAccountRef');
}
