/** The sample world of domain reference section 17: Northwind IT Services of Austin, as it was on 2025-03-03. */
import { picklistNumber } from './schema.ts';
import type { Value } from './table.ts';

type Fields = Readonly<Record<string, Value>>;

/** Where the sample world is written to. Days and times are given as of 2025-03-03 and come back shifted. */
export interface Scribe {
  readonly put: (entity: string, fields: Fields & { readonly id: number }) => void;
  /** A day, as the service writes days: `2025-03-03T00:00:00Z`. */
  readonly day: (date: string) => string;
  /** A local date and time as an instant. */
  readonly at: (date: string, time: string) => string;
}

const austin = { city: 'Austin', state: 'TX', postalCode: '78701', countryID: 1 };
const kind = (label: string): number => picklistNumber('BillingItems', 'billingItemType', label);
const sub = (label: string): number => picklistNumber('BillingItems', 'subType', label);

function reference({ put, day }: Scribe): void {
  for (const [id, name, days, description] of [
    [1, 'Net 30', 30, 'Due in 30 days'],
    [2, 'Net 15', 15, 'Due in 15 days'],
    [3, 'Due on receipt', 0, 'Due at once'],
    [4, 'End of month +15', 15, '15 days after the end of the month'],
  ] as const)
    put('PaymentTerms', { id, name, description, paymentDueInDays: days, isActive: true });

  put('Currencies', currency(1, 'USD', 'US dollar', 1, true, true, day('2025-01-01')));
  put('Currencies', currency(2, 'CAD', 'Canadian dollar', 1.35, true, false, day('2025-02-24')));
  put('Currencies', currency(3, 'EUR', 'Euro', 0.96, false, false, day('2025-01-01')));
  for (const [id, countryCode, name] of [
    [1, 'US', 'United States'],
    [2, 'CA', 'Canada'],
  ] as const)
    put('Countries', {
      id,
      countryCode,
      name,
      displayName: name,
      addressFormatID: 1,
      isActive: true,
      isDefaultCountry: id === 1,
      invoiceTemplateID: 1,
    });

  put('TaxRegions', { id: 1, name: 'Travis County', isActive: true });
  put('TaxRegions', { id: 2, name: 'Ontario', isActive: true });
  put('TaxCategories', { id: 1, name: 'Taxable goods', description: 'Hardware and supplies', isActive: true });
  put('TaxCategories', { id: 2, name: 'Software', description: 'Not taxed anywhere', isActive: true });
  put('TaxCategories', { id: 3, name: 'Old category', description: '', isActive: false });
  put('Taxes', {
    id: 1,
    taxRegionID: 1,
    taxCategoryID: 1,
    taxName: 'Texas and Travis County',
    taxRate: 8.25,
    isCompounded: false,
  });
  put('Taxes', { id: 2, taxRegionID: 1, taxCategoryID: 2, taxName: 'Not taxed', taxRate: 0, isCompounded: false });
  put('Taxes', { id: 3, taxRegionID: 2, taxCategoryID: 2, taxName: 'Not taxed', taxRate: 0, isCompounded: false });

  for (const [id, name, useType, taxCategoryID, externalNumber] of [
    [29, 'Remote Support', 1, null, ''],
    [30, 'Onsite Support', 1, null, ''],
    [41, 'Travel', 2, null, ''],
    [42, 'Meals', 2, null, ''],
    [43, 'Mileage', 2, null, ''],
    [44, 'Toner', 2, null, ''],
    [51, 'Hardware', 4, 1, 'HW-1'],
    [52, 'Software licence', 4, 2, ''],
    [61, 'Managed Workstation', 5, null, ''],
    [62, 'Managed Server', 5, null, ''],
    [71, 'Project milestone', 6, null, ''],
  ] as const)
    put('BillingCodes', {
      id,
      name,
      description: '',
      useType,
      taxCategoryID,
      externalNumber,
      billingCodeType: 0,
      generalLedgerAccount: useType === 4 ? 2 : useType === 6 ? 3 : useType === 2 ? 4 : 1,
      isActive: true,
      isExcludedFromNewContracts: false,
      unitCost: 0,
      unitPrice: 0,
    });

  for (const [id, name, hourlyRate] of [
    [11, 'Engineer', 150],
    [12, 'Consultant', 175],
  ] as const)
    put('Roles', {
      id,
      name,
      description: '',
      hourlyRate,
      hourlyFactor: 1,
      isActive: true,
      isExcludedFromNewContracts: false,
      isSystemRole: false,
      roleType: 1,
    });

  // A line of business takes its name from one level alone; the fourth is a full pair, and inactive.
  put('OrganizationalLevel1s', { id: 1, name: 'Managed Services', description: '', isActive: true });
  put('OrganizationalLevel1s', { id: 2, name: 'Projects', description: '', isActive: true });
  put('OrganizationalLevel1s', { id: 3, name: 'Retail', description: '', isActive: false });
  put('OrganizationalLevel2s', { id: 1, name: 'Hardware', description: '', isActive: true });
  put('OrganizationalLevel2s', { id: 2, name: 'Kiosk', description: '', isActive: false });
  put('OrganizationalLevelAssociations', {
    id: 1,
    organizationalLevel1ID: 1,
    organizationalLevel2ID: null,
    isActive: true,
  });
  put('OrganizationalLevelAssociations', {
    id: 2,
    organizationalLevel1ID: null,
    organizationalLevel2ID: 1,
    isActive: true,
  });
  put('OrganizationalLevelAssociations', {
    id: 3,
    organizationalLevel1ID: 2,
    organizationalLevel2ID: null,
    isActive: true,
  });
  put('OrganizationalLevelAssociations', {
    id: 4,
    organizationalLevel1ID: 3,
    organizationalLevel2ID: 2,
    isActive: false,
  });
  put('Departments', { id: 1, name: 'Service', number: 'SVC', description: '', primaryLocationID: 1 });
  put('InventoryLocations', { id: 1, locationName: 'Austin store room', isActive: true, isDefault: true });
  put('ShippingTypes', { id: 1, name: 'Ground', description: '', isActive: true });

  for (const [id, firstName, lastName, email, isActive, licenseType] of [
    [20, 'Avery', 'Admin', 'admin@northwind-msp.example', true, 1],
    [21, 'Betty', 'Decker', 'betty.decker@northwind-msp.example', true, 1],
    [22, 'John', "O'Brien", 'john.obrien@northwind-msp.example', true, 1],
    [23, '', 'Jacobsen', 'jacobsen@northwind-msp.example', true, 1],
    [24, 'Dana', 'Former', 'dana.former@northwind-msp.example', false, 1],
    [99, 'Sandbox', 'API User', 'api.user@northwind-msp.example', true, 7],
  ] as const)
    put('Resources', {
      id,
      firstName,
      lastName,
      email,
      isActive,
      licenseType,
      emailTypeCode: 'PRIMARY',
      userName: email.slice(0, email.indexOf('@')),
      hireDate: day('2021-06-01'),
      locationID: 1,
      numberFormat: 'X,XXX.XX',
      dateFormat: 'MM/dd/yyyy',
      timeFormat: 'hh:mm',
      payrollType: 1,
      resourceType: 'Employee',
      userType: licenseType === 7 ? 17 : id === 20 ? 1 : 2,
      title: licenseType === 7 ? '' : 'Engineer',
    });

  put('InvoiceTemplates', {
    id: 1,
    name: 'Standard',
    currencyPositiveFormat: '$X,XXX.XX',
    currencyNegativeFormat: '-$X,XXX.XX',
    coveredByBlockRetainerContractLabel: 'Covered by prepaid hours',
    coveredByRecurringServiceFixedPricePerTicketContractLabel: 'Covered by contract',
    nonBillableLaborLabel: 'Not billable',
    rateCostExpression: 'Rate',
    dateFormat: 1,
    groupBy: 1,
    itemizeItemsInEachGroup: 1,
    numberFormat: 1,
    pageLayout: 1,
    pageNumberFormat: 1,
    sortBy: 1,
    timeFormat: 1,
    displayFixedPriceContractLabor: true,
    displayRecurringServiceContractLabor: true,
    displaySeparateLineItemForEachTax: false,
    displayTaxCategory: false,
    displayTaxCategorySuperscripts: false,
    displayZeroAmountRecurringServicesAndBundles: true,
    itemizeServicesAndBundles: true,
    showGridHeader: true,
    showVerticalGridLines: false,
  });
}

