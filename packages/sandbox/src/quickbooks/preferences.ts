import { type Doc, docAt, isTrue, listAt, refAt, textAt } from './doc.ts';

/** An active custom field: its number is the DefinitionId on forms. */
interface CustomFieldDefinition {
  readonly id: string;
  readonly name: string;
}

/** The company's Preferences that the rules need (quickbooks reference 5.15). */
export interface Preferences {
  readonly hasOwnSalesNumbers: boolean;
  readonly hasOwnPurchaseNumbers: boolean;
  readonly warnsOfDuplicateBills: boolean;
  readonly tracksClassPerTransaction: boolean;
  readonly tracksClassPerLine: boolean;
  readonly tracksDepartments: boolean;
  readonly isMultiCurrency: boolean;
  readonly homeCurrency: string;
  readonly usesSalesTax: boolean;
  readonly hasAutomatedTax: boolean;
  readonly defaultTaxCode: string | undefined;
  /** Last closed day (YYYY-MM-DD), when books are closed. */
  readonly closedThrough: string | undefined;
  readonly allowsDiscount: boolean;
  readonly allowsDeposit: boolean;
  readonly allowsShipping: boolean;
  readonly takesOnlinePayments: boolean;
  readonly tracksBillableExpenses: boolean;
  readonly autoAppliesCredit: boolean;
  readonly defaultItem: string | undefined;
  readonly salesEmailCc: string | undefined;
  readonly salesEmailBcc: string | undefined;
  readonly salesCustomFields: readonly CustomFieldDefinition[];
  readonly purchaseCustomFields: readonly CustomFieldDefinition[];
}

/** Returns the active custom fields with their names, from the two-group form of the preference. */
function customFields(groups: readonly Doc[], uses: string, names: string): CustomFieldDefinition[] {
  const all = groups.flatMap((group) => listAt(group, 'CustomField'));
  const found: CustomFieldDefinition[] = [];
  for (const id of ['1', '2', '3']) {
    const isUsed = all.some((field) => textAt(field, 'Name') === `${uses}${id}` && isTrue(field, 'BooleanValue'));
    if (!isUsed) continue;
    const name = all.find((field) => textAt(field, 'Name') === `${names}${id}`);
    found.push({ id, name: textAt(name, 'StringValue') ?? `Custom ${id}` });
  }
  return found;
}

/** Parses the body of the Preferences object. */
export function readPreferences(body: Doc): Preferences {
  const accounting = docAt(body, 'AccountingInfoPrefs');
  const sales = docAt(body, 'SalesFormsPrefs');
  const purchases = docAt(body, 'VendorAndPurchasesPrefs');
  const tax = docAt(body, 'TaxPrefs');
  const currency = docAt(body, 'CurrencyPrefs');
  const others = listAt(docAt(body, 'OtherPrefs'), 'NameValue');
  const other = (name: string) =>
    textAt(
      others.find((entry) => textAt(entry, 'Name') === name),
      'Value',
    );
  return {
    hasOwnSalesNumbers: isTrue(sales, 'CustomTxnNumbers'),
    hasOwnPurchaseNumbers: other('VendorAndPurchasesPrefs.UseCustomTxnNumbers') === 'true',
    warnsOfDuplicateBills: other('WarnDuplicateBillNumber') === 'true',
    tracksClassPerTransaction: isTrue(accounting, 'ClassTrackingPerTxn'),
    tracksClassPerLine: isTrue(accounting, 'ClassTrackingPerTxnLine'),
    tracksDepartments: isTrue(accounting, 'TrackDepartments'),
    isMultiCurrency: isTrue(currency, 'MultiCurrencyEnabled'),
    homeCurrency: refAt(currency, 'HomeCurrency') ?? 'USD',
    usesSalesTax: isTrue(tax, 'UsingSalesTax'),
    hasAutomatedTax: isTrue(tax, 'PartnerTaxEnabled'),
    defaultTaxCode: refAt(tax, 'TaxGroupCodeRef'),
    closedThrough: textAt(accounting, 'BookCloseDate'),
    allowsDiscount: isTrue(sales, 'AllowDiscount'),
    allowsDeposit: isTrue(sales, 'AllowDeposit'),
    allowsShipping: isTrue(sales, 'AllowShipping'),
    takesOnlinePayments: isTrue(sales, 'ETransactionPaymentEnabled'),
    tracksBillableExpenses: isTrue(purchases, 'BillableExpenseTracking'),
    autoAppliesCredit: isTrue(sales, 'AutoApplyCredit'),
    defaultItem: other('SalesFormsPrefs.DefaultItem'),
    salesEmailCc: textAt(docAt(sales, 'SalesEmailCc'), 'Address'),
    salesEmailBcc: textAt(docAt(sales, 'SalesEmailBcc'), 'Address'),
    salesCustomFields: customFields(
      listAt(sales, 'CustomField'),
      'SalesFormsPrefs.UseSalesCustom',
      'SalesFormsPrefs.SalesCustomName',
    ),
    purchaseCustomFields: customFields(
      listAt(purchases, 'POCustomField'),
      'PurchasePrefs.UsePurchaseCustom',
      'PurchasePrefs.PurchaseCustomName',
    ),
  };
}
