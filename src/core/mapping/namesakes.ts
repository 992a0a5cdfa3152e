import type { AccountingLists } from '../documents/reference-data.ts';
import type { Plan } from '../planning/plan.ts';
import { cleanName, normalized } from '../values/text.ts';
import { createAs, type Mapping, mappingNamespaces, type PartyNamespace, sideOf } from './mapping.ts';
import { haveSameName } from './similar-names.ts';
import type { MappingSources, SourceRecord } from './sources.ts';

/** A company or employee whose customer or vendor a plan found or creates by name. */
interface NamedSource {
  readonly as: PartyNamespace;
  readonly id: number;
  /** Name in the PSA. */
  readonly name: string;
  /** Name in QuickBooks that decided. */
  readonly displayName: string;
}

/** Returns the companies and employees of a plan whose customer or vendor was decided by a name. */
export const decidedByName = (plan: Plan): readonly NamedSource[] => [
  ...(plan.matches ?? []).map(({ as, companyId: id, companyName: name, targetName }) => ({
    as,
    id,
    name,
    displayName: as === 'Employee' ? targetName : cleanName(name),
  })),
  ...plan.commands.flatMap((command): NamedSource[] => {
    if (command.do === 'create_customer') {
      const { companyId: id, companyName, displayName } = command.customer;
      return [{ as: 'Customer', id, name: companyName ?? displayName, displayName }];
    }
    if (command.do !== 'create_vendor') return [];
    const { companyId: id, companyName, displayName, employee } = command.vendor;
    if (id !== null) return [{ as: 'Vendor', id, name: companyName ?? displayName, displayName }];
    return employee === undefined ? [] : [{ as: 'Employee', ...employee, displayName }];
  }),
];

/** What decides whether two companies or employees could mean the same customer or vendor. */
export interface NameFacts {
  readonly sources: MappingSources;
  readonly mappings: readonly Mapping[];
  readonly accounting: Pick<AccountingLists, 'customers' | 'vendors'>;
}

/**
 * Returns claims of other companies or employees with the same name, apart from case, punctuation and legal form: a name
 * that two of them have decides for neither. One that is mapped, or has a separate QuickBooks record with its exact name,
 * claims nothing; neither does anyone if a user chose the name of the new record.
 */
export function claimsOfNamesakes(plan: Plan, facts: NameFacts): readonly Mapping[] {
  const { mappings, accounting } = facts;
  const isMapped = (as: PartyNamespace, id: string) =>
    mappings.some((mapping) => mapping.isClaim !== true && mapping.namespace === as && mapping.sourceValue === id);
  return decidedByName(plan).flatMap((decided) => {
    const { as, id, name, displayName } = decided;
    if (isMapped(as, String(id))) return [];
    return sourcesOf(as, facts.sources)
      .filter((source) => source.value !== String(id) && haveSameName(source.name, name) && !isMapped(as, source.value))
      .filter((source) => !hasOwnRecord(source, decided, accounting))
      .map((source): Mapping => ({
        id: 'claim',
        isClaim: true,
        sharesName: true,
        namespace: as,
        sourceEntity: mappingNamespaces[as].source,
        sourceValue: source.value,
        sourceLabel: source.name,
        targetEntity: mappingNamespaces[as].target,
        targetValue: createAs(displayName),
        targetLabel: displayName,
      }));
  });
}

const sourcesOf = (as: PartyNamespace, { customers, vendors, employees = [] }: MappingSources) =>
  ({ Customer: customers, Vendor: vendors, Employee: employees })[as];

/** Returns whether a namesake with a slightly different name has an active record with exactly its name. */
function hasOwnRecord(
  { name }: SourceRecord,
  { as, name: decided }: NamedSource,
  { customers, vendors }: NameFacts['accounting'],
): boolean {
  const exact = normalized(cleanName(name));
  if (as === 'Employee' || exact === normalized(cleanName(decided))) return false;
  return (sideOf(as) === 'Customer' ? customers : vendors).some(
    ({ isActive, displayName, companyName }) =>
      isActive && (normalized(displayName) === exact || normalized(companyName ?? '') === exact),
  );
}
