import type { Doc } from './doc.ts';

/** One entry of a service fault; `code` is text, `element` a member name, empty or left out. */
export interface FaultError {
  readonly code: string;
  readonly message: string;
  readonly detail: string;
  readonly element?: string;
}

/** Envelope A of the QuickBooks reference section 4.1, as an exception. */
export class ServiceFault extends Error {
  readonly status: number;
  readonly errors: readonly FaultError[];
  readonly type: string;
  /** False in the one recorded case (2030) where the envelope had no time. */
  readonly hasTime: boolean;
  constructor(
    errors: readonly FaultError[],
    options: { readonly status?: number; readonly type?: string; readonly hasTime?: boolean } = {},
  ) {
    super(errors.map((error) => `${error.code} ${error.detail}`).join(' | '));
    this.errors = errors;
    this.status = options.status ?? 400;
    this.type = options.type ?? 'ValidationFault';
    this.hasTime = options.hasTime ?? true;
  }
  /** Returns the `Fault` member as JSON. */
  toJson(): Doc {
    const errors = this.errors.map((error): Doc => {
      const entry: Doc = { Message: error.message, Detail: error.detail, code: error.code };
      if (error.element !== undefined) entry['element'] = error.element;
      return entry;
    });
    return { Error: errors, type: this.type };
  }
}

/** Envelope B: a fault of the gateway in front of the service. */
export class GatewayFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string | null;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(about: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly detail: string | null;
    readonly type: string;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    super(about.message);
    this.status = about.status;
    this.code = about.code;
    this.detail = about.detail;
    this.type = about.type;
    this.headers = about.headers ?? {};
  }
  /** Returns the whole body as JSON; `atMs` becomes the numeric `time`. */
  toJson(atMs: number): Doc {
    const error: Doc = { message: this.message, detail: this.detail, code: this.code, element: null };
    return {
      warnings: null,
      intuitObject: null,
      fault: { error: [error], type: this.type },
      report: null,
      queryResponse: null,
      batchItemResponse: [],
      attachableResponse: [],
      syncErrorResponse: null,
      requestId: null,
      time: atMs,
      status: null,
      cdcresponse: [],
    };
  }
}

const one = (code: string, message: string, detail: string, element?: string) =>
  new ServiceFault([{ code, message, detail, ...(element === undefined ? {} : { element }) }]);

const inactiveText =
  "Something you're trying to use has been made inactive. Check the fields with accounts, customers, items, vendors or employees.";