function currency(
  id: number,
  name: string,
  description: string,
  exchangeRate: number,
  isActive: boolean,
  isInternalCurrency: boolean,
  lastModifiedDateTime: string,
) {
  const symbol = name === 'EUR' ? '€' : name === 'CAD' ? 'C$' : '$';
  return {
    id,
    name,
    description,
    exchangeRate,
    isActive,
    isInternalCurrency,
    lastModifiedDateTime,
    displaySymbol: id,
    currencyPositiveFormat: `${symbol}X,XXX`,
    currencyNegativeFormat: `-${symbol}X,XXX`,
    updateResourceId: 20,
  };
}

interface Party {
  readonly name: string;
  readonly address: string;
  readonly email?: string;
  readonly place?: Fields;
  readonly more?: Fields;
}

const customers: Readonly<Record<number, Party>> = {
  175: { name: 'Acme Dental', address: '410 Congress Avenue', email: 'ap@acmedental.example' },
  176: { name: 'Birch Legal LLP', address: '98 San Jacinto Boulevard', email: 'billing@birchlegal.example' },
  177: {
    name: 'Maple Clinic',
    address: '33 Queen Street West',
    email: 'accounts@mapleclinic.example',
    place: { city: 'Toronto', state: 'ON', postalCode: 'M5H 2M6', countryID: 2 },
    more: { currencyID: 2, taxRegionID: null },
  },
  178: { name: 'Cedar: Logistics', address: '7800 Burleson Road' },
  179: {
    name: 'Delta School',
    address: '2200 Barton Springs Road',
    email: 'office@deltaschool.example',
    more: { isTaxExempt: true, taxID: '74-1234567' },
  },
  180: { name: 'Ember Cafe', address: '1501 East 6th Street' },
};
const vendors: Readonly<Record<number, Party>> = {
  301: {
    name: 'Ingram Supplies',
    address: '3351 Michelson Drive',
    place: { city: 'Irvine', state: 'CA', postalCode: '92612', countryID: 1 },
  },
  302: { name: 'Acme Dental', address: '410 Congress Avenue' },
  303: {
    name: 'Pax Cloud',
    address: '500 Cloud Way',
    place: { city: 'Seattle', state: 'WA', postalCode: '98101', countryID: 1 },
  },
};

