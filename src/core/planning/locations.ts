import type { AccountingLists } from '../documents/reference-data.ts';
import { problem } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import type { Settings } from '../settings/definitions.ts';
import { normalized } from '../values/text.ts';
import type { DecisionLog } from './decision-log.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';

/** Facts that determine a location; null if unknown. */
export interface LocationSource {
  readonly lineOfBusinessId: number | null;
  /** The number and the name of its department in the PSA. */
  readonly department: readonly string[];
}

export interface LocationFacts {
  readonly settings: Pick<Settings, 'location_by'>;
  readonly preferences: AccountingLists['preferences'];
  readonly psa: PsaIndex;
  readonly books: AccountingIndex;
  readonly mappings: MappingIndex;
}

/** Returns the department of a billing code: its number and its name. */
export const departmentOf = (billingCodeId: number | null, psa: PsaIndex): readonly string[] =>
  billingCodeId === null ? [] : (psa.departmentOfCode.get(billingCodeId) ?? []);

/**
 * Chooses the location of a document (domain reference 5.12): the one that its lines of business are mapped to, or the
 * one with the department's name. The QuickBooks API calls a location a department.
 *
 * QuickBooks allows one location per document. If there are several, none is set, and a warning reports it.
 *
 * @param sources sources of the document's lines, or of the document itself
 * @returns the location's id; null if none is to be set
 */
export function chooseLocation(
  sources: readonly LocationSource[],
  facts: LocationFacts,
  log: DecisionLog,
): string | null {
  const { location_by: by } = facts.settings;
  if (by === 'none') return null;
  if (facts.preferences.tracksLocations !== true) {
    log.note('info', 'Locations: not tracked in QuickBooks, none set');
    return null;
  }
  const found = by === 'department' ? byDepartment(sources, facts) : byLineOfBusiness(sources, facts);
  if (found.unknown.length > 0)
    log.warn(
      problem('LOCATION_NOT_MAPPED', {
        list: found.unknown.map(({ name }) => `“${name}”`).join(', '),
        linesOfBusiness: by === 'department' ? [] : found.unknown,
      }),
    );
  const [first, ...others] = new Set(found.ids);
  if (others.length > 0) {
    log.warn(problem('LOCATIONS_DIFFER'));
    return null;
  }
  if (first === undefined) return null;
  log.note('info', `Location: ${facts.books.locationNames.get(first) ?? first}`);
  return first;
}

interface Found {
  readonly ids: readonly string[];
  /** Sources without a location, each once. */
  readonly unknown: readonly Source[];
}

function byLineOfBusiness(sources: readonly LocationSource[], { psa, books, mappings }: LocationFacts): Found {
  const ids = [...new Set(sources.flatMap(({ lineOfBusinessId }) => lineOfBusinessId ?? []))];
  const found = ids.map((id) => {
    const target = mappings.Location?.get(String(id))?.targetValue;
    return { id, target: target !== undefined && books.locationNames.has(target) ? target : null };
  });
  return {
    ids: found.flatMap(({ target }) => target ?? []),
    unknown: found
      .filter(({ target }) => target === null)
      .map(({ id }) => ({ id, name: psa.linesOfBusiness.get(id) ?? String(id) })),
  };
}

function byDepartment(sources: readonly LocationSource[], { books }: LocationFacts): Found {
  const departments = new Map(
    sources.flatMap(({ department }) => (department[0] === undefined ? [] : [[department[0], department] as const])),
  );
  const found = [...departments].map(([name, names]) => ({
    name,
    ids: names.flatMap((one) => books.locationIdsByName.get(normalized(one)) ?? []).slice(0, 1),
  }));
  return {
    ids: found.flatMap(({ ids }) => ids),
    unknown: found.filter(({ ids }) => ids.length === 0).map(({ name }) => ({ id: name, name })),
  };
}
