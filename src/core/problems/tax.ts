import { untaxedSource } from '../mapping/mapping.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { held, mapping, openIn, person, screens, setting, warning } from './entry.ts';

/** Sales tax: where it cannot be charged, and where the two services disagree. */
export const taxProblems = {
  TAX_ADDRESS_INCOMPLETE: person<{ readonly psa: string; readonly company: string }>({
    message: ({ company }) => `The sales tax address of ${company} is incomplete.`,
    remedy: 'Add the state and postal code in {psa}.',
    repairs: ({ company }) => [openIn('psa', company)],
  }),
  TAX_CODE_REQUIRED: person<{
    /** The lines that have none; taxed ones take the code that is called like the region. */
    readonly of: 'taxed' | 'untaxed';
    readonly region?: string | null;
    /** Name of the region's code that is inactive. Undefined if the region has none. */
    readonly inactive?: string;
    /** A code of 0 % that QuickBooks has and that cannot be used. Undefined if it has none. */
    readonly unusable?: { readonly name: string; readonly because: 'inactive' | 'name' };
  }>({
    message: ({ of, region = null, unusable, inactive }) => {
      if (inactive !== undefined) return `The QuickBooks tax code “${inactive}” of the region “${region}” is inactive.`;
      if (of === 'untaxed' && unusable?.because === 'inactive')
        return `The QuickBooks tax code “${unusable.name}” (0 %), for lines without tax, is inactive.`;
      if (of === 'untaxed' && unusable !== undefined)
        return `QuickBooks has the tax code “${unusable.name}” (0 %), but its name does not show that it is for lines without tax.`;
      if (of === 'untaxed') return 'QuickBooks has no 0 % tax code for lines without tax.';
      return region === null
        ? 'The invoice has taxed lines but no tax region.'
        : `QuickBooks has no tax code “${region}”.`;
    },
    remedy: ({ of, unusable, inactive }) => {
      if (inactive !== undefined)
        return `Make “${inactive}” active in QuickBooks again (Taxes > Sales tax), or map the region to another tax code under Tax Regions.`;
      if (of === 'taxed')
        return 'Give a QuickBooks tax code the name of the tax region, or map the region under Tax Regions.';
      if (unusable === undefined)
        return 'Add a 0 % tax code in QuickBooks (Taxes > Sales tax) named Exempt, Zero, Out of scope or No VAT.';
      return unusable.because === 'inactive'
        ? `Make “${unusable.name}” active in QuickBooks again (Taxes > Sales tax).`
        : 'If it is for lines without tax, add Exempt, Zero, Out of scope or No VAT to its name in QuickBooks (Taxes > Sales tax). Otherwise add such a tax code.';
    },
    repairs: () => [openIn('accounting', 'sales tax')],
  }),
  TAX_CODE_GUESSED: warning<{ readonly name: string; readonly region: string | null }>({
    message: ({ name, region }) =>
      `The lines without tax have the QuickBooks tax code “${name}”, because no tax code is mapped for them${region === null ? '' : ` (tax region “${region}”)`}.`,
    remedy: ({ region }) =>
      `Check the tax code on the document in QuickBooks. Zero-rated, exempt and reverse charge are different boxes of the tax return. To choose the code, map ${region === null ? '' : `“${region}” or `}“${untaxedSource}” under Tax Regions.`,
    screen: screens.taxRegions,
    repairs: ({ region }) => [
      mapping('TaxRegion', { id: untaxedSource, name: untaxedSource }),
      ...(region === null ? [] : [mapping('TaxRegion', { id: region, name: region })]),
    ],
  }),
  TAX_DIFFERS: warning<{
    readonly psa: string;
    readonly accounting: string;
    readonly ours: string;
    readonly difference: string;
    /** Both sides are right: the PSA rounds the tax of each line, QuickBooks that of the document. */
    readonly isRounding?: boolean;
  }>({
    message: ({ psa, accounting, ours, difference, isRounding = false }) =>
      `Tax: QuickBooks ${accounting}, ${psa} ${ours}, difference ${difference}${isRounding ? `. ${psa} rounds the tax of each line, QuickBooks that of the whole invoice` : ''}.`,
    remedy: ({ isRounding = false }) =>
      isRounding
        ? "Both amounts are right. To use {psa}'s tax from now on, change “Source of the sales tax” in Settings."
        : "Send the client the invoice of QuickBooks, or change the tax there to what was billed: open the invoice, click the tax amount, Override. To use {psa}'s tax from now on, change “Source of the sales tax” in Settings.",
    screen: screens.settings,
    repairs: ({ isRounding = false }) => [
      ...(isRounding ? [] : [openIn('accounting', 'the invoice')]),
      setting('inv_tax_authority', 'autotask'),
    ],
  }),
  CREDIT_TAX_WOULD_DIFFER: held<{
    readonly number: string;
    readonly accounting: string;
    readonly ours: string;
    readonly difference: string;
    /** The agencies that would be credited another tax, if only the shares differ; empty or undefined if the total differs. */
    readonly agencies?: string;
  }>({
    message: ({ number, accounting, ours, difference, agencies = '' }) =>
      agencies === ''
        ? `At today’s rates, a credit memo for invoice ${number} would credit ${accounting} of sales tax, but the invoice has ${ours} (${difference}). Nothing was posted.`
        : `At today’s rates, a credit memo for invoice ${number} would divide its sales tax of ${ours} differently among the tax agencies (${agencies}). Nothing was posted.`,
    remedy: ({ number }) =>
      `Enter the credit memo in QuickBooks with the tax of the invoice (+ New > Credit memo, click the tax amount, Override), and enter “${number}” in its Memo on statement (hidden). Or void the invoice there (Sales > Invoices > the invoice > More > Void) if its month may change. Tallybridge detects either automatically.`,
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`), openIn('accounting', 'sales tax')],
  }),
  CREDIT_TAX_DIFFERS: warning<{
    readonly number: string;
    readonly accounting: string;
    readonly ours: string;
    readonly difference: string;
    /** As of {@link CREDIT_TAX_WOULD_DIFFER}. */
    readonly agencies?: string;
  }>({
    message: ({ number, accounting, ours, difference, agencies = '' }) =>
      agencies === ''
        ? `The credit memo credits ${accounting} of sales tax, but invoice ${number} has ${ours} (${difference}).`
        : `The credit memo divides the sales tax of invoice ${number} (${ours}) differently among the tax agencies (${agencies}).`,
    remedy:
      'Open the credit memo in QuickBooks, click the tax amount, and enter the tax of the invoice (Override). Do not void the invoice as well: its amount would be deducted twice.',
    repairs: ({ number }) => [openIn('accounting', 'the credit memo'), openIn('accounting', `invoice ${number}`)],
  }),
  EXCHANGE_RATE_DIFFERS: warning<{ readonly accounting: string; readonly ours: string; readonly worth: string }>({
    message: ({ accounting, ours, worth }) =>
      `The exchange rate ${ours} was sent, but QuickBooks used ${accounting}${worth}.`,
    remedy:
      'Open the document in QuickBooks and correct its exchange rate. If QuickBooks shows the right rate, accept the difference.',
    repairs: () => [openIn('accounting', 'the document')],
  }),
  TAX_NOT_AS_COMPUTED: warning<{ readonly accounting: string; readonly ours: string }>({
    message: ({ accounting, ours }) =>
      `QuickBooks charged ${accounting} of sales tax; at its rates it should be ${ours}.`,
    remedy: 'Check the rates of the tax code in QuickBooks: Taxes > Sales tax > Sales tax settings.',
    repairs: () => [openIn('accounting', 'sales tax')],
  }),
  TAX_REGION_NOT_MATCHED: held<{
    readonly region: string | null;
    /** Name of the region's code that is inactive. Undefined if the region has none. */
    readonly inactive?: string;
  }>({
    message: ({ region, inactive }) =>
      inactive !== undefined
        ? `The invoice is taxed for “${region}”, and its QuickBooks sales tax rate “${inactive}” is inactive. It is not posted yet.`
        : region === null
          ? 'The invoice has taxed lines but no tax region, so QuickBooks would charge the tax of another region. It is not posted yet.'
          : `The invoice is taxed for “${region}”, but QuickBooks has no sales tax rate with that name and would charge another region’s tax. It is not posted yet.`,
    remedy: ({ inactive }) =>
      inactive !== undefined
        ? `Make “${inactive}” active in QuickBooks again (Taxes > Sales tax), or map the region to another rate under Tax Regions. The invoice is then posted automatically.`
        : 'Add a rate with that name in QuickBooks (Taxes > Sales tax > Sales tax settings > Add rate), or map the region under Tax Regions. The invoice is then posted automatically.',
    screen: screens.taxRegions,
    repairs: ({ region }) => (region === null ? [] : [mapping('TaxRegion', { id: region, name: region })]),
  }),
  TAX_WOULD_DIFFER: held<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly accounting: string;
    readonly ours: string;
    readonly difference: string;
    /** Rounding explains the difference, but it exceeds the tenant's limit. Undefined means no. */
    readonly isRounding?: boolean;
  }>({
    message: ({ psa, accounting, ours, difference, isRounding = false }) =>
      `QuickBooks would charge ${accounting} of sales tax, but ${psa} billed ${ours} (${difference}). ${isRounding ? `${psa} rounds the tax of each line, QuickBooks that of the whole invoice. ` : ''}The invoice is not posted yet.`,
    remedy: ({ isRounding = false, menus }) =>
      isRounding
        ? 'Raise the limit “Hold when tax differs by more than” in Settings. The invoice is then posted automatically.'
        : `Correct the rate in {psa} (${menus.taxRates}) or in QuickBooks (Taxes > Sales tax > Sales tax settings), or raise the limit “Hold when tax differs by more than” in Settings. The invoice is then posted automatically.`,
    screen: screens.settings,
    repairs: () => [openIn('psa', 'the tax rates'), openIn('accounting', 'sales tax'), setting('tax_hold_over')],
  }),
  TAX_OF_PSA_NOT_FINAL: held<{
    readonly psa: string;
    /** The PSA's code of the service that calculates the tax. */
    readonly method: string;
    readonly state?: number;
  }>({
    message: ({ psa, method, state }) =>
      `${psa} lets QuickBooks calculate the tax of this invoice (tax method ${method}${state === undefined ? '' : `, status ${state}`}), so the tax in ${psa} is not final. The invoice is not posted.`,
    remedy:
      'With this option, the Smart Accounting Hub of {psa} posts the invoices. Leave them to it, or ask {psa} support to return to its own taxes, then void the invoice and process it again. The guide on switching explains both.',
    repairs: () => [openIn('psa', 'the invoice')],
  }),
  TAX_EXEMPT_CONFLICT: held<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly company: string;
    readonly tax: string;
    /** The service in which the company is exempt. */
    readonly exemptIn: string;
  }>({
    message: ({ psa, company, tax, exemptIn }) =>
      `${company} is exempt from sales tax in ${exemptIn}, but ${psa} billed ${tax} of tax. The invoice is not posted yet.`,
    remedy: ({ menus }) =>
      `If the company is exempt, void the invoice in {psa} and process it again without tax. If not, correct its tax settings: {psa}, ${menus.companyTax}; QuickBooks, Sales > Customers > Edit > Additional info. The invoice is then posted automatically.`,
    repairs: ({ company }) => [openIn('psa', company), openIn('accounting', company)],
  }),
} as const;
