import { openIn, person, warning } from './entry.ts';

/** Sales tax: where it cannot be charged, and where the two services disagree. */
export const taxProblems = {
  TAX_ADDRESS_INCOMPLETE: person<{ readonly psa: string; readonly company: string }>({
    message: ({ company }) => `The sales tax address of ${company} is incomplete.`,
    remedy: 'Complete the address in {psa}: state and postal code are needed.',
    repairs: ({ company }) => [openIn('psa', company)],
  }),
  TAX_CODE_REQUIRED: person<{
    /** The lines that have none; taxed ones take the code that is called like the region. */
    readonly of: 'taxed' | 'untaxed';
    readonly region?: string | null;
  }>({
    message: ({ of, region = null }) => {
      if (of === 'untaxed') return 'QuickBooks has no active tax code of 0 % for lines without tax.';
      return region === null
        ? 'The invoice has taxed lines but no tax region.'
        : `No QuickBooks tax code is called "${region}".`;
    },
    remedy:
      'Name a QuickBooks tax code like the tax region; lines without tax need one of 0 % that is called Exempt, Zero, Out of scope or No VAT.',
    repairs: () => [openIn('accounting', 'sales tax')],
  }),
  TAX_DIFFERS: warning<{
    readonly psa: string;
    readonly books: string;
    readonly ours: string;
    readonly difference: string;
  }>({
    message: ({ psa, books, ours, difference }) =>
      `Tax: QuickBooks ${books}, ${psa} ${ours}, difference ${difference}.`,
  }),
  TAX_REGION_NOT_MATCHED: warning<{ readonly region: string | null }>({
    message: ({ region }) =>
      region === null
        ? "The invoice has no tax region; the customer's own tax code applies."
        : `QuickBooks has no tax code called "${region}"; the customer's own tax code applies.`,
    remedy: 'Name a QuickBooks tax code like the tax region.',
  }),
} as const;
