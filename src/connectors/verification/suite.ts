/**
 * The conformance suite of the services: each belief of the fact pages that can be checked by calls, as data. The same
 * suite runs against test accounts of the vendors (`tallybridge verify-services`) and against both sandboxes.
 */
import { ServiceError } from '#core/service-error.ts';
import { isRecord } from '../quickbooks/errors.ts';

/** What an answer looks like: names of members, types, statuses and codes. */
export type Shape = string | number | boolean | null | readonly Shape[] | { readonly [member: string]: Shape };

/** Result of a check. */
export type Finding =
  | { readonly result: 'holds' }
  | { readonly result: 'differs'; readonly expected: Shape; readonly seen: Shape }
  | { readonly result: 'not tried'; readonly reason: string };

/** One check of one or several facts. */
export interface Check<Service> {
  /** Numbers of the fact pages, e.g. `Q32`. */
  readonly facts: readonly string[];
  /** What is expected, as a sentence without a full stop. */
  readonly title: string;
  /** A check with `writes` creates or changes marked records, and removes or restores them. */
  readonly needs: 'reads' | 'writes';
  /** @throws NotTried if the account lacks what the check needs. */
  readonly run: (service: Service) => Promise<Finding>;
}

/** A check that was run, with its result. */
export interface Verified {
  readonly facts: readonly string[];
  readonly title: string;
  readonly finding: Finding;
}

/** The account lacks what a check needs, or the service did not answer. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** Returns whether the seen shape is the expected one; if not, both, without data of the account. */
export function compared(expected: Shape, seen: Shape): Finding {
  if (isEqual(expected, seen)) return { result: 'holds' };
  return { result: 'differs', expected, seen: withoutData(seen, textsOf(expected)) };
}

function isEqual(one: Shape, other: Shape): boolean {
  if (!isRecord(one) || !isRecord(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
    return one.length === other.length && one.every((value: Shape, at) => isEqual(value, other[at] as Shape));
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isEqual(one[name] ?? null, other[name] ?? null));
}

/** Texts that describe a type, besides codes and the expected texts. */
const typeNames: ReadonlySet<string> = new Set(['text', 'empty text', 'number', 'flag', 'list', 'absent', 'no JSON']);
/** Codes of both services have at most five digits, statuses and counts four. */
const codePattern = /^\d{1,5}$/;
const maxCount = 9_999;
const memberPattern = /^[A-Za-z_][\w.]{0,60}$/;

function textsOf(shape: Shape): ReadonlySet<string> {
  if (typeof shape === 'string') return new Set([shape]);
  if (typeof shape !== 'object' || shape === null) return new Set();
  return new Set(Object.values(shape).flatMap((value: Shape) => [...textsOf(value)]));
}

/**
 * Replaces every value that could be data of the account by its type. Types, codes, statuses, small counts, and texts
 * that the check itself expected remain.
 */
function withoutData(shape: Shape, expected: ReadonlySet<string>): Shape {
  if (shape === null || typeof shape === 'boolean') return shape;
  if (typeof shape === 'number') return Number.isInteger(shape) && Math.abs(shape) <= maxCount ? shape : 'number';
  if (typeof shape === 'string')
    return expected.has(shape) || typeNames.has(shape) || codePattern.test(shape) ? shape : 'text';
  if (Array.isArray(shape)) return shape.map((value: Shape) => withoutData(value, expected));
  return Object.fromEntries(
    Object.entries(shape).map(([name, value]: [string, Shape]) => [
      memberPattern.test(name) ? name : 'member',
      withoutData(value, expected),
    ]),
  );
}

/** Returns the types of a value's members; of a list, those of its first element. */
export function shapeOf(value: unknown): Shape {
  if (value === undefined) return 'absent';
  if (value === null) return null;
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  if (Array.isArray(value)) return value.length === 0 ? 'list' : [shapeOf(value[0])];
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Options of a run. */
export interface RunOptions {
  /** Checks that write are run as well. */
  readonly writes: boolean;
  /** Aborted by Ctrl-C: the check under way ends, no other begins. */
  readonly stopping: AbortSignal;
}

/** Runs the checks one after another, because both services limit parallel calls. */
export async function runChecks<Service>(
  checks: readonly Check<Service>[],
  service: Service,
  { writes, stopping }: RunOptions,
): Promise<readonly Verified[]> {
  const results: Verified[] = [];
  for (const { facts, title, needs, run } of checks) {
    const finding = stopping.aborted
      ? skipped('The run was stopped.')
      : needs === 'writes' && !writes
        ? skipped('It writes; run with --write.')
        : await findingOf(run, service);
    results.push({ facts, title, finding });
  }
  return results;
}

const skipped = (reason: string): Finding => ({ result: 'not tried', reason });

/** Returns the results of checks that could not run, e.g. because a service is not connected. */
export const notTried = <Service>(checks: readonly Check<Service>[], reason: string): readonly Verified[] =>
  checks.map(({ facts, title }) => ({ facts, title, finding: skipped(reason) }));

async function findingOf<Service>(run: Check<Service>['run'], service: Service): Promise<Finding> {
  try {
    return await run(service);
  } catch (error) {
    if (error instanceof NotTried) return skipped(error.message);
    if (error instanceof ServiceError) return skipped(`The service gave no access (${error.about.code}).`);
    throw error;
  }
}