/** The fields of a company that are the same for all, and its resolved bill-to address. */
export function companyFields(
  name: string,
  address: string,
  place: Fields,
  type: 'Customer' | 'Vendor',
  created: string,
) {
  return {
    companyName: name,
    companyType: picklistNumber('Companies', 'companyType', type),
    companyNumber: '',
    ownerResourceID: 20,
    phone: '512-555-0100',
    address1: address,
    address2: '',
    ...place,
    billingAddress1: address,
    billingAddress2: '',
    billToCity: place.city ?? null,
    billToState: place.state ?? null,
    billToZipCode: place.postalCode ?? null,
    billToCountryID: place.countryID ?? null,
    billToAttention: 'Accounts Payable',
    billToAddressToUse: picklistNumber('Companies', 'billToAddressToUse', 'ACCOUNT'),
    currencyID: 1,
    isActive: true,
    isTaxExempt: false,
    taxRegionID: type === 'Customer' ? 1 : null,
    taxID: '',
    invoiceTemplateID: 1,
    invoiceMethod: 0,
    isClientPortalActive: false,
    isEnabledForComanaged: false,
    isTaskFireActive: false,
    isSample: false,
    invoiceNonContractItemsToParentCompany: false,
    createDate: created,
    createdByResourceID: 20,
    lastActivityDate: created,
    lastTrackedModifiedDateTime: created,
  };
}

