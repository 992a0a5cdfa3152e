/** The sample tenant's customers, vendors, their contacts, products, services and contracts. */
import { picklistNumber } from './schema.ts';
import type { Fields, RecordBuilder } from './record-builder.ts';

const austin = { city: 'Austin', state: 'TX', postalCode: '78701', countryID: 1 };

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

/** Returns the fields that are the same for all companies, and the resolved bill-to address. */
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

/** Writes the tenant's own company, customers, vendors and contacts. */
export function writeCompanies({ put, at }: RecordBuilder): void {
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

/** Writes products, services, bundles and contracts. */
export function writeCatalogue(builder: RecordBuilder): void {
  writeProducts(builder);
  writeServices(builder);
  writeContracts(builder);
}

function writeProducts({ put }: RecordBuilder): void {
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
}

function writeServices({ put, at }: RecordBuilder): void {
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
}

function writeContracts({ put, day }: RecordBuilder): void {
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
