import { amountAt, cents, Exact, sum, toNumber, zero } from './amounts.ts';
import { classMember, reference } from './checks.ts';
import { type Doc, docAt, isTrue, listAt, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import { lineTaxCode, type TaxableLine } from './tax.ts';
import type { Write } from './write.ts';

/** The lines of a sales form, ready to be stored, and their totals. */
export interface SalesLines {
  /** Stored lines, with the computed subtotal and the discount at the end. */
  readonly lines: Doc[];
  readonly taxable: readonly TaxableLine[];
  readonly subTotal: Exact;
  readonly discount: Exact;
}

/** Returns the id of each line: unchanged when the document has it, otherwise the next free one. */
export function lineIds(write: Write): (line: Doc) => string {
  let last = write.before?.lastLine ?? 0;
  const known = new Set(listAt(write.before?.body, 'Line').map((line) => textAt(line, 'Id')));
  const used = new Set<string>();
  return (line) => {
    const id = textAt(line, 'Id');
    if (id !== undefined && known.has(id) && !used.has(id)) {
      used.add(id);
      return id;
    }
    last += 1;
    return String(last);
  };
}

/** Checks that Amount, Qty and UnitPrice of a line agree (6070); prices are rounded first, by switch. */
export function checkedQuantity(write: Write, amount: Exact, detail: Doc): Doc {
  const decimals = write.company.behaviour.get('unit_price_decimals');
  const price = amountAt(detail, 'UnitPrice')?.toDecimalPlaces(decimals);
  const quantity = amountAt(detail, 'Qty')?.toDecimalPlaces(decimals);
  if (price !== undefined && quantity !== undefined && !cents(price.times(quantity)).equals(amount))
    throw fault.amountMismatch(amount.toString());
  const members: Doc = {};
  if (price !== undefined) members['UnitPrice'] = toNumber(price);
  if (quantity !== undefined) members['Qty'] = toNumber(quantity);
  return members;
}

function inclusiveAmount(write: Write, detail: Doc): Doc {
  return textAt(write.merged, 'GlobalTaxCalculation') === 'TaxInclusive' && detail['TaxInclusiveAmt'] !== undefined
    ? { TaxInclusiveAmt: detail['TaxInclusiveAmt'] }
    : {};
}

/** Returns item and account of a sales line. The item must be active, no category, and have an income account. */
function itemMembers(write: Write, detail: Doc): Doc {
  const { company, preferences } = write;
  const special = refAt(detail, 'ItemRef');
  if (special === 'SHIPPING_ITEM_ID' && preferences.allowsShipping) return { ItemRef: { value: special } };
  const item = reference(company, detail, 'ItemRef', 'Item');
  if (item === undefined) return {};
  const type = textAt(item.body, 'Type');
  const account = refAt(item.body, 'IncomeAccountRef');
  if (type === 'Category') throw fault.business('A category cannot be used on a transaction line.', 'ItemRef');
  if (account === undefined)
    throw fault.business(`The item ${textAt(item.body, 'Name') ?? item.id} has no income account.`, 'ItemRef');
  if (isTrue(item.body, 'TrackQtyOnHand')) {
    if (amountAt(detail, 'Qty') === undefined) throw fault.quantityNeeded();
    const start = textAt(item.body, 'InvStartDate');
    const date = textAt(write.merged, 'TxnDate') ?? company.today();
    if (start !== undefined && date < start) throw fault.beforeInventoryStart();
  }
  return { ItemRef: { value: item.id }, ItemAccountRef: { value: account } };
}

/** Returns a line with the members that a client may send: description, links, class and dates included. */
function salesItemLine(
  write: Write,
  line: Doc,
  id: string,
  number: number,
): { readonly line: Doc; readonly taxable?: TaxableLine } {
  const { company, preferences } = write;
  const given = amountAt(line, 'Amount');
  if (given === undefined) throw fault.missing('Amount');
  if (line['SalesItemLineDetail'] === undefined) throw fault.missing('SalesItemLineDetail');
  let detail = docAt(line, 'SalesItemLineDetail');
  if (refAt(detail, 'ItemRef') === undefined) {
    const { defaultItem } = preferences;
    if (company.behaviour.get('invoice_line_without_item') === 'text' || defaultItem === undefined)
      return { line: textLine(line, id, number) };
    detail = { ...detail, ItemRef: { value: defaultItem } };
  }
  const amount = cents(given);
  const items = itemMembers(write, detail);
  const taxCode = lineTaxCode(company, preferences, refAt(detail, 'TaxCodeRef'), 'sales') ?? 'NON';
  const stored: Doc = { Id: id, LineNum: number };
  if (textAt(line, 'Description') !== undefined) stored['Description'] = line['Description'];
  stored['Amount'] = toNumber(amount);
  if (listAt(line, 'LinkedTxn').length > 0) stored['LinkedTxn'] = listAt(line, 'LinkedTxn');
  stored['DetailType'] = 'SalesItemLineDetail';
  const members: Doc = {
    ItemRef: items['ItemRef'],
    ...classMember(write, detail, preferences.tracksClassPerLine),
    ...checkedQuantity(write, amount, detail),
  };
  if (items['ItemAccountRef'] !== undefined) members['ItemAccountRef'] = items['ItemAccountRef'];
  members['TaxCodeRef'] = { value: taxCode };
  if (textAt(detail, 'ServiceDate') !== undefined) members['ServiceDate'] = detail['ServiceDate'];
  Object.assign(members, inclusiveAmount(write, detail));
  stored['SalesItemLineDetail'] = members;
  stored['CustomExtensions'] = [];
  return { line: stored, taxable: { amount, taxCode } };
}

function textLine(line: Doc, id: string, number: number, amount?: Exact): Doc {
  const stored: Doc = { Id: id, LineNum: number };
  if (textAt(line, 'Description') !== undefined) stored['Description'] = line['Description'];
  if (amount !== undefined) stored['Amount'] = toNumber(amount);
  stored['DetailType'] = 'DescriptionOnly';
  stored['DescriptionLineDetail'] = docAt(line, 'DescriptionLineDetail');
  stored['CustomExtensions'] = [];
  return stored;
}

/** Returns a bundle: its items at their prices, times the quantity of the group. */
function groupLine(
  write: Write,
  line: Doc,
  id: string,
  number: number,
): { readonly line: Doc; readonly taxable: TaxableLine[] } {
  const detail = docAt(line, 'GroupLineDetail');
  const group = reference(write.company, detail, 'GroupItemRef', 'Item');
  if (group === undefined || textAt(group.body, 'Type') !== 'Group') throw fault.missing('GroupItemRef');
  const quantity = amountAt(detail, 'Quantity') ?? new Exact(1);
  const taxable: TaxableLine[] = [];
  const inner = listAt(docAt(group.body, 'ItemGroupDetail'), 'ItemGroupLine').map((component, at) => {
    const item = write.company.find('Item', refAt(component, 'ItemRef'));
    const count = (amountAt(component, 'Qty') ?? new Exact(1)).times(quantity);
    const price = amountAt(item?.body, 'UnitPrice') ?? zero;
    const amount = cents(price.times(count));
    const made = salesItemLine(
      write,
      {
        Amount: toNumber(amount),
        Description: textAt(item?.body, 'Description') ?? '',
        SalesItemLineDetail: {
          ItemRef: { value: item?.id ?? '' },
          Qty: toNumber(count),
          UnitPrice: toNumber(price),
          TaxCodeRef: { value: isTrue(item?.body, 'Taxable') ? 'TAX' : 'NON' },
        },
      },
      `${id}${String(at + 1).padStart(2, '0')}`,
      at + 1,
    );
    if (made.taxable !== undefined) taxable.push(made.taxable);
    return made.line;
  });
  const amount = sum(taxable.map((each) => each.amount));
  return {
    line: {
      Id: id,
      LineNum: number,
      Description: textAt(line, 'Description') ?? textAt(group.body, 'Description') ?? '',
      Amount: toNumber(amount),
      DetailType: 'GroupLineDetail',
      GroupLineDetail: { GroupItemRef: { value: group.id }, Quantity: toNumber(quantity), Line: inner },
      CustomExtensions: [],
    },
    taxable,
  };
}

function discountLine(write: Write, line: Doc, subTotal: Exact): { readonly line: Doc; readonly amount: Exact } {
  if (!write.preferences.allowsDiscount)
    throw fault.business('Discounts are not turned on for this company.', 'DiscountLineDetail');
  const detail = docAt(line, 'DiscountLineDetail');
  const percent = amountAt(detail, 'DiscountPercent');
  const isPercent = isTrue(detail, 'PercentBased');
  const given = amountAt(line, 'Amount');
  if (isPercent ? percent === undefined : given === undefined) throw fault.discountIncomplete();
  const amount = isPercent ? cents(subTotal.times(percent ?? zero).dividedBy(100)) : cents(given ?? zero);
  const members: Doc = { PercentBased: isPercent };
  if (isPercent && percent !== undefined) members['DiscountPercent'] = toNumber(percent);
  const account = reference(write.company, detail, 'DiscountAccountRef', 'Account');
  if (account !== undefined) members['DiscountAccountRef'] = { value: account.id };
  return { line: { Amount: toNumber(amount), DetailType: 'DiscountLineDetail', DiscountLineDetail: members }, amount };
}

/** Checks and computes the lines of a sales form (quickbooks reference 5.1). */
export function salesLines(write: Write): SalesLines {
  const sent = listAt(write.merged, 'Line');
  const idOf = lineIds(write);
  const lines: Doc[] = [];
  const taxable: TaxableLine[] = [];
  let discountSent: Doc | undefined;
  let sinceSubTotal = zero;
  for (const line of sent) {
    const type = textAt(line, 'DetailType');
    if (type === undefined) throw fault.missing('DetailType');
    if (type === 'SubTotalLineDetail') continue;
    if (type === 'DiscountLineDetail') {
      if (discountSent !== undefined) throw fault.business('A form can have one discount line.', 'DiscountLineDetail');
      discountSent = line;
      continue;
    }
    const number = lines.length + 1;
    if (type === 'SalesItemLineDetail') {
      const made = salesItemLine(write, line, idOf(line), number);
      lines.push(made.line);
      if (made.taxable === undefined) continue;
      taxable.push(made.taxable);
      sinceSubTotal = sinceSubTotal.plus(made.taxable.amount);
    } else if (type === 'GroupLineDetail') {
      const made = groupLine(write, line, idOf(line), number);
      lines.push(made.line);
      taxable.push(...made.taxable);
      sinceSubTotal = sinceSubTotal.plus(sum(made.taxable.map(({ amount }) => amount)));
    } else if (type === 'DescriptionOnly') {
      const isSubTotal = (textAt(line, 'Description') ?? '').startsWith('Subtotal:');
      lines.push(textLine(line, idOf(line), number, isSubTotal ? sinceSubTotal : undefined));
      if (isSubTotal) sinceSubTotal = zero;
    } else throw fault.business(`A line of type ${type} cannot be used on this form.`, 'DetailType');
  }
  if (lines.length === 0) throw fault.missing('Line');
  const subTotal = sum(taxable.map(({ amount }) => amount));
  lines.push({ Amount: toNumber(subTotal), DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} });
  const discount = discountSent === undefined ? undefined : discountLine(write, discountSent, subTotal);
  if (discount !== undefined) lines.push(discount.line);
  return { lines, taxable, subTotal, discount: discount?.amount ?? zero };
}
