import type { AccountingLists } from '../documents/reference-data.ts';
import type { Company } from '../documents/party.ts';
import type { Mode, Trigger } from '../kinds.ts';
import { type Mapping, withOwner } from '../mapping/mapping.ts';
import { problem, problemOfVendor } from '../problems.ts';
import { type AccountUse, isAccountFor } from '../settings/definition.ts';
import type { Settings } from '../settings/definitions.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import { truncate } from '../values/text.ts';
import { chooseCustomer, customerMatch, type VendorChoice } from './choose-party.ts';
import type { Command, Reference } from './plan.ts';
import { type AccountingIndex, indexMappings, type MappingIndex, type PsaIndex } from './reference-index.ts';
import { syncedText } from './messages.ts';
import type { DecisionLog } from './decision.ts';
import { taxRegimeOf, untaxedLineCode } from './tax.ts';
import type { PsaReferenceData } from '../documents/reference-data.ts';

/** Facts that decide on purchase orders and expense reports, apart from the document itself. */
export interface PurchaseFacts {
  readonly settings: Settings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  readonly accounting: AccountingLists;
  /** The PSA's label, e.g. `Autotask`. */
  readonly psaLabel: string;
  readonly now: Instant;
  readonly mode: Mode;
  readonly trigger: Trigger;
  /** Number of documents requested for the source, including this one; the first is 1. */
  readonly generation: number;
}

/** Indexes of the three sets of lists that decisions use. */
export interface Indexes {
  readonly psa: PsaIndex;
  readonly accounting: AccountingIndex;
  readonly mappings: MappingIndex;
}

/** Longest note, message or line text in QuickBooks. */
export const maxTextLength = 4_000;

/** Returns the chosen account if it can be used for this purpose; null if none is chosen or it no longer fits. */
export function usableAccount(id: string | null, use: AccountUse, { accounts }: AccountingLists): string | null {
  const account = accounts.find((one) => one.id === id);
  return account !== undefined && isAccountFor(use, account) ? account.id : null;
}

/**
 * Returns the reference to the document's vendor, and adds a command if the vendor is new.
 *
 * @param of id and name of the company or employee in the PSA
 */
export function vendorReference(
  choice: VendorChoice,
  { name, id: sourceId, as }: { readonly name: string; readonly id: number; readonly as: 'Vendor' | 'Employee' },
  ofAmounts: string,
  { preferences }: AccountingLists,
  commands: Command[],
  log: DecisionLog,
): Reference | null {
  if (choice.is === 'refused') {
    log.refuse(choice.problem);
    return null;
  }
  if (choice.is === 'new') {
    log.note('info', `Vendor: ${name} -> new vendor ${choice.vendor.displayName} (to be created)`);
    return { fromCommand: commands.push({ do: 'create_vendor', vendor: choice.vendor }) - 1 };
  }
  const { id, displayName, currency } = choice.vendor;
  log.note('info', `Vendor: ${name} -> ${id} ${displayName} (${choice.by})`);
  log.match(choice.by, { as, companyId: sourceId, companyName: name, targetId: id, targetName: displayName });
  // QuickBooks reads amounts in the vendor's own currency, so a mismatch is never sent.
  if (preferences.multiCurrency && currency !== null && currency !== ofAmounts) {
    const message = `${name} uses ${ofAmounts}, the QuickBooks vendor uses ${currency}.`;
    const company = { id: sourceId, name };
    log.refuse(problemOfVendor({ code: 'CURRENCY_MISMATCH', message, name, namespace: as, company }));
  }
  return { id, name: displayName };
}

/** Chooses the customers that lines are for. Adds one command for each new customer. */
export function customersOf(
  companies: readonly Company[],
  { psa, accounting, mappings }: Indexes,
  facts: Pick<PurchaseFacts, 'psa' | 'accounting' | 'settings'>,
  commands: Command[],
  log: DecisionLog,
): ReadonlyMap<number, Reference> {
  const isForeign = facts.psa.modules.multiCurrency && facts.accounting.preferences.multiCurrency;
  const chosen = new Map<number, Reference>();
  let { owners } = mappings;
  const claim = ({ id, name }: Company, target: Parameters<typeof withOwner>[2]) => {
    owners = withOwner(owners, { namespace: 'Customer', id: String(id), name }, target);
  };
  for (const company of companies) {
    const own = psa.currencyCodes.get(company.currencyId ?? Number.NaN) ?? psa.internalCurrency;
    const known = owners === undefined ? mappings : { ...mappings, owners };
    const choice = chooseCustomer(company, accounting, known, {
      termId: null,
      currency: isForeign ? own : null,
      mayCreate: facts.settings.customer_create_automatically,
      reportsSimilar: facts.settings.ask_before_creating_similar,
      needsExemptReason: facts.accounting.preferences.automatedSalesTax,
    });
    if (choice.is === 'refused') {
      log.refuse(choice.problem);
    } else if (choice.is === 'new') {
      log.note('info', `Customer: ${company.name} -> new customer ${choice.customer.displayName} (to be created)`);
      claim(company, { createAs: choice.customer.displayName });
      chosen.set(company.id, {
        fromCommand: commands.push({ do: 'create_customer', customer: choice.customer }) - 1,
      });
    } else {
      const { id, displayName } = choice.customer;
      log.note('info', `Customer: ${company.name} -> ${id} ${displayName} (${choice.by})`);
      log.match(choice.by, customerMatch(company, choice.customer));
      claim(company, { id });
      chosen.set(company.id, { id, name: displayName });
    }
  }
  return chosen;
}

/** Returns the tax code of untaxed lines of a day: none in the US, a code with 0 % elsewhere. */
export function untaxedLines(
  { accounting, mappings }: Pick<PurchaseFacts, 'accounting' | 'mappings'>,
  on: CalendarDate,
  log: DecisionLog,
): { readonly taxCode: string | null; readonly taxExcluded: boolean } {
  const regime = taxRegimeOf(accounting);
  if (regime !== 'elsewhere') return { taxCode: null, taxExcluded: false };
  const taxes = { regime, regionName: null, on, accounting, mappings: indexMappings(mappings) };
  return { taxCode: untaxedLineCode(taxes, log), taxExcluded: true };
}

/** Returns the problem that a PSA company could not be read. */
export const companyMissing = (psaLabel: string, id: number) => problem('COMPANY_NOT_FOUND', { psa: psaLabel, id });

/** Returns a note that names the source, so a search in QuickBooks finds the document even if its response was lost. */
export function sourceNote(
  parts: readonly string[],
  { now, generation }: Pick<PurchaseFacts, 'now' | 'generation'>,
  moved: string | null,
): string {
  const whole = [...parts, syncedText(now, generation), ...(moved === null ? [] : [moved])];
  return truncate(whole.join(' · '), maxTextLength, '…');
}
