/** The sample tenant's lists: terms, currencies, taxes, billing codes, roles, lines of business, people. */
import type { RecordBuilder } from './record-builder.ts';

/** Writes the lists. */
export function writeLists(builder: RecordBuilder): void {
  writeTermsAndCurrencies(builder);
  writeTaxes(builder);
  writeBillingCodes(builder);
  writeRoles(builder);
  writeOrganization(builder);
  writePeople(builder);
  writeInvoiceTemplate(builder);
}

function writeTermsAndCurrencies({ put, day }: RecordBuilder): void {
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
}

function writeTaxes({ put }: RecordBuilder): void {
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
}

function writeBillingCodes({ put }: RecordBuilder): void {
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
      department: useType === 1 ? 1 : null,
      generalLedgerAccount: useType === 4 ? 2 : useType === 6 ? 3 : useType === 2 ? 4 : 1,
      isActive: true,
      isExcludedFromNewContracts: false,
      unitCost: 0,
      unitPrice: 0,
    });
}

function writeRoles({ put }: RecordBuilder): void {
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
}

function writeOrganization({ put }: RecordBuilder): void {
  // A line of business takes its name from one level; the fourth has both levels and is inactive.
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
}

function writePeople({ put, day }: RecordBuilder): void {
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
}

function writeInvoiceTemplate({ put }: RecordBuilder): void {
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