function companies({ put, at }: Scribe): void {
  const created = at('2024-05-06', '09:30:00');
  const company = (id: number, party: Party, type: 'Customer' | 'Vendor'): void => {
    put('Companies', {
      id,
      ...companyFields(party.name, party.address, party.place ?? austin, type, created),
      ...party.more,
    });
    if (type === 'Vendor') return;
    // Two contacts, so that “the primary one” is a choice; one primary contact is no longer active.
    const contact = (contactId: number, firstName: string, email: string, primary: boolean, active: boolean): void =>
      put('Contacts', {
        id: contactId,
        companyID: id,
        firstName,
        lastName: party.name,
        emailAddress: email,
        primaryContact: primary,
        isActive: active ? 1 : 0,
        createDate: created,
        lastModifiedDate: created,
        receivesEmailNotifications: true,
      });
    const number = 500 + (id - 175) * 2;
    contact(number, 'Front Desk of', `desk@company-${id}.example`, false, true);
    if (party.email !== undefined) contact(number + 1, 'Accounts of', party.email, true, true);
    else if (id === 180) contact(number + 1, 'Formerly of', 'gone@embercafe.example', true, false);
  };
  put('Companies', {
    id: 0,
    ...companyFields('Northwind IT Services', '100 Lavaca Street', austin, 'Customer', created),
  });
  for (const [id, party] of Object.entries(customers)) company(Number(id), party, 'Customer');
  for (const [id, party] of Object.entries(vendors)) company(Number(id), party, 'Vendor');
  put('CompanyLocations', {
    id: 1,
    companyID: 175,
    name: 'Acme Dental, main practice',
    address1: '410 Congress Avenue',
    city: 'Austin',
    state: 'TX',
    postalCode: '78701',
    countryID: 1,
    isActive: true,
    isPrimary: true,
    overrideCompanyTaxSettings: false,
    isTaxExempt: false,
    taxRegionID: 1,
  });
}

function catalogue({ put, day, at }: Scribe): void {
  for (const [id, name, sku, category, unitCost, unitPrice] of [
    [801, 'Access point AP-620', 'AP-620', 1, 189.5, 249],
    [802, 'Switch 24p SW-24P', 'SW-24P', 1, 412, 540],
    [803, '24-inch monitor MON-24', 'MON-24', 2, 178, 250],
    [804, 'No-SKU cable', '', 3, 4.2, 9],
  ] as const)
    put('Products', {
      id,
      name,
      sku,
      description: '',
      productCategory: category,
      productBillingCodeID: 51,
      unitCost,
      unitPrice,
      isActive: true,
      isSerialized: false,
      defaultVendorID: 301,
      billingType: 1,
      priceCostMethod: 1,
      doesNotRequireProcurement: false,
      isEligibleForRma: false,
    });
  put('ProductVendors', {
    id: 1,
    productID: 801,
    vendorID: 301,
    vendorCost: 189.5,
    isActive: true,
    isDefault: true,
    vendorPartNumber: 'ING-AP620',
  });
  put('ProductVendors', {
    id: 2,
    productID: 802,
    vendorID: 301,
    vendorCost: 412,
    isActive: true,
    isDefault: true,
    vendorPartNumber: 'ING-SW24P',
  });
  for (const [id, name, code, price] of [
    [901, 'Managed Workstation', 61, 45],
    [902, 'Managed Server', 62, 160],
  ] as const)
    put('Services', {
      id,
      name,
      description: '',
      invoiceDescription: name,
      billingCodeID: code,
      unitPrice: price,
      unitCost: 0,
      periodType: 2,
      isActive: true,
      createDate: at('2024-05-06', '10:00:00'),
      lastModifiedDate: at('2024-05-06', '10:00:00'),
      creatorResourceID: 20,
    });
  put('ServiceBundles', {
    id: 951,
    name: 'Office bundle',
    description: '',
    invoiceDescription: 'Office bundle',
    billingCodeID: 61,
    unitPrice: 205,
    unitCost: 0,
    periodType: 2,
    isActive: true,
    createDate: at('2024-05-06', '10:00:00'),
    creatorResourceID: 20,
  });
  put('ServiceBundleServices', { id: 1, serviceBundleID: 951, serviceID: 901 });
  put('ServiceBundleServices', { id: 2, serviceBundleID: 951, serviceID: 902 });

  const contract = (
    id: number,
    companyID: number,
    contractName: string,
    type: string,
    organizationalLevelAssociationID: number,
  ): void =>
    put('Contracts', {
      id,
      companyID,
      contractName,
      contractType: picklistNumber('Contracts', 'contractType', type),
      status: 1,
      startDate: day('2024-06-01'),
      endDate: day('2025-05-31'),
      timeReportingRequiresStartAndStopTimes: 0,
      billingPreference: 1,
      contractNumber: '',
      isDefaultContract: false,
      organizationalLevelAssociationID,
    });
  contract(2001, 175, 'Acme Dental managed services', 'Recurring Service', 1);
  contract(2002, 175, 'Acme Dental block hours', 'Block Hours', 1);
  contract(2003, 176, 'Birch Legal managed services', 'Recurring Service', 1);
  contract(2004, 179, 'Delta School project', 'Fixed Price', 3);
}

