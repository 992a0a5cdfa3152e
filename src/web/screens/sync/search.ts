import type { SubmittableKind } from '#core/kinds.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import type { PsaCondition } from '#core/ports/psa.ts';
import { isCalendarDate, startOfDay, type CalendarDate, type Instant } from '#core/values/dates.ts';

/** A search of a sync screen (specification 2, “Shared sync screens”). */
export type Search =
  | { readonly by: 'settings' }
  | { readonly by: 'date'; readonly from: CalendarDate }
  | { readonly by: 'id'; readonly id: number };

/** Facts that a search depends on besides itself. */
export interface SearchFacts {
  readonly now: Instant;
  /** IANA name of the client's time zone. */
  readonly timeZone: string;
  /** `*_max_age_days` of the kind. */
  readonly maxAgeDays: number;
  /** Invoices: the PSA's own number is used (`inv_numbering_option`). */
  readonly usesPsaNumber: boolean;
}

/** The condition for documents of a kind that can be synced at all; of invoices all but the voided ones. */
const eligibleStatus = {
  invoice: { field: 'isVoided', op: 'noteq', value: true },
  purchase_order: { field: 'status', op: 'eq', value: 2 },
  expense_report: { field: 'status', op: 'eq', value: 3 },
} as const satisfies Record<SubmittableKind, PsaCondition>;

const dateFields = {
  invoice: 'createDateTime',
  purchase_order: 'createDateTime',
  expense_report: 'submitDate',
} as const satisfies Record<SubmittableKind, string>;

/** The conditions of a search, in the PSA's own words (specification 2, section 7). */
export function conditionsOf(kind: SubmittableKind, search: Search, facts: SearchFacts): readonly PsaCondition[] {
  const status = eligibleStatus[kind];
  if (search.by === 'id') return [{ field: 'id', op: 'eq', value: search.id }, status];
  const from =
    search.by === 'date'
      ? startOfDay(search.from, facts.timeZone)
      : thresholdOf(facts.now, facts.timeZone, facts.maxAgeDays);
  const unsent: readonly PsaCondition[] =
    kind === 'invoice' && search.by === 'settings' && facts.usesPsaNumber
      ? [{ field: 'webServiceDate', op: 'notExist' }]
      : [];
  return [status, ...unsent, { field: dateFields[kind], op: 'gte', value: from }];
}

const largestId = 2_147_483_647;

/** Reads the active search from an address; what does not fit is a search by the settings. */
export function readSearch(query: URLSearchParams): Search {
  const id = Number(query.get('id'));
  if (query.get('by') === 'id' && Number.isInteger(id) && id > 0 && id <= largestId) return { by: 'id', id };
  const from = query.get('from');
  if (query.get('by') === 'date' && from !== null && isDay(from)) return { by: 'date', from };
  return { by: 'settings' };
}

/** A search as it stands in an address. */
export function toQuery(search: Search): URLSearchParams {
  if (search.by === 'id') return new URLSearchParams({ by: 'id', id: String(search.id) });
  if (search.by === 'date') return new URLSearchParams({ by: 'date', from: search.from });
  return new URLSearchParams();
}

/** A part that a search lacks. */
type MissingInSearch = 'noDate' | 'noId';

/** The search that a person has filled in; or what it lacks. */
export function searchOf(by: Search['by'], from: string, id: string): Search | MissingInSearch {
  if (by === 'settings') return { by };
  if (by === 'date') return isDay(from) ? { by, from } : 'noDate';
  const number = Number(id);
  return /^\d+$/.test(id.trim()) && number > 0 && number <= largestId ? { by, id: number } : 'noId';
}

/** The first day of the month, where a search by date begins. @param today in the client's time zone */
export const startOfMonth = (today: CalendarDate): string => `${today.slice(0, 8)}01`;

function isDay(text: string): text is CalendarDate {
  try {
    return isCalendarDate(text);
  } catch {
    // The 45th of a month has the right form, but no time.
    return false;
  }
}
