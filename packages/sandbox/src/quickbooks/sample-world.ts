import type { Clock } from '../kit/clock.ts';
import type { QuickBooksBehaviour } from './behaviour.ts';
import { Company, currencyRef } from './company.ts';
import type { Doc } from './doc.ts';
import { kindOf } from './entities.ts';
import { accountTypes } from './rules-lists.ts';
import { save } from './save.ts';
import { automatedRates } from './tax.ts';
import { addDays, parseInstant } from './times.ts';

/** Today's date in the sample world of the domain reference (section 17). */
export const worldToday = '2025-03-03';

/** The companies of the sandbox; the first is the sample world's. */
const realms = {
  northwind: '9341452000000001',
  hillCountry: '9341452000000002',
  thames: '9341452000000003',
} as const;

/** Adds records to a company, with dates of the sample world shifted by whole days. */
class RecordBuilder {
  readonly company: Company;
  readonly #shiftDays: number;

  constructor(company: Company, shiftDays: number) {
    this.company = company;
    this.#shiftDays = shiftDays;
  }

  /** Shifts a date of the sample world to the sandbox's present. */
  day(date: string): string {
    return addDays(date, this.#shiftDays);
  }

  /** Shifts an instant of the sample world (Pacific time of day) to the sandbox's present. */
  at(date: string, time = '09:00:00'): number {
    return parseInstant(`${this.day(date)}T${time}`) ?? 0;
  }

  /** Adds a record unchanged. */
  put(entity: string, id: string, body: Doc, created = '2024-05-06'): void {
    this.company.add(kindOf(entity), id, body, { at: this.at(created) });
  }
}

const emailMessages = (company: string): Doc => {
  const group = (what: string): Doc => ({
    Subject: `${what} from ${company}`,
    Message: `Your ${what.toLowerCase()} is attached. Please let us know if anything is unclear.\n\nKind regards,\n${company}`,
  });
  return {
    InvoiceMessage: group('Invoice'),
    EstimateMessage: group('Estimate'),
    SalesReceiptMessage: group('Sales Receipt'),
    StatementMessage: group('Statement'),
  };
};

const booleanFields = (prefix: string, used: readonly number[]): Doc => ({
  CustomField: [3, 1, 2].map((n) => ({ Name: `${prefix}${n}`, Type: 'BooleanType', BooleanValue: used.includes(n) })),
});

const nameFields = (prefix: string, names: readonly string[]): Doc[] =>
  names.length === 0
    ? []
    : [
        {
          CustomField: names.map((name, at) => ({ Name: `${prefix}${at + 1}`, Type: 'StringType', StringValue: name })),
        },
      ];

interface CompanySetup {
  readonly name: string;
  readonly country: 'US' | 'GB';
  readonly currency: string;
  readonly isMultiCurrency: boolean;
  readonly hasOwnNumbers: boolean;
  readonly tax: 'manual' | 'automated' | 'international';
  readonly taxCode: string;
  readonly closedThrough?: string;
  readonly salesFields: readonly string[];
  readonly orderFields: readonly string[];
  readonly defaultItem: string;
  readonly address: Doc;
  readonly email: string;
}

const otherPreferences = (setup: CompanySetup): Readonly<Record<string, string>> => ({
  'SalesFormsPrefs.DefaultItem': setup.defaultItem,
  'VendorAndPurchasesPrefs.UseCustomTxnNumbers': 'false',
  DTXCopyMemo: 'true',
  SFCEnabled: 'true',
  DataPartner: 'false',
  Vendor1099Enabled: 'true',
  TimeTrackingFeatureEnabled: 'true',
  FDPEnabled: 'false',
  ProjectsEnabled: 'false',
  DateFormat: 'Month Date Year separated by a slash',
  WarnDuplicateCheckNumber: 'true',
  WarnDuplicateBillNumber: 'false',
  WarnDuplicateJournalNumber: 'false',
  SignoutInactiveMinutes: '60',
});

function preferencesBody(setup: CompanySetup, builder: RecordBuilder): Doc {
  const used = (names: readonly string[]) => names.map((_, at) => at + 1);
  const accounting: Doc = {
    UseAccountNumbers: false,
    TrackDepartments: false,
    ClassTrackingPerTxn: false,
    ClassTrackingPerTxnLine: true,
    FirstMonthOfFiscalYear: 'January',
    TaxYearMonth: 'January',
    TaxForm: '6',
    CustomerTerminology: 'Customers',
  };
  if (setup.closedThrough !== undefined) accounting['BookCloseDate'] = builder.day(setup.closedThrough);
  const tax: Doc = { UsingSalesTax: true };
  if (setup.tax === 'automated') tax['PartnerTaxEnabled'] = true;
  if (setup.tax === 'manual') tax['TaxGroupCodeRef'] = { value: setup.taxCode };
  const others = otherPreferences(setup);
  return {
    AccountingInfoPrefs: accounting,
    ProductAndServicesPrefs: {
      ForSales: true,
      ForPurchase: true,
      QuantityWithPriceAndRate: true,
      QuantityOnHand: true,
    },
    SalesFormsPrefs: {
      CustomField: [
        booleanFields('SalesFormsPrefs.UseSalesCustom', used(setup.salesFields)),
        ...nameFields('SalesFormsPrefs.SalesCustomName', setup.salesFields),
      ],
      CustomTxnNumbers: setup.hasOwnNumbers,
      EmailCopyToCompany: false,
      AllowDeposit: false,
      AllowDiscount: true,
      AllowEstimates: true,
      ETransactionEnabledStatus: 'NotApplicable',
      ETransactionAttachPDF: false,
      ETransactionPaymentEnabled: true,
      IPNSupportEnabled: false,
      AllowServiceDate: true,
      AllowShipping: false,
      AutoApplyCredit: false,
      AutoApplyPayments: false,
      UsingPriceLevels: false,
      UsingProgressInvoicing: false,
      DefaultCustomerMessage: 'Thank you for your business.',
    },
    EmailMessagesPrefs: emailMessages(setup.name),
    VendorAndPurchasesPrefs: {
      TrackingByCustomer: true,
      BillableExpenseTracking: true,
      POCustomField: [
        booleanFields('PurchasePrefs.UsePurchaseCustom', used(setup.orderFields)),
        ...nameFields('PurchasePrefs.PurchaseCustomName', setup.orderFields),
      ],
    },
    TimeTrackingPrefs: {
      UseServices: true,
      BillCustomers: true,
      ShowBillRateToAll: false,
      WorkWeekStartDate: 'Monday',
      MarkTimeEntriesBillable: true,
    },
    TaxPrefs: tax,
    CurrencyPrefs: { MultiCurrencyEnabled: setup.isMultiCurrency, HomeCurrency: { value: setup.currency } },
    ReportPrefs: { ReportBasis: 'Accrual', CalcAgingReportFromTxnDate: false },
    OtherPrefs: { NameValue: Object.entries(others).map(([Name, Value]) => ({ Name, Value })) },
  };
}

function companyInfoBody(setup: CompanySetup): Doc {
  const values: Readonly<Record<string, string>> = {
    IndustryType: 'Computer Systems Design and Related Services',
    SubscriptionStatus: 'PAID',
    OfferingSku: 'QuickBooks Online Plus',
    PayrollFeature: 'false',
    AccountantFeature: 'false',
    ItemCategoriesFeature: 'true',
    AssignedTime: '01/08/2019 08:12:00',
  };
  return {
    CompanyName: setup.name,
    LegalName: setup.name,
    CompanyAddr: { Id: '1', ...setup.address },
    CustomerCommunicationAddr: { Id: '1', ...setup.address },
    LegalAddr: { Id: '1', ...setup.address },
    CustomerCommunicationEmailAddr: { Address: setup.email },
    PrimaryPhone: { FreeFormNumber: '(512) 555-0100' },
    CompanyStartDate: '2019-01-08',
    FiscalYearStartMonth: 'January',
    Country: setup.country,
    Email: { Address: setup.email },
    WebAddr: { URI: 'https://northwind-msp.example' },
    SupportedLanguages: 'en',
    NameValue: Object.entries(values).map(([Name, Value]) => ({ Name, Value })),
  };
}

/** Tax codes of a company with automated sales tax, by state. */
const automatedCodes: Readonly<Record<string, string>> = { TX: '2', CA: '3' };

function taxes(builder: RecordBuilder, setup: CompanySetup): void {
  const pseudo = (id: string, isTaxable: boolean, isGroup: boolean) =>
    builder.put('TaxCode', id, { Name: id, Description: id, Taxable: isTaxable, TaxGroup: isGroup });
  const agency = (id: string, name: string) =>
    builder.put('TaxAgency', id, {
      DisplayName: name,
      TaxTrackedOnPurchases: setup.country !== 'US',
      TaxTrackedOnSales: true,
    });
  const rate = (id: string, name: string, percent: number, agencyId: string) =>
    builder.put('TaxRate', id, {
      Name: name,
      Description: name,
      Active: true,
      RateValue: percent,
      AgencyRef: { value: agencyId },
      SpecialTaxType: 'NONE',
      EffectiveTaxRate: [{ RateValue: percent, EffectiveDate: '2010-01-01T00:00:00-08:00' }],
      DisplayType: 'ReadOnly',
    });
  const list = (...rateIds: string[]): Doc => ({
    TaxRateDetail: rateIds.map((value, at) => ({
      TaxRateRef: { value },
      TaxTypeApplicable: 'TaxOnAmount',
      TaxOrder: at,
    })),
  });
  const code = (id: string, name: string, rateIds: readonly string[], isPurchase: boolean) =>
    builder.put('TaxCode', id, {
      Name: name,
      Description: name,
      Active: true,
      Taxable: true,
      Hidden: false,
      TaxGroup: true,
      SalesTaxRateList: list(...rateIds),
      PurchaseTaxRateList: isPurchase ? list(...rateIds) : list(),
      TaxCodeConfigType: 'USER_DEFINED',
    });
  if (setup.country === 'US') {
    pseudo('TAX', true, false);
    pseudo('NON', false, false);
    pseudo('CustomSalesTax', true, true);
    agency('1', 'Texas Comptroller of Public Accounts');
    if (setup.tax === 'manual') {
      rate('9', 'Travis County', 8.25, '1');
      code('5', 'Travis County', ['9'], false);
      rate('10', 'California base', 7.25, '1');
      rate('11', 'Oakland district', 3, '1');
      code('6', 'Alameda County', ['10', '11'], false);
    }
    let id = 100;
    // The jurisdictions of automated tax exist in every company, so that it can be switched on.
    for (const [state, jurisdictions] of Object.entries(automatedRates)) {
      agency(String((id += 1)), `Department of Revenue ${state}`);
      const agencyId = String(id);
      const rateIds = jurisdictions.map(([name, percent]) => {
        rate(String((id += 1)), name, percent, agencyId);
        return String(id);
      });
      // A company with automated sales tax has a code for each state in which it collects tax; an override refers to
      // one.
      const codeId = automatedCodes[state];
      if (setup.tax === 'automated' && codeId !== undefined)
        code(codeId, `Automated sales tax ${state}`, rateIds, false);
    }
  } else {
    agency('1', 'HMRC');
    rate('9', 'Standard', 20, '1');
    rate('10', 'Reduced', 5, '1');
    rate('11', 'Zero', 0, '1');
    code('2', '20.0% S', ['9'], true);
    code('3', '5.0% R', ['10'], true);
    code('4', '0.0% Z', ['11'], true);
  }
  builder.company.setCounter('list', '200');
}

/** Accounts: id, name, type, subtype. */
const accounts: readonly (readonly [string, string, string, string])[] = [
  ['1', 'Service Income', 'Income', 'ServiceFeeIncome'],
  ['2', 'Hardware Income', 'Income', 'SalesOfProductIncome'],
  ['3', 'Project Income', 'Income', 'ServiceFeeIncome'],
  ['11', 'Billable Travel', 'Expense', 'Travel'],
  ['12', 'Meals', 'Expense', 'TravelMeals'],
  ['13', 'Auto', 'Expense', 'Auto'],
  ['14', 'Cost of Goods – Hardware', 'Cost of Goods Sold', 'SuppliesMaterialsCogs'],
  ['20', 'Accounts Payable', 'Accounts Payable', 'AccountsPayable'],
  ['25', 'Employee Advances', 'Other Current Asset', 'EmployeeCashAdvances'],
  ['26', 'Undeposited Funds', 'Other Current Asset', 'UndepositedFunds'],
  ['27', 'Sales Tax Payable', 'Other Current Liability', 'SalesTaxPayable'],
  ['30', 'Accounts Receivable', 'Accounts Receivable', 'AccountsReceivable'],
  ['35', 'Checking', 'Bank', 'Checking'],
  ['41', 'Company Card', 'Credit Card', 'CreditCard'],
  ['81', 'Inventory Asset', 'Other Current Asset', 'Inventory'],
  ['86', 'Discounts given', 'Income', 'DiscountsRefundsGiven'],
  ['87', 'Exchange Gain or Loss', 'Other Expense', 'ExchangeGainOrLoss'],
  ['88', 'Customer Prepayments', 'Other Current Liability', 'DeferredRevenue'],
  ['89', 'Retained Earnings', 'Equity', 'RetainedEarnings'],
  ['90', 'Freight In', 'Cost of Goods Sold', 'ShippingFreightDeliveryCos'],
];

function referenceData(builder: RecordBuilder, setup: CompanySetup): void {
  const { company } = builder;
  builder.put('CompanyInfo', '1', companyInfoBody(setup), '2019-01-08');
  builder.put('Preferences', '1', preferencesBody(setup, builder), '2019-01-08');
  taxes(builder, setup);
  for (const [id, name, type, subType] of accounts)
    builder.put('Account', id, {
      Name: name,
      SubAccount: false,
      FullyQualifiedName: name,
      Active: true,
      Classification: accountTypes[type]?.classification,
      AccountType: type,
      AccountSubType: subType,
      CurrencyRef: currencyRef(setup.currency),
    });
  company.setCounter('account', '1150040000');
  for (const [id, name, days] of [
    ['1', 'Due on receipt', 0],
    ['3', 'Net 30', 30],
  ] as const)
    builder.put('Term', id, {
      Name: name,
      Active: true,
      Type: 'STANDARD',
      DueDays: days,
      DiscountDays: 0,
      DiscountPercent: 0,
    });
  builder.put('Term', '7', {
    Name: 'EOM 15',
    Active: true,
    Type: 'DATE_DRIVEN',
    DayOfMonthDue: 15,
    DueNextMonthDays: 30,
    DiscountDayOfMonth: 0,
    DiscountPercent: 0,
  });
  for (const [id, name, type] of [
    ['1', 'Cash', 'NON_CREDIT_CARD'],
    ['2', 'Check', 'NON_CREDIT_CARD'],
    ['3', 'Visa', 'CREDIT_CARD'],
  ] as const)
    builder.put('PaymentMethod', id, { Name: name, Active: true, Type: type });
  for (const [id, name] of [
    ['200', 'Managed Services'],
    ['201', 'Hardware'],
    ['202', 'SVC'],
  ] as const)
    builder.put('Class', id, { Name: name, SubClass: false, FullyQualifiedName: name, Active: true });
  for (const [id, name] of [
    ['210', 'Austin office'],
    ['211', 'Houston office'],
    ['212', 'Service'],
  ] as const)
    builder.put('Department', id, { Name: name, SubDepartment: false, FullyQualifiedName: name, Active: true });
  company.setCounter('class', '5000000000000085681');
  company.setCounter('attachable', '5000000000000503623');
  company.setCounter('address', '400');
  if (setup.isMultiCurrency) exchangeRates(builder, setup);
}

function exchangeRates(builder: RecordBuilder, setup: CompanySetup): void {
  const rates: readonly (readonly [string, number])[] =
    setup.currency === 'USD'
      ? [
          ['CAD', 0.7402],
          ['EUR', 1.0484],
          ['GBP', 1.2698],
        ]
      : [
          ['USD', 0.7875],
          ['EUR', 0.8256],
        ];
  let id = 1;
  for (const [code, value] of rates) {
    for (const date of ['2024-01-01', worldToday]) {
      const on = builder.day(date);
      builder.put(
        'ExchangeRate',
        `${code} ${on}`,
        { SourceCurrencyCode: code, TargetCurrencyCode: setup.currency, Rate: value, AsOfDate: on },
        date,
      );
    }
    builder.put('CompanyCurrency', String((id += 1)), {
      Code: code,
      Name: currencyRef(code)['name'] ?? code,
      Active: true,
    });
  }
}

interface Party {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly currency?: string;
  readonly isTaxable?: boolean;
  readonly isActive?: boolean;
  readonly address?: Doc;
  readonly more?: Doc;
}

function customer(builder: RecordBuilder, party: Party, setup: CompanySetup): void {
  const isTaxable = party.isTaxable !== false;
  const body: Doc = { Taxable: isTaxable };
  if (party.address !== undefined)
    Object.assign(body, {
      BillAddr: { Id: String(300 + Number(party.id)), ...party.address },
      ShipAddr: { Id: String(300 + Number(party.id)), ...party.address },
    });
  Object.assign(body, {
    Job: false,
    BillWithParent: false,
    CurrencyRef: currencyRef(party.currency ?? setup.currency),
    PreferredDeliveryMethod: 'Print',
    IsProject: false,
    FullyQualifiedName: party.name,
    CompanyName: party.name,
    DisplayName: party.name,
    PrintOnCheckName: party.name,
    Active: party.isActive !== false,
    ...party.more,
  });
  if (party.email !== undefined) body['PrimaryEmailAddr'] = { Address: party.email };
  if (isTaxable && setup.tax === 'manual') body['DefaultTaxCodeRef'] = { value: setup.taxCode };
  builder.put('Customer', party.id, body);
}

function vendor(builder: RecordBuilder, party: Party, setup: CompanySetup): void {
  const body: Doc = {
    Vendor1099: false,
    BillRate: 0,
    CostRate: 0,
    CurrencyRef: currencyRef(party.currency ?? setup.currency),
  };
  if (party.address !== undefined) body['BillAddr'] = { Id: String(300 + Number(party.id)), ...party.address };
  Object.assign(body, { DisplayName: party.name, PrintOnCheckName: party.name, Active: true, ...party.more });
  if (party.email !== undefined) body['PrimaryEmailAddr'] = { Address: party.email };
  builder.put('Vendor', party.id, body);
}

function item(builder: RecordBuilder, id: string, name: string, more: Doc): void {
  builder.put('Item', id, {
    Name: name,
    ...more,
    Active: true,
    FullyQualifiedName: name,
    Taxable: more['Taxable'] === true,
    UnitPrice: more['UnitPrice'] ?? 0,
    PurchaseCost: more['PurchaseCost'] ?? 0,
    TrackQtyOnHand: false,
    DeferredRevenue: false,
  });
}

const austin = (line: string, postalCode: string): Doc => ({
  Line1: line,
  City: 'Austin',
  Country: 'USA',
  CountrySubDivisionCode: 'TX',
  PostalCode: postalCode,
});

const northwind: CompanySetup = {
  name: 'Northwind IT Services',
  country: 'US',
  currency: 'USD',
  isMultiCurrency: true,
  hasOwnNumbers: false,
  tax: 'manual',
  taxCode: '5',
  closedThrough: '2025-01-31',
  salesFields: ['P.O. Number', 'Ticket'],
  orderFields: ['Ticket'],
  defaultItem: '21',
  address: austin('100 Lavaca Street', '78701'),
  email: 'billing@northwind-msp.example',
};

function northwindNames(builder: RecordBuilder): void {
  const parties: readonly Party[] = [
    { id: '58', name: 'Acme Dental', email: 'ap@acmedental.example', address: austin('410 Congress Avenue', '78701') },
    {
      id: '59',
      name: 'Birch Legal LLP',
      email: 'accounts@birchlegal.example',
      address: austin('98 San Jacinto Blvd', '78701'),
    },
    {
      id: '60',
      name: 'Maple Clinic',
      email: 'office@mapleclinic.example',
      currency: 'CAD',
      isTaxable: false,
      address: {
        Line1: '77 King Street West',
        City: 'Toronto',
        Country: 'Canada',
        CountrySubDivisionCode: 'ON',
        PostalCode: 'M5K 1A1',
      },
    },
    {
      id: '61',
      name: 'Delta School',
      email: 'bursar@deltaschool.example',
      isTaxable: false,
      address: austin('1500 East 7th Street', '78702'),
    },
    { id: '62', name: 'Old Acme', isActive: false, address: austin('12 Barton Springs Road', '78704') },
  ];
  for (const party of parties) customer(builder, party, northwind);
  vendor(
    builder,
    {
      id: '90',
      name: 'Ingram Supplies',
      email: 'orders@ingramsupplies.example',
      address: austin('4400 Burnet Road', '78756'),
      more: { CompanyName: 'Ingram Supplies', AcctNum: 'NW-2207' },
    },
    northwind,
  );
  vendor(builder, { id: '91', name: 'v-Decker, Betty', more: { GivenName: 'Betty', FamilyName: 'Decker' } }, northwind);
  builder.company.setCounter('name', '62');
  builder.company.setCounter('vendor', '91');
}

function northwindItems(builder: RecordBuilder): void {
  const income = (value: string): Doc => ({ IncomeAccountRef: { value } });
  const cost: Doc = { ExpenseAccountRef: { value: '14' } };
  item(builder, '21', 'Remote Support', { Type: 'Service', UnitPrice: 150, ...income('1') });
  item(builder, '22', 'Onsite Support', { Type: 'Service', UnitPrice: 175, ...income('1') });
  item(builder, '24', 'Managed Workstation', { Type: 'Service', UnitPrice: 45, ...income('1') });
  item(builder, '27', 'Project milestone', { Type: 'Service', ...income('3') });
  item(builder, '31', 'AP-620 Access point', { Type: 'NonInventory', Sku: 'AP-620', PurchaseCost: 189.5, ...cost });
  item(builder, '32', 'Switch', {
    Type: 'NonInventory',
    Sku: 'SW-24P',
    Taxable: true,
    UnitPrice: 540,
    PurchaseCost: 412,
    ...income('2'),
    ...cost,
  });
  builder.company.setCounter('item', '29');
}

/** Saves an invoice from before the first sync with the rules, and sets its old creation time. */
function oldInvoice(
  builder: RecordBuilder,
  about: {
    readonly id: string;
    readonly customer: string;
    readonly number: string;
    readonly on: string;
    readonly item: string;
    readonly text: string;
    readonly quantity: number;
    readonly price: number;
    readonly note?: string;
  },
): void {
  const { company } = builder;
  company.setCounter('txn', String(Number(about.id) - 1));
  const body: Doc = {
    CustomerRef: { value: about.customer },
    DocNumber: about.number,
    TxnDate: builder.day(about.on),
    SalesTermRef: { value: '3' },
    Line: [
      {
        DetailType: 'SalesItemLineDetail',
        Amount: about.quantity * about.price,
        Description: about.text,
        SalesItemLineDetail: {
          ItemRef: { value: about.item },
          Qty: about.quantity,
          UnitPrice: about.price,
          TaxCodeRef: { value: 'NON' },
        },
      },
    ],
  };
  if (about.note !== undefined) body['PrivateNote'] = about.note;
  company.builtAt = builder.at(about.on, '10:00:00');
  save(company, kindOf('Invoice'), body);
  company.builtAt = undefined;
}

/**
 * Adds documents that Northwind already has in QuickBooks: a number that will clash, and the invoices of two voided PSA
 * invoices.
 */
function northwindDocuments(builder: RecordBuilder): void {
  const { company } = builder;
  const note = (id: number, on: string) => `Autotask invoice ${id} · synced ${builder.day(on)}T18:00:09Z`;
  oldInvoice(builder, {
    id: '8801',
    customer: '59',
    number: '20250312',
    on: '2025-02-12',
    item: '22',
    text: 'Office move',
    quantity: 4,
    price: 175,
  });
  oldInvoice(builder, {
    id: '9138',
    customer: '59',
    number: '1039',
    on: '2025-02-20',
    item: '27',
    text: 'Cabling finished',
    quantity: 1,
    price: 800,
    note: note(48313, '2025-02-20'),
  });
  oldInvoice(builder, {
    id: '9141',
    customer: '58',
    number: '1038',
    on: '2025-02-24',
    item: '21',
    text: 'Engineer: Network audit',
    quantity: 2.8,
    price: 150,
    note: note(48312, '2025-02-24'),
  });
  company.setCounter('txn', '9151');
  company.builtAt = builder.at('2025-02-27', '14:30:00');
  save(company, kindOf('Payment'), {
    CustomerRef: { value: '59' },
    TxnDate: builder.day('2025-02-27'),
    TotalAmt: 300,
    PaymentRefNum: '2217',
    PaymentMethodRef: { value: '2' },
    Line: [{ Amount: 300, LinkedTxn: [{ TxnId: '9138', TxnType: 'Invoice' }] }],
  });
  company.builtAt = undefined;
  company.setCounter('txn', '9176');
  company.numbers.set('sales', 1041);
  company.numbers.set('purchase order', 1008);
  company.numbers.set('estimate', 1000);
}

const hillCountry: CompanySetup = {
  ...northwind,
  name: 'Hill Country Computing',
  isMultiCurrency: false,
  hasOwnNumbers: true,
  tax: 'automated',
  salesFields: [],
  orderFields: [],
  address: austin('2100 South Lamar Blvd', '78704'),
  email: 'office@hillcountry.example',
};

const thames: CompanySetup = {
  ...northwind,
  name: 'Thames Desk Ltd',
  country: 'GB',
  currency: 'GBP',
  isMultiCurrency: true,
  tax: 'international',
  taxCode: '2',
  salesFields: [],
  orderFields: [],
  address: { Line1: '14 Borough Road', City: 'London', Country: 'GB', PostalCode: 'SE1 0AA' },
  email: 'office@thamesdesk.example',
};

function otherCompany(builder: RecordBuilder, setup: CompanySetup): void {
  customer(
    builder,
    {
      id: '58',
      name: 'Juniper Bakery',
      email: 'orders@juniperbakery.example',
      ...(setup.country === 'US' ? { address: austin('901 West 5th Street', '78703') } : {}),
    },
    setup,
  );
  vendor(builder, { id: '90', name: 'Pax Cloud' }, setup);
  builder.company.setCounter('name', '58');
  builder.company.setCounter('vendor', '90');
  northwindItems(builder);
  item(builder, '33', 'Office bundle', {
    Type: 'Group',
    ItemGroupDetail: {
      ItemGroupLine: [
        { ItemRef: { value: '24' }, Qty: 3 },
        { ItemRef: { value: '22' }, Qty: 1 },
      ],
    },
  });
}

/** Options of the companies' data. */
export interface WorldOptions {
  readonly clock: Clock;
  readonly behaviour: QuickBooksBehaviour;
  /** Whole days from the sample world's day to the sandbox's. */
  readonly shiftDays: number;
  /** Reference data only: no customers, vendors, items or documents. */
  readonly isEmpty: boolean;
}

/** Builds the companies of the sample world (domain reference section 17), dates moved by whole days. */
export function buildWorld({ clock, behaviour, shiftDays, isEmpty }: WorldOptions): Company[] {
  const make = (realmId: string, setup: CompanySetup): RecordBuilder => {
    const builder = new RecordBuilder(new Company(realmId, clock, behaviour), shiftDays);
    referenceData(builder, setup);
    return builder;
  };
  const first = make(realms.northwind, northwind);
  const second = make(realms.hillCountry, hillCountry);
  const third = make(realms.thames, thames);
  if (!isEmpty) {
    northwindNames(first);
    northwindItems(first);
    northwindDocuments(first);
    otherCompany(second, hillCountry);
    otherCompany(third, thames);
  }
  return [first.company, second.company, third.company];
}