type LineKind = 'labor' | 'service' | 'adjustment' | 'hardware' | 'software' | 'milestone';

interface Line {
  readonly kind: LineKind;
  readonly name: string;
  readonly quantity: number;
  readonly rate: number;
  /** What is charged; quantity × rate when absent. */
  readonly total?: number;
  readonly extended?: number;
  readonly tax?: number;
  readonly on: string;
  readonly group?: string;
  readonly more?: Fields;
}

interface SampleInvoice {
  readonly id: number;
  readonly company: number;
  readonly total: number;
  readonly tax?: number;
  readonly term?: number;
  readonly due?: string;
  readonly on?: string;
  readonly created?: readonly [string, string];
  readonly more?: Fields;
  readonly lines: readonly Line[];
}

const sources: Readonly<Record<LineKind, Fields>> = {
  labor: {
    billingItemType: kind('Labor'),
    subType: sub('Labor'),
    billingCodeID: 29,
    roleID: 11,
    organizationalLevelAssociationID: 1,
  },
  service: {
    billingItemType: kind('Recurring Services'),
    subType: sub('Recurring Services'),
    billingCodeID: 61,
    serviceID: 901,
    organizationalLevelAssociationID: 1,
  },
  adjustment: {
    billingItemType: kind('Recurring Services Adjustment'),
    subType: sub('Recurring Services Adjustment'),
    billingCodeID: 61,
    serviceID: 901,
    organizationalLevelAssociationID: 1,
  },
  hardware: {
    billingItemType: kind('Ticket Cost'),
    subType: sub('Ticket Cost'),
    billingCodeID: 51,
    taxCategoryID: 1,
    organizationalLevelAssociationID: 2,
  },
  software: {
    billingItemType: kind('Ticket Cost'),
    subType: sub('Ticket Cost'),
    billingCodeID: 52,
    taxCategoryID: 2,
    organizationalLevelAssociationID: 2,
  },
  milestone: {
    billingItemType: kind('Milestone'),
    subType: sub('Milestones'),
    billingCodeID: 71,
    organizationalLevelAssociationID: 3,
  },
};

const labor = (name: string, quantity: number, rate: number, on: string, more: Partial<Line> = {}): Line => ({
  kind: 'labor',
  name,
  quantity,
  rate,
  on,
  ...more,
});
const hardware = (
  name: string,
  quantity: number,
  rate: number,
  on: string,
  tax = 0,
  more: Partial<Line> = {},
): Line => ({ kind: 'hardware', name, quantity, rate, on, tax, ...more });

