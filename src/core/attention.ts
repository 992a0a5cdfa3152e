import type { Unresolved } from './records/log.ts';
import { usedRecords, type Problem, type ProblemCode, type Repair } from './problems.ts';
import { absolute, plus, zero, compare, type Decimal } from './values/decimal.ts';

/**
 * State of an unfinished document: `needs_you` waits for a person, `held` for a date or a limit, `retrying` for a
 * service that did not respond.
 */
export type AttentionState = 'needs_you' | 'held' | 'retrying';

/** Documents with one cause, which one fix resolves. */
export interface AttentionGroup {
  /** Identifies the group; stable while its cause exists. */
  readonly key: string;
  readonly state: AttentionState;
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly screen: string | null;
  readonly repairs: readonly Repair[];
  /** Newest first. */
  readonly documents: readonly Unresolved[];
}

/**
 * Groups unfinished documents by cause. Each missing mapping is one cause, so a document that lacks two mappings is in
 * two groups; so is each missing setting. Any other cause is the problem's message without the document's own values. A
 * document with several problems counts under the first one that needs a person, and under each of the others that
 * lacks a mapping or a setting. Groups that need a person come first, then groups with the largest amounts.
 */
export function groupByCause(documents: readonly Unresolved[]): readonly AttentionGroup[] {
  const groups = new Map<string, AttentionGroup>();
  for (const document of documents)
    for (const { ofSeveral, ...cause } of causesOf(document)) {
      const known = groups.get(cause.key);
      groups.set(
        cause.key,
        known === undefined
          ? { ...cause, documents: [document] }
          : {
              ...known,
              message: known.message === cause.message ? known.message : ofSeveral,
              documents: [...known.documents, document],
            },
      );
    }
  return [...groups.values()].toSorted(
    (a, b) =>
      order.indexOf(a.state) - order.indexOf(b.state) ||
      compare(heldBy(b), heldBy(a)) ||
      b.documents.length - a.documents.length,
  );
}

interface Cause extends Omit<AttentionGroup, 'documents'> {
  /** Message of the group when the messages of its documents differ. */
  readonly ofSeveral: string;
}

function causesOf(document: Unresolved): readonly Cause[] {
  const [first, ...others] = problemsOf(document);
  const causes = [first, ...others.filter(isSetup)].flatMap((one) => causesOfProblem(one, document));
  return [...new Map(causes.toReversed().map((cause) => [cause.key, cause])).values()].toReversed();
}

/** Returns whether a missing mapping or setting causes a problem. */
const isSetup = ({ repairs = [] }: Problem): boolean =>
  repairs.some((repair) => repair.do === 'map' || repair.do === 'choose_setting');

function causesOfProblem(problem: Problem | undefined, document: Unresolved): readonly Cause[] {
  const repairs = problem?.repairs ?? [];
  const cause = {
    state: stateOf(document.problems),
    code: problem?.code ?? 'UNKNOWN',
    message: problem?.message ?? document.message,
    remedy: problem?.remedy ?? null,
    screen: problem?.screen ?? null,
  };
  const keyOf = (what: unknown) => JSON.stringify([cause.state, cause.code, what]);
  const mappings = Map.groupBy(
    repairs.filter((repair) => repair.do === 'map'),
    ({ namespace, sourceEntity, sourceValue }) => JSON.stringify([namespace, sourceEntity, sourceValue]),
  );
  if (mappings.size > 0)
    return [...mappings].map(([source, own]) => {
      const ofSeveral = notMapped(own[0]);
      return {
        ...cause,
        key: keyOf(source),
        message: mappings.size === 1 ? cause.message : ofSeveral,
        ofSeveral,
        repairs: repairs.filter((repair) => repair.do !== 'map' || own.includes(repair)),
      };
    });
  const settings = repairs.filter((repair) => repair.do === 'choose_setting' || repair.do === 'reconnect');
  const [refusal = ''] = cause.message.split(usedRecords, 1);
  const isReference = cause.code === 'QBO_REFERENCE';
  const words = isReference ? refusal : namesRecord.has(cause.code) ? cause.message : general(cause.message, document);
  // QuickBooks names the missing record by its id, or not at all; then it is one of those that the document uses.
  const same = isReference && !/\d/.test(refusal) ? cause.message : words;
  const remedy = cause.remedy === null ? null : general(cause.remedy, document);
  const key = keyOf([same, remedy, settings.map((setting) => JSON.stringify(setting)).toSorted()]);
  return [{ ...cause, key, ofSeveral: words, repairs }];
}

