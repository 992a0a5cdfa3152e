/** A record of the PSA that can be mapped. */
export interface SourceRecord {
  /** Id in the PSA, as text; the name for tax regions, because documents carry nothing else of them. */
  readonly value: string;
  readonly name: string;
  readonly isActive: boolean;
  /** External number or stock keeping unit. */
  readonly number?: string | null;
  /** Group that it is chosen by on its screen: the use type of a billing code, the category of a product. */
  readonly group?: string | null;
  /** City of a company: tells companies of one name apart. */
  readonly city?: string | null;
}

/** Lists of the PSA for the mapping screens; inactive records are in them. */
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