/** Invoices 48213 to 48314, in the order of domain reference section 17. */
const invoices: readonly SampleInvoice[] = [
  {
    id: 48213,
    company: 175,
    total: 1966.25,
    tax: 41.25,
    more: { orderNumber: 'PO-7781', comments: 'Thank you for your business.' },
    lines: [
      labor('VPN outage', 3.5, 150, '2025-02-27', { more: { ticketID: 61001, timeEntryID: 71001 } }),
      labor('Printer', 1.25, 150, '2025-02-28', {
        total: 0,
        more: { ticketID: 61002, timeEntryID: 71002, contractID: 2002 },
      }),
      {
        kind: 'service',
        name: 'Managed Workstation',
        quantity: 20,
        rate: 45,
        on: '2025-03-01',
        more: { contractID: 2001 },
      },
      hardware('24-inch monitor', 2, 250, '2025-02-26', 41.25, { more: { ticketID: 61003, ticketChargeID: 1 } }),
    ],
  },
  {
    id: 48214,
    more: { invoiceNumber: null },
    company: 176,
    total: 687.5,
    term: 2,
    due: '2025-03-18',
    lines: [
      labor('Mail rules', 1.5, 150, '2025-02-11', { group: 'Remote support, February' }),
      labor('Password reset', 0.75, 150, '2025-02-18', { group: 'Remote support, February' }),
      labor('Document server', 2, 175, '2025-02-25', { group: 'Remote support, February', more: { roleID: 12 } }),
    ],
  },
  {
    id: 48301,
    company: 175,
    total: -180,
    lines: [
      {
        kind: 'adjustment',
        name: 'Cancelled seats',
        quantity: 5,
        rate: -60,
        on: '2025-03-01',
        more: { contractID: 2001 },
      },
      labor('Seat removal', 1, 120, '2025-02-28'),
    ],
  },
  {
    id: 48302,
    company: 175,
    total: 0,
    lines: [labor('Quarterly review', 2, 150, '2025-02-20', { total: 0, more: { contractID: 2002 } })],
  },
  {
    id: 48303,
    company: 176,
    total: 0,
    lines: [
      { kind: 'milestone', name: 'Phase one accepted', quantity: 1, rate: 500, on: '2025-02-24' },
      { kind: 'adjustment', name: 'Credit for phase one', quantity: 1, rate: -500, on: '2025-02-24' },
    ],
  },
  {
    id: 48304,
    company: 178,
    total: 300,
    term: 3,
    due: '2025-03-03',
    lines: [labor('Dispatch terminal', 2, 150, '2025-02-27')],
  },
  {
    id: 48305,
    company: 175,
    total: 150,
    on: '2025-01-15',
    due: '2025-02-14',
    created: ['2025-02-28', '17:05:00'],
    lines: [labor('Late entry for January', 1, 150, '2025-01-14')],
  },
  {
    id: 48306,
    company: 176,
    total: 8660,
    tax: 660,
    lines: Array.from({ length: 800 }, (_, index) =>
      hardware(`Patch cable ${index + 1}`, 1, 10, '2025-02-21', 0.825, { more: { taxCategoryID: null } }),
    ),
  },
  {
    id: 48307,
    company: 180,
    total: 228,
    lines: [{ kind: 'software', name: 'Mail security, 12 months', quantity: 12, rate: 19, on: '2025-02-26' }],
  },
  {
    id: 48308,
    company: 177,
    total: 1620,
    more: { taxGroup: null, taxRegionName: '' },
    lines: [
      labor('Clinic system move', 12, 135, '2025-02-22', {
        more: {
          internalCurrencyRate: 100,
          internalCurrencyExtendedPrice: 1200,
          internalCurrencyTotalAmount: 1200,
          internalCurrencyTaxDollars: 0,
        },
      }),
    ],
  },
  {
    id: 48309,
    company: 175,
    total: 510,
    lines: [
      labor('Server maintenance', 2, 150, '2025-02-19'),
      labor('Server maintenance, second visit', 1, 200, '2025-02-21', { more: { billingCodeID: 30 } }),
    ],
  },
  {
    id: 48310,
    company: 179,
    total: 200,
    on: '2025-02-17',
    due: '2025-03-19',
    created: ['2025-02-17', '00:05:00'],
    lines: [hardware('Classroom webcam', 4, 50, '2025-02-14')],
  },
  {
    id: 48311,
    company: 175,
    total: 75,
    on: '2025-02-16',
    due: '2025-03-18',
    created: ['2025-02-16', '23:55:00'],
    lines: [labor('Sunday call', 0.5, 150, '2025-02-16')],
  },
  {
    id: 48312,
    company: 175,
    total: 420,
    on: '2025-02-24',
    due: '2025-03-26',
    created: ['2025-02-24', '10:15:00'],
    more: { invoiceNumber: '1038' },
    lines: [labor('Network audit', 2.8, 150, '2025-02-21')],
  },
  {
    id: 48313,
    company: 176,
    total: 800,
    on: '2025-02-20',
    due: '2025-03-22',
    created: ['2025-02-20', '11:40:00'],
    more: { invoiceNumber: '1039' },
    lines: [{ kind: 'milestone', name: 'Cabling finished', quantity: 1, rate: 800, on: '2025-02-19' }],
  },
  {
    id: 48314,
    company: 176,
    total: 312.5,
    more: { invoiceNumber: '20250312' },
    lines: [labor('Contract archive', 1.25, 250, '2025-02-27', { more: { roleID: 12 } })],
  },
];

