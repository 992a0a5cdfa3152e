/** The sample world's purchase orders and expense reports (domain reference 9.5, 10.6 and 17). */
import { picklistNumber } from './schema.ts';
import { amount, type Fields, type RecordBuilder } from './record-builder.ts';

/** Writes orders 3310 to 3312. */
export function writePurchaseOrders({ put, day, at }: RecordBuilder): void {
  const order = (id: number, vendorID: number, status: string, freight: number, more: Fields): void =>
    put('PurchaseOrders', {
      id,
      purchaseOrderNumber: `PO-${id}`,
      externalPONumber: '',
      vendorID,
      status: picklistNumber('PurchaseOrders', 'status', status),
      createDateTime: at('2025-02-28', '14:05:41.120'),
      submitDateTime: status === 'New' ? null : at('2025-02-28', '15:30:00'),
      creatorResourceID: 20,
      freight,
      internalCurrencyFreight: freight,
      generalMemo: '',
      paymentTerm: 1,
      shippingType: 1,
      shipToName: 'Northwind IT Services',
      shipToAddress1: '100 Lavaca Street',
      shipToAddress2: '',
      shipToCity: 'Austin',
      shipToState: 'TX',
      shipToPostalCode: '78701',
      latestEstimatedArrivalDate: day('2025-03-10'),
      vendorInvoiceNumber: '',
      showTaxCategory: false,
      showEachTaxInGroup: false,
      ...more,
    });
  let itemId = 33_000;
  const item = (
    orderID: number,
    productID: number | null,
    quantity: number,
    unitCost: number,
    more: Fields = {},
  ): void => {
    itemId += 1;
    put('PurchaseOrderItems', {
      id: itemId,
      orderID,
      productID,
      quantity,
      unitCost,
      internalCurrencyUnitCost: unitCost,
      inventoryLocationID: 1,
      memo: '',
      estimatedArrivalDate: day('2025-03-10'),
      ...more,
    });
  };
  order(3310, 301, 'Submitted', 36.4, {
    purchaseForCompanyID: 175,
    shipToName: 'Acme Dental',
    shipToAddress1: '410 Congress Avenue',
  });
  item(3310, 801, 4, 189.5);
  item(3310, 802, 2, 412);
  order(3311, 303, 'Submitted', 18.9, { generalMemo: 'Leave with the front desk.', externalPONumber: null });
  item(3311, 803, 3, 178);
  // A line created from a charge has no product.
  item(3311, null, 10, 4.2, { memo: 'Cables for ticket T61003', chargeID: 1, ticketID: 61003 });
  order(3312, 301, 'New', 0, {});
  item(3312, 801, 1, 189.5);
}

interface Expense {
  readonly category: number;
  readonly amount: number;
  readonly description: string;
  readonly on: string;
  readonly company?: number;
  readonly reimbursable?: boolean;
  readonly rejected?: boolean;
  readonly more?: Fields;
}

/** Writes reports 1207 to 1210. */
export function writeExpenseReports(builder: RecordBuilder): void {
  let itemId = 12_000;
  itemId = writeReport(builder, itemId, 1207, 'Client visits February', 21, 100, [
    { category: 41, amount: 186.4, description: 'Train and hotel', on: '2025-02-25', company: 175 },
    { category: 42, amount: 42.75, description: 'Dinner', on: '2025-02-25' },
    {
      category: 43,
      amount: 61.2,
      description: 'Site visits',
      on: '2025-02-26',
      more: { miles: 90, origin: 'Office', destination: 'Client sites' },
    },
    { category: 44, amount: 35, description: 'Toner for the office', on: '2025-02-27', reimbursable: false },
  ]);
  itemId = writeReport(builder, itemId, 1208, 'Office supplies', 22, 0, [
    { category: 44, amount: 58, description: 'Toner', on: '2025-02-26' },
    { category: 42, amount: 12, description: 'Lunch, private', on: '2025-02-26', rejected: true },
  ]);
  itemId = writeReport(builder, itemId, 1209, 'Conference', 22, 400, [
    { category: 41, amount: 228.35, description: 'Flight', on: '2025-02-20' },
    { category: 42, amount: 62, description: 'Meals', on: '2025-02-21' },
  ]);
  writeReport(builder, itemId, 1210, 'Card expenses', 23, 0, [
    { category: 41, amount: 88.9, description: 'Hotel', on: '2025-02-24', reimbursable: false },
    { category: 42, amount: 21.5, description: 'Breakfast', on: '2025-02-25', reimbursable: false },
  ]);
}

/** Writes one report. @returns the id of its last item. */
function writeReport(
  { put, day, at }: RecordBuilder,
  lastItemId: number,
  id: number,
  name: string,
  submitterID: number,
  advance: number,
  expenses: readonly Expense[],
): number {
  const sum = (list: readonly Expense[]): number => amount(list.reduce((total, expense) => total + expense.amount, 0));
  const due = amount(
    sum(expenses.filter((expense) => expense.reimbursable !== false && expense.rejected !== true)) - advance,
  );
  put('ExpenseReports', {
    id,
    name,
    submitterID,
    status: picklistNumber('ExpenseReports', 'status', 'Approved for Payment'),
    weekEnding: day('2025-02-28'),
    submitDate: at('2025-02-28', '17:40:00'),
    approvedDate: at('2025-03-02', '09:10:00'),
    approverID: 20,
    departmentNumber: 'SVC',
    quickBooksReferenceNumber: '',
    rejectionReason: '',
    organizationalLevelAssociationID: 1,
    internalCurrencyExpenseTotal: sum(expenses),
    internalCurrencyCashAdvanceAmount: advance,
    reimbursementCurrencyCashAdvanceAmount: advance,
    reimbursementCurrencyID: 1,
    amountDue: due,
    reimbursementCurrencyAmountDue: due,
  });
  for (const [index, expense] of expenses.entries()) {
    const isReimbursable = expense.reimbursable !== false;
    const repaid = isReimbursable && expense.rejected !== true ? expense.amount : 0;
    put('ExpenseItems', {
      id: lastItemId + 1 + index,
      expenseReportID: id,
      expenseCategory: expense.category,
      description: expense.description,
      expenseDate: day(expense.on),
      companyID: expense.company ?? 0,
      isBillableToCompany: expense.company !== undefined,
      isReimbursable,
      isRejected: expense.rejected === true,
      haveReceipt: true,
      paymentType: picklistNumber('ExpenseItems', 'paymentType', isReimbursable ? 'Cash' : 'Company Credit Card'),
      internalCurrencyExpenseAmount: expense.amount,
      internalCurrencyReimbursementAmount: repaid,
      reimbursementCurrencyReimbursementAmount: repaid,
      expenseCurrencyExpenseAmount: expense.amount,
      expenseCurrencyID: 1,
      glCode: '',
      purchaseOrderNumber: '',
      ...expense.more,
    });
  }
  return lastItemId + expenses.length;
}
