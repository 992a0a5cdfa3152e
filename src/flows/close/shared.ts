import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { AccountingLists, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { Month } from '#core/reconciliation/month.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { TenantContext } from '../context.ts';

/** The lists supply only names, accounts and currencies to a proof. */
export const listsMaxAgeSeconds = 3_600;

/** Facts that the gathering functions of all kinds use. */
export interface Shared {
  readonly context: TenantContext;
  readonly psa: Psa;
  readonly accounting: Accounting;
  readonly month: Month;
  readonly settings: Settings;
  readonly psaLists: PsaReferenceData;
  readonly accountingLists: AccountingLists;
  readonly mappings: readonly Mapping[];
  /** All QuickBooks documents dated in the month. */
  readonly documents: readonly AccountingDocument[];
  readonly timeZone: string;
}