/** The columns of an invoice that are the same for all. */
export const invoiceDefaults: Fields = {
  comments: '',
  creatorResourceID: 20,
  invoiceEditorTemplateID: 1,
  invoiceNumber: '',
  isVoided: false,
  orderNumber: '',
  taxGroup: 1,
  taxRegionName: 'Travis County',
};

/** An amount without the dust of binary fractions: four decimals, as the service keeps them. */
export function amount(value: number): number {
  return Math.round((value + Number.EPSILON) * 10_000) / 10_000;
}

function sampleInvoices(scribe: Scribe): void {
  const { put, day, at } = scribe;
  let itemId = 9_000_000;
  invoices.forEach((invoice, index) => {
    const invoicedOn = invoice.on ?? '2025-03-03';
    // Made right after midnight, so that they are no news from the future at any time of the day.
    const [createdOn, createdAt] = invoice.created ?? ['2025-03-03', `00:${String(1 + index).padStart(2, '0')}:05.317`];
    const isVoided = invoice.id === 48312 || invoice.id === 48313;
    put('Invoices', {
      id: invoice.id,
      batchID: invoice.id - 40_000,
      companyID: invoice.company,
      createDateTime: at(createdOn, createdAt),
      dueDate: day(invoice.due ?? '2025-04-02'),
      fromDate: day('2025-02-01'),
      toDate: day('2025-02-28'),
      invoiceDateTime: day(invoicedOn),
      invoiceTotal: invoice.total,
      totalTaxValue: invoice.tax ?? 0,
      paymentTerm: invoice.term ?? 1,
      ...invoiceDefaults,
      ...(isVoided && {
        isVoided,
        voidedByResourceID: 20,
        voidedDate: at('2025-03-02', '16:20:00'),
        webServiceDate: at(createdOn, '12:00:00'),
      }),
      ...invoice.more,
    });
    invoice.lines.forEach((line, position) => {
      itemId += 1;
      const extended = line.extended ?? amount(line.quantity * line.rate);
      const total = line.total ?? extended;
      const tax = line.tax ?? 0;
      put('BillingItems', {
        id: itemId,
        invoiceID: invoice.id,
        companyID: invoice.company,
        sortOrderID: position + 1,
        itemName: line.name,
        description: '',
        lineItemFullDescription: line.name,
        lineItemGroupDescription: line.group ?? '',
        itemDate: day(line.on),
        postedDate: day('2025-03-01'),
        postedOnTime: at('2025-03-01', '18:30:12.443'),
        itemApproverID: 20,
        accountManagerWhenApprovedID: 20,
        quantity: line.quantity,
        rate: line.rate,
        extendedPrice: extended,
        totalAmount: total,
        taxDollars: tax,
        internalCurrencyRate: line.rate,
        internalCurrencyExtendedPrice: extended,
        internalCurrencyTotalAmount: total,
        internalCurrencyTaxDollars: tax,
        nonBillable: 0,
        ourCost: 0,
        purchaseOrderNumber: '',
        ...sources[line.kind],
        ...line.more,
      });
    });
  });
  // Work that is approved and posted but on no invoice yet: invoiceID is 0 there, not null.
  put('BillingItems', {
    id: 9_000_000,
    invoiceID: 0,
    companyID: 175,
    sortOrderID: null,
    itemName: 'Backup check',
    description: 'Not invoiced yet',
    itemDate: day('2025-03-02'),
    postedDate: day('2025-03-03'),
    postedOnTime: at('2025-03-03', '07:45:00'),
    quantity: 3.175,
    rate: 100,
    extendedPrice: 386.645,
    totalAmount: 0,
    taxDollars: 0,
    internalCurrencyRate: 100,
    internalCurrencyExtendedPrice: 386.645,
    internalCurrencyTotalAmount: 0,
    internalCurrencyTaxDollars: 0,
    nonBillable: 0,
    ourCost: 0,
    purchaseOrderNumber: '',
    ...sources.labor,
    contractID: 2002,
  });
  put('TicketCharges', {
    id: 1,
    ticketID: 61003,
    name: '24-inch monitor',
    description: '',
    productID: 803,
    billingCodeID: 51,
    chargeType: 1,
    status: 6,
    datePurchased: day('2025-02-26'),
    unitQuantity: 2,
    unitCost: 178,
    unitPrice: 250,
    billableAmount: 500,
    extendedCost: 356,
    isBillableToCompany: true,
    isBilled: true,
    organizationalLevelAssociationID: 2,
  });
}

