import { amountAt, toNumber } from './amounts.ts';
import type { Company } from './company.ts';
import { type Doc, listAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault } from './faults.ts';

/**
 * `POST taxservice/taxcode`: creates a tax code with new or existing rates (quickbooks reference 5.13).
 *
 * @returns the response body, without time
 */
export function createTaxCode(company: Company, body: Doc): Doc {
  const name = textAt(body, 'TaxCode');
  const details = listAt(body, 'TaxRateDetails');
  if (name === undefined) throw fault.missing('TaxCode');
  if (details.length === 0) throw fault.missing('TaxRateDetails');
  const isTaken = (entity: string, wanted: string) =>
    [...company.table(entity).all()].some(
      (entry) => textAt(entry.body, 'Name')?.toLowerCase() === wanted.toLowerCase(),
    );
  if (isTaken('TaxCode', name)) throw fault.duplicateName(false);
  const planned = details.map((detail) => {
    const known = textAt(detail, 'TaxRateId');
    if (known !== undefined && company.find('TaxRate', known) === undefined)
      throw fault.unknownReference('TaxRates', known, 'TaxRateId');
    const rateName = textAt(detail, 'TaxRateName');
    const value = amountAt(detail, 'RateValue');
    const agency = textAt(detail, 'TaxAgencyId');
    if (known === undefined) {
      if (rateName === undefined) throw fault.missing('TaxRateName');
      if (value === undefined) throw fault.missing('RateValue');
      if (agency === undefined || company.find('TaxAgency', agency) === undefined) throw fault.missing('TaxAgencyId');
      if (isTaken('TaxRate', rateName)) throw fault.duplicateName(false);
    }
    return { detail, known, rateName, value, agency };
  });
  const rates = planned.map(({ detail, known, rateName, value, agency }) => {
    const kind = kindOf('TaxRate');
    const id =
      known ??
      company.add(kind, company.newId(kind), {
        Name: rateName,
        Description: rateName,
        Active: true,
        RateValue: value === undefined ? 0 : toNumber(value),
        AgencyRef: { value: agency },
        SpecialTaxType: 'NONE',
        DisplayType: 'ReadOnly',
      }).id;
    return { id, isPurchase: textAt(detail, 'TaxApplicableOn') === 'Purchase', detail };
  });
  const list = (isPurchase: boolean): Doc => ({
    TaxRateDetail: rates
      .filter((rate) => rate.isPurchase === isPurchase)
      .map(({ id }, at) => ({ TaxRateRef: { value: id }, TaxTypeApplicable: 'TaxOnAmount', TaxOrder: at })),
  });
  const kind = kindOf('TaxCode');
  const code = company.add(kind, company.newId(kind), {
    Name: name,
    Description: name,
    Active: true,
    Taxable: true,
    TaxGroup: true,
    SalesTaxRateList: list(false),
    PurchaseTaxRateList: list(true),
  });
  return {
    TaxCode: name,
    TaxCodeId: code.id,
    TaxRateDetails: rates.map(({ id, detail }) => ({ ...detail, TaxRateId: id })),
  };
}
