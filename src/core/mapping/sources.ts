/** A PSA record that can be mapped. */
export interface SourceRecord {
  /** Id in the PSA, as text. For tax regions it is the name, because documents contain only the name. */
  readonly value: string;
  readonly name: string;
  readonly isActive: boolean;
  /** External number or stock keeping unit. */
  readonly number?: string | null;
  /** Group in which its screen lists it: the use type of a billing code, the category of a product. */
  readonly group?: string | null;
  /** City of a company; distinguishes companies with the same name. */
  readonly city?: string | null;
}

/** PSA lists for the mapping screens, including inactive records. */
export interface MappingSources {
  readonly customers: readonly SourceRecord[];
  readonly vendors: readonly SourceRecord[];
  /** Resources of the PSA; absent in lists that an earlier version cached. */
  readonly employees?: readonly SourceRecord[];
  readonly billingCodes: readonly SourceRecord[];
  readonly products: readonly SourceRecord[];
  readonly productCategories: readonly { readonly value: string; readonly text: string }[];
  readonly expenseCategories: readonly SourceRecord[];
  readonly linesOfBusiness: readonly SourceRecord[];
  readonly taxRegions: readonly SourceRecord[];
}
