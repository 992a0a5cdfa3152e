import type { SubmittableKind } from '#core/kinds.ts';
import { countOf, formatDate } from '../../data/format.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import type { PsaCondition } from '#core/ports/psa.ts';
import {
  addDays,
  documentDate,
  isCalendarDate,
  startOfDay,
  type CalendarDate,
  type Instant,
} from '#core/values/dates.ts';

/** A search of a sync screen (specification 2, “Shared sync screens”). */
export type Search =
  | { readonly by: 'settings' }
  | { readonly by: 'date'; readonly from: CalendarDate }
  /** Invoices dated on one day, as the chart of the Overview adds them up. */
  | { readonly by: 'day'; readonly on: CalendarDate }
  | { readonly by: 'id'; readonly id: number };

/** Everything else that a search depends on. */
export interface SearchFacts {
  readonly now: Instant;
  /** IANA name of the client's time zone. */
  readonly timeZone: string;
  /** `*_max_age_days` of the kind. */
  readonly maxAgeDays: number;
  /** Invoices: the PSA's own number is used (`inv_numbering_option`). */
  readonly usesPsaNumber: boolean;
}

/** Conditions for documents that can be synced: approved reports, submitted orders, invoices that are not voided. */
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

/** Returns the conditions of a search as PSA fields (specification 2, section 7). */
export function conditionsOf(kind: SubmittableKind, search: Search, facts: SearchFacts): readonly PsaCondition[] {
  const status = eligibleStatus[kind];
  if (search.by === 'id') return [{ field: 'id', op: 'eq', value: search.id }, status];
  if (search.by === 'day')
    // The PSA stores a date as midnight in UTC or as a time, so `isOfSearch` drops the neighboring days.
    return [
      status,
      { field: 'invoiceDateTime', op: 'gte', value: `${addDays(search.on, -1)}T00:00:00.000Z` },
      { field: 'invoiceDateTime', op: 'lte', value: `${addDays(search.on, 1)}T23:59:59.999Z` },
    ];
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

/** Returns whether a found document belongs to the search. @param invoicedAt date or time of an invoice, as in the PSA */
export const isOfSearch = (search: Search, invoicedAt: string | null, timeZone: string): boolean =>
  search.by !== 'day' || (invoicedAt !== null && documentDate(invoicedAt, timeZone) === search.on);

const maxId = 2_147_483_647;

/** Reads the search from the URL; an invalid one becomes a search by settings. */
export function readSearch(query: URLSearchParams, kind: SubmittableKind): Search {
  const on = query.get('on');
  if (query.get('by') === 'day' && kind === 'invoice' && on !== null && isCalendarDate(on)) return { by: 'day', on };
  const id = Number(query.get('id'));
  if (query.get('by') === 'id' && Number.isInteger(id) && id > 0 && id <= maxId) return { by: 'id', id };
  const from = query.get('from');
  if (query.get('by') === 'date' && from !== null && isCalendarDate(from)) return { by: 'date', from };
  return { by: 'settings' };
}

/** Returns the URL query of a search. */
export function toQuery(search: Search): URLSearchParams {
  if (search.by === 'id') return new URLSearchParams({ by: 'id', id: String(search.id) });
  if (search.by === 'date') return new URLSearchParams({ by: 'date', from: search.from });
  if (search.by === 'day') return new URLSearchParams({ by: 'day', on: search.on });
  return new URLSearchParams();
}

/** A missing input of a search. */
type MissingInSearch = 'noDate' | 'noId';

/** Returns the search from the form’s inputs, or what is missing. */
export function searchOf(by: Search['by'], from: string, id: string): Search | MissingInSearch {
  if (by === 'settings') return { by };
  if (by === 'date') return isCalendarDate(from) ? { by, from } : 'noDate';
  if (by === 'day') return isCalendarDate(from) ? { by, on: from } : 'noDate';
  const number = Number(id);
  return /^\d+$/.test(id.trim()) && number > 0 && number <= maxId ? { by, id: number } : 'noId';
}

/** Returns the first day of the month, the default of a search by date. @param today in the client’s time zone */
export const startOfMonth = (today: CalendarDate): string => `${today.slice(0, 8)}01`;

/**
 * Returns a sentence about the active search.
 *
 * @param psa label of the PSA
 */
export function describeSearch(kind: SubmittableKind, search: Search, facts: SearchFacts, psa: string): string {
  const { one, many, verb } = searchNouns[kind];
  if (search.by === 'id') return `The ${one} with ${psa} ID ${search.id}.`;
  if (search.by === 'date') return `${many} ${verb} on or after ${formatDate(search.from)}.`;
  if (search.by === 'day') return `${many} dated ${formatDate(search.on)}.`;
  const maxAge = `${many} ${verb} in the last ${countOf(facts.maxAgeDays, 'day')} (from your settings)`;
  return kind === 'invoice' && facts.usesPsaNumber ? `${maxAge} and not exported yet.` : `${maxAge}.`;
}

const searchNouns = {
  invoice: { one: 'invoice', many: 'Invoices that are not voided,', verb: 'created' },
  purchase_order: { one: 'submitted purchase order', many: 'Submitted purchase orders', verb: 'created' },
  expense_report: { one: 'approved expense report', many: 'Approved expense reports', verb: 'submitted' },
} as const satisfies Record<SubmittableKind, unknown>;