function purchaseOrders({ put, day, at }: Scribe): void {
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
  // A line that comes from a charge has no product.
  item(3311, null, 10, 4.2, { memo: 'Cables for ticket T61003', chargeID: 1, ticketID: 61003 });
  order(3312, 301, 'New', 0, {});
  item(3312, 801, 1, 189.5);
}

function expenseReports({ put, day, at }: Scribe): void {
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
  let itemId = 12_000;
  const report = (
    id: number,
    name: string,
    submitterID: number,
    advance: number,
    expenses: readonly Expense[],
  ): void => {
    const sum = (list: readonly Expense[]): number =>
      amount(list.reduce((total, expense) => total + expense.amount, 0));
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
    for (const expense of expenses) {
      itemId += 1;
      const isReimbursable = expense.reimbursable !== false;
      const repaid = isReimbursable && expense.rejected !== true ? expense.amount : 0;
      put('ExpenseItems', {
        id: itemId,
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
  };
  report(1207, 'Client visits February', 21, 100, [
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
  report(1208, 'Office supplies', 22, 0, [
    { category: 44, amount: 58, description: 'Toner', on: '2025-02-26' },
    { category: 42, amount: 12, description: 'Lunch, private', on: '2025-02-26', rejected: true },
  ]);
  report(1209, 'Conference', 22, 400, [
    { category: 41, amount: 228.35, description: 'Flight', on: '2025-02-20' },
    { category: 42, amount: 62, description: 'Meals', on: '2025-02-21' },
  ]);
  report(1210, 'Card expenses', 23, 0, [
    { category: 41, amount: 88.9, description: 'Hotel', on: '2025-02-24', reimbursable: false },
    { category: 42, amount: 21.5, description: 'Breakfast', on: '2025-02-25', reimbursable: false },
  ]);
}

/** Writes what every tenant has before there are any documents. */
export function writeReferenceData(scribe: Scribe): void {
  reference(scribe);
  companies(scribe);
  catalogue(scribe);
}

/** Writes the invoices, orders and reports. */
export function writeDocuments(scribe: Scribe): void {
  sampleInvoices(scribe);
  purchaseOrders(scribe);
  expenseReports(scribe);
}
