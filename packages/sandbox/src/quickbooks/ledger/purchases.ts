import { amountAt, cents, zero } from '../amounts.ts';
import { type Doc, docAt, isTrue, listAt, refAt, textAt } from '../doc.ts';
import {
  type Books,
  counterPosting,
  currencyOfDocument,
  descriptionOf,
  type Dimensions,
  headerDimensions,
  type PostedDocument,
  type PostedParty,
  type Posting,
  taxPostings,
} from './posting.ts';

/** Returns the account for buying an item: the asset account for stock, otherwise its expense account. */
export function purchaseAccount(item: Doc | undefined): string | undefined {
  return textAt(item, 'Type') === 'Inventory' ? refAt(item, 'AssetAccountRef') : refAt(item, 'ExpenseAccountRef');
}

function partyOf(entity: string, body: Doc): PostedParty | undefined {
  const vendorId = refAt(body, 'VendorRef');
  if (entity !== 'Purchase') return vendorId === undefined ? undefined : { type: 'Vendor', id: vendorId };
  const payee = docAt(body, 'EntityRef');
  const id = textAt(payee, 'value');
  const type = textAt(payee, 'type');
  if (id === undefined) return undefined;
  return { type: type === 'Customer' || type === 'Employee' ? type : 'Vendor', id };
}

/**
 * Returns the postings of a bill, vendor credit or expense: each line to its account or to that of its item, tax to its
 * agency, and the total to payables or to the paying account. A purchase order does not post.
 */
export function purchasePostings({ entity, body }: PostedDocument, books: Books): Posting[] {
  const isReturn = entity === 'VendorCredit' || (entity === 'Purchase' && isTrue(body, 'Credit'));
  const sign = isReturn ? -1 : 1;
  const header = headerDimensions(body);
  const party: Dimensions = { party: partyOf(entity, body) };
  const lines = listAt(body, 'Line').flatMap((line): Posting[] => {
    const type = textAt(line, 'DetailType') ?? '';
    if (type !== 'ItemBasedExpenseLineDetail' && type !== 'AccountBasedExpenseLineDetail') return [];
    const detail = docAt(line, type);
    const itemId = refAt(detail, 'ItemRef');
    const accountId =
      refAt(detail, 'AccountRef') ?? refAt(detail, 'ItemAccountRef') ?? purchaseAccount(books.find('Item', itemId));
    return [
      {
        ...header,
        ...party,
        lineId: textAt(line, 'Id'),
        description: descriptionOf(line),
        accountId,
        amount: cents(amountAt(line, 'Amount') ?? zero).times(sign),
        itemId,
        classId: refAt(detail, 'ClassRef') ?? header.classId,
        customerId: refAt(detail, 'CustomerRef'),
      },
    ];
  });
  const others = [...lines, ...taxPostings(body, books, sign).map((posting) => ({ ...posting, ...party }))];
  const { code } = currencyOfDocument(body, books);
  const accountId =
    entity === 'Purchase' ? refAt(body, 'AccountRef') : (refAt(body, 'APAccountRef') ?? books.payable(code));
  return [counterPosting(others, { ...header, ...party, accountId }), ...others];
}