/** Problems of a record that several documents use. Each record is one cause. */
const namesRecord: ReadonlySet<string> = new Set<ProblemCode>([
  'COMPANY_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'OWN_ITEM_UNUSABLE',
  'EXCHANGE_RATE_MISSING',
  'TAX_ADDRESS_INCOMPLETE',
]);

/** Returns the message of one missing mapping; billable and non-billable expenses are mapped separately. */
function notMapped(repair: Extract<Repair, { readonly do: 'map' }> | undefined): string {
  const label = `“${repair?.sourceLabel ?? ''}”`;
  if (repair?.namespace === 'ExpenseCategoryBillable') return `No billable account is mapped for ${label}.`;
  if (repair?.namespace === 'ExpenseCategoryNonBillable') return `No non-billable account is mapped for ${label}.`;
  return `${label} is not mapped.`;
}

/** Removes the values of one document from a message: its number, party, amounts, dates and quoted values. */
function general(message: string, document: Unresolved | undefined): string {
  const own = [document?.party, document?.number].flatMap((text) =>
    text === null || text === undefined ? [] : [text],
  );
  return own
    .filter((text) => text.length > 1)
    .reduce((text, part) => text.replaceAll(part, '…'), message)
    .replaceAll(/["“][^"“”]*["”]/g, '“…”')
    .replace(/(supplied value):.*/is, '$1: …')
    .replaceAll(/\b[A-Z][a-z]{2} \d{1,2}, \d{4}\b/g, '…')
    .replaceAll(/[A-Za-z][\w-]*/g, (word) => (/^[A-Za-z]+-[\w-]*\d/.test(word) ? '…' : word))
    .replaceAll(/(?<!\w)\d[\w.,:-]*\d|(?<!\w)\d/g, '…');
}

const order: readonly AttentionState[] = ['needs_you', 'held', 'retrying'];

/** Returns the problems of the most severe state, which a person fixes first. */
function problemsOf({ problems }: Unresolved): readonly Problem[] {
  const state = stateOf(problems);
  const own = problems.filter((problem) => problem.treatment !== 'warning' && stateOf([problem]) === state);
  return own.length > 0 ? own : problems.slice(0, 1);
}

/** Returns what an unfinished document waits for, from its problems. */
export function stateOf(problems: readonly Pick<Partial<Problem>, 'treatment'>[]): AttentionState {
  const treatments = new Set(problems.map(({ treatment }) => treatment));
  if (treatments.has('person') || treatments.has('stops_run')) return 'needs_you';
  if (treatments.has('held')) return 'held';
  return treatments.has('transient') ? 'retrying' : 'needs_you';
}

/** Largest amount that a group holds in one currency, ignoring signs. Currencies are never added together. */
const heldBy = ({ documents }: AttentionGroup): Decimal => {
  const sums = new Map<string | null, Decimal>();
  for (const { amount, currency } of documents)
    if (amount !== null) sums.set(currency, plus(sums.get(currency) ?? zero, absolute(amount)));
  return [...sums.values()].reduce((most, sum) => (compare(sum, most) > 0 ? sum : most), zero);
};

/** Counts the documents in each state; a document in several groups counts once. */
export function countByState(
  groups: readonly Pick<AttentionGroup, 'state' | 'documents'>[],
): Readonly<Record<AttentionState, number>> {
  const counts = { needs_you: new Set(), held: new Set(), retrying: new Set() };
  for (const { state, documents } of groups)
    for (const { type, psaId } of documents) counts[state].add(`${type} ${psaId}`);
  return { needs_you: counts.needs_you.size, held: counts.held.size, retrying: counts.retrying.size };
}