/** Every deliberate fault of the service, by cause; texts and codes from the QuickBooks reference section 4. */
export const fault = {
  emptyBatch: () => one('400', 'Bad Request', 'Batch Request is Empty', ''),
  repeatedBatchId: (id: string) => one('400', 'Bad Request', `Batch Request holds the bId ${id} more than once`, ''),
  unsupportedOperation: (path: string) =>
    one(
      '500',
      'Unsupported Operation',
      `Operation Could not find resource for relative : ${path} of full path: https://c1.qbo.example/qbo1${path} is not supported.`,
    ),
  operationRefused: (operation: string) =>
    one('500', 'Unsupported Operation', `Operation ${operation} is not supported.`),
  notUtf8: () => one('500', 'Unsupported Operation', 'Operation Invalid UTF-8 in the request is not supported.'),
  inactive: () => one('610', 'Object Not Found', `Object Not Found : ${inactiveText}`, ''),
  deletedByOther: () =>
    one('610', 'Object Not Found', 'Object Not Found : Another user has deleted this transaction.', ''),
  cannotLink: (type: string, id: string) =>
    one('620', 'Txn ID Cannot Be Linked', `Transaction ${type} ${id} cannot be linked.`, ''),
  batchTooBig: (count: number, max: number) =>
    one(
      '1040',
      'Batch size exceeds allowed limit',
      `Batch size exceeds allowed limit : ${max}. Supplied items:${count}`,
    ),
  contentType: (type: string) => one('1050', 'Invalid Content Type', `Content type ${type} is not supported.`),
  unknownEntity: (name: string) =>
    one('2000', 'Invalid or unsupported object name', `Unsupported object name : ${name}`),
  badJson: (why: string) =>
    one(
      '2010',
      'Request has invalid or unsupported property',
      `Property Name:${why} specified is unsupported or invalid`,
    ),
  unknownMember: (name: string, owner: string, known: readonly string[]) => {
    const shown: string[] = [];
    let room = 950;
    for (const member of known) {
      room -= member.length + 4;
      if (room < 0) break;
      shown.push(`"${member}"`);
    }
    const list = shown.join(', ') + (shown.length < known.length ? ' [truncated]' : '');
    return one(
      '2010',
      'Request has invalid or unsupported property',
      `Property Name:Unrecognized field "${name}" (class com.intuit.schema.finance.v3.${owner}), not marked as ignorable (${known.length} known properties: ${list}])\n specified is unsupported or invalid`,
    );
  },
  missing: (name: string) =>
    one(
      '2020',
      'Required param missing, need to supply the required value for the API',
      `Required parameter ${name} is missing in the request`,
      name,
    ),
  invalidId: (value: string) =>
    new ServiceFault(
      [
        {
          code: '2030',
          message: 'Invalid ID',
          detail: `Id should be a valid number. Supplied value:${value}`,
          element: 'Id',
        },
      ],
      { hasTime: false },
    ),
  badCharacters: (name: string) =>
    one(
      '2040',
      'Invalid String',
      `Invalid String : ${name} holds a character that is not allowed (colon, tab or new line).`,
      name,
    ),
  badLength: (name: string, min: number, max: number, length: number) =>
    one(
      '2050',
      'String length is either shorter or longer than supported by specification',
      `String length specified does not match the supported length. Min:${min} Max:${max} supported. Supplied length:${length}`,
      name,
    ),
  badDate: (value: string, element: string) =>
    one('2060', 'Invalid Date Format', `Date format should be valid. Supplied value:${value}`, element),
  badNumber: (value: string, element: string) => one('2090', 'Invalid Number', `Invalid Number : ${value}`, element),
  badType: (element: string, expected: string) =>
    one('2120', 'Invalid Type', `Invalid Type : ${element} should be ${expected}`, element),
  badRequestId: (id: string, max: number) =>
    one(
      '2130',
      'Invalid Request Id Format',
      `Request id should have 1 to ${max} characters. Supplied length:${id.length}`,
    ),
  badAmount: (value: string, element: string) =>
    one(
      '2140',
      'Invalid Amount',
      `Amount should be a valid number of at most 15 digits. Supplied value:${value}`,
      element,
    ),
  badEnum: (value: string, element: string) =>
    one('2170', 'Invalid Enumeration', `Invalid Enumeration : ${value}`, element),
  badEmail: (value: string) =>
    one(
      '2210',
      'Invalid Email Address Format',
      `Email address does not conform to the RFC822 format. Supplied value:${value}`,
      'Address',
    ),
  badRange: (value: string, element: string, min: number, max: number) =>
    one('2240', 'Invalid Number Range', `Number should be between ${min} and ${max}. Supplied value:${value}`, element),
  unbalanced: (debits: string, credits: string) =>
    one('2300', 'Amount on debits not equal to credits', `Debits ${debits} and credits ${credits} must be equal.`),
  unknownReference: (subject: string, id: string, element: string) =>
    one('2500', 'Invalid Reference Id', `Invalid Reference Id : ${subject} element id ${id} not found`, element),
  inactiveReference: (element: string) =>
    one('2500', 'Invalid Reference Id', `Invalid Reference Id : ${inactiveText}`, element),
  badCustomField: (id: string) =>
    one(
      '3000',
      'Invalid Custom Field',
      `Custom field ${id} is not defined or not in use for this form.`,
      'CustomField',
    ),
  queryParse: (detail: string) => one('4000', 'Error parsing query', `QueryParserError: ${detail}`),
  queryInvalid: (detail: string) => one('4001', 'Invalid query', `QueryValidationError: ${detail}`),
  stale: (user: string) =>
    one(
      '5010',
      'Stale Object Error',
      `Stale Object Error : You and ${user} were working on this at the same time. ${user} finished before you did, so your work was not saved.`,
      '',
    ),
  feature: (detail: string) => one('5030', 'Feature Not Supported Error', `Feature Not Supported Error : ${detail}`),
  business: (text: string, element = '') =>
    one(
      '6000',
      'A business validation error has occurred while processing your request',
      `Business Validation Error: ${text}`,
      element,
    ),
  accountType: () =>
    one(
      '6010',
      'Invalid Account.AccountType && Account.SubType',
      'AccountType or AccountSubType is missing, unknown or they do not belong together.',
    ),
  attachmentTarget: (type: string) =>
    one(
      '6050',
      'The entity reference type is unsupported for Attachable',
      `Unsupported entity reference type : ${type}`,
    ),
  uploadMetadata: (detail: string) => one('6040', 'The file metadata must be of Attachable type', detail),
  amountMismatch: (amount: string) =>
    one(
      '6070',
      'Amount calculation incorrect in the request',
      `Amount is not equal to UnitPrice * Qty. Supplied value:${amount}`,
      'Line.Amount',
    ),
  noName: () =>
    one(
      '6080',
      'No Name Provided',
      'At least one of Title, GivenName, MiddleName, FamilyName, Suffix or DisplayName is needed.',
    ),
  discountIncomplete: () =>
    one('6090', 'Discount Line missing required info', 'A discount line needs a percentage or an amount.'),
  badLineTaxCode: (code: string) =>
    one(
      '6100',
      'Invalid Line TaxCode in the request',
      `Line.SalesItemLineDetail.TaxCodeRef.value should be TAX or NON. Supplied value:${code}`,
      'TaxCodeRef',
    ),
  duplicateNumber: (number: string, type: string, id: string) =>
    one(
      '6140',
      'Duplicate Document Number Error',
      `Duplicate Document Number Error : You must specify a different number. This number has already been used. DocNumber=${number} is assigned to TxnType=${type} with TxnId=${id}`,
      '',
    ),
  customSalesTax: () =>
    one('6160', 'Invalid TaxCodeRef Error', 'CustomSalesTax cannot be used on a transaction.', 'TxnTaxCodeRef'),
  taxDetailNotApplicable: () =>
    one(
      '6170',
      'Invalid TxnTaxDetail Error',
      'TxnTaxDetail cannot be given when GlobalTaxCalculation is NotApplicable.',
      'TxnTaxDetail',
    ),
  tooDeep: () => one('6180', 'Sub Level Limit', 'A list can be nested at most five levels deep.', 'ParentRef'),
  notInPlan: (what: string) =>
    one('5020', 'Permission Denied Error', `Permission Denied Error : ${what} is available in Plus and Advanced only.`),
  unreadable: () =>
    one(
      '4002',
      'An error occurred while parsing the query result',
      'Invalid Query : The result holds a value that cannot be read.',
    ),
  subscriptionEnded: () =>
    one(
      '6190',
      'Invalid Company Status',
      "Subscription period has ended or canceled or there was a billing problem : You can't add data to QuickBooks Online Plus because your trial or subscription period ended, you canceled your subscription, or there was a billing problem. To update your subscription, click the gear icon and view your account information.",
    ),
  booksClosed: () =>
    one(
      '6210',
      'Account Period Closed, Cannot Update Through Services API',
      'The account period has closed and the account books cannot be updated through through the QBO Services API. Please use the QBO website to make these changes.',
    ),
  hasBalance: () =>
    one('6220', 'Delete Entity Has Balance Error', 'The record has a balance and cannot be made inactive.'),
  duplicateName: (withReason: boolean) =>
    one(
      '6240',
      'Duplicate Name Exists Error',
      withReason
        ? 'The name supplied already exists. : Another customer, vendor or employee is already using this name. Please use a different name.'
        : 'The name supplied already exists. : null',
      ...(withReason ? [''] : []),
    ),
  beforeInventoryStart: () =>
    one(
      '6270',
      'InventoryTxn dated before ItemStartDate',
      'The transaction is dated before the start date of an inventory item.',
      'TxnDate',
    ),
  billableWithoutCustomer: () => one('6310', 'Missing Customer', 'A billable line needs a customer.', 'CustomerRef'),
  badBillable: () =>
    one('6320', 'Invalid Billable Status', 'BillableStatus can be Billable or NotBillable.', 'BillableStatus'),
  noEmail: () =>
    one('6420', 'Email address is required', 'Enter an email address to send this transaction to.', 'BillEmail'),
  accountOfWrongType: (detail: string) => one('6430', 'Invalid account type used', detail, 'AccountRef'),
  detailRequired: () =>
    one(
      '6440',
      'Transaction Detail Information Required',
      'A line with an amount or a customer needs an item or an account.',
      'Line',
    ),
  quantityNeeded: () =>
    one(
      '6520',
      'Missing Tracked Inventory Item Quantity',
      'A line with a tracked inventory item needs a quantity.',
      'Qty',
    ),
  deposited: () =>
    one(
      '6540',
      'Deposited Transaction cannot be changed',
      'This transaction has been deposited. If you want to change or delete it, you must edit the deposit it appears on and remove it first.',
    ),
};
