import { BadInput, objectWith, optionalBoolean, optionalNumber, optionalText } from './input.ts';
import { createRandom, type Random } from './random.ts';

/** A fault that replaces or changes the normal response of a request. Milliseconds are real ones. */
export interface FaultAction {
  /** Delay before anything else happens. Can be combined with every other action. */
  readonly delay_ms?: number;
  /** Sends this status instead; the request is not applied unless `apply` is set. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, or a value to send as JSON. */
  readonly body?: unknown;
  /** With `status` and `hang_ms`: whether the request is applied first. */
  readonly apply?: boolean;
  /** Cuts the connection: not applied, applied, or applied later by the sandbox's clock. */
  readonly reset?: 'before' | 'after' | 'late';
  readonly apply_after_seconds?: number;
  /** Applies the request, sends nothing for this long, then cuts the connection. `apply: false` skips the request. */
  readonly hang_ms?: number;
  /** Sends this many bytes of the response's body (half of it for `true`), then cuts the connection. */
  readonly truncate?: number | true;
  /** With `truncate`: ends the response cleanly, as if it were complete. */
  readonly clean?: boolean;
  /** Sends the response's body at this rate. */
  readonly bytes_per_second?: number;
}

/** A rule in the format of the control API. */
export interface FaultRule {
  readonly id: string;
  readonly match: {
    readonly method?: string;
    /** Regular expressions; path and query ignore letter case. */
    readonly path?: string;
    readonly query?: string;
    readonly body?: string;
  };
  /** Number of matching requests to skip first. */
  readonly skip: number;
  /** Maximum number of uses; null for no limit. */
  readonly times: number | null;
  readonly probability: number;
  readonly seed: number;
  readonly action: FaultAction;
  /** Number of matching requests, and of those the fault was applied to. */
  readonly matched: number;
  readonly applied: number;
}

/** The parts of a request that fault rules match. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Called only when a rule matches the body. */
  readonly body: () => string;
}

/** The active rules. */
export interface Faults {
  /** Adds a rule from the body of `POST /__sandbox/faults`; returns its id. Throws BadInput. */
  add(body: unknown): string;
  /** Returns the first rule, in order of creation, that applies to this request. */
  apply(target: FaultTarget): { readonly id: string; readonly action: FaultAction } | undefined;
  list(): readonly FaultRule[];
  /** Removes one rule; returns false when its id is unknown. */
  remove(id: string): boolean;
  clear(): void;
}

interface LiveRule {
  readonly rule: Omit<FaultRule, 'matched' | 'applied'>;
  readonly path: RegExp | undefined;
  readonly query: RegExp | undefined;
  readonly body: RegExp | undefined;
  readonly random: Random;
  matched: number;
  applied: number;
}

function pattern(text: string | undefined, what: string, flags: string): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, flags);
  } catch {
    throw new BadInput(`${what} is not a regular expression: ${text}`);
  }
}

const mainActions = ['status', 'reset', 'hang_ms', 'truncate', 'bytes_per_second'] as const;

function parseAction(value: unknown): FaultAction {
  const allowed = [...mainActions, 'delay_ms', 'headers', 'body', 'apply', 'apply_after_seconds', 'clean'];
  const action = objectWith(value, allowed, 'action');
  const chosen = mainActions.filter((name) => action[name] !== undefined);
  if (chosen.length > 1) throw new BadInput(`action may have only one of: ${mainActions.join(', ')}.`);
  if (chosen.length === 0 && action.delay_ms === undefined)
    throw new BadInput(`action must have one of: delay_ms, ${mainActions.join(', ')}.`);
  const needs = (key: string, ...owners: string[]): void => {
    if (action[key] !== undefined && !owners.some((owner) => action[owner] !== undefined))
      throw new BadInput(`action.${key} only goes with ${owners.join(' or ')}.`);
  };
  needs('headers', 'status');
  needs('body', 'status');
  needs('apply', 'status', 'hang_ms');
  needs('clean', 'truncate');
  needs('apply_after_seconds', 'reset');

  optionalNumber(action.delay_ms, 'action.delay_ms', { min: 0, max: 3_600_000 });
  optionalNumber(action.hang_ms, 'action.hang_ms', { min: 0, max: 3_600_000 });
  optionalNumber(action.status, 'action.status', { min: 200, max: 599, whole: true });
  if (action.truncate !== true) optionalNumber(action.truncate, 'action.truncate', { min: 0, whole: true });
  optionalNumber(action.bytes_per_second, 'action.bytes_per_second', { min: 1 });
  optionalBoolean(action.apply, 'action.apply');
  optionalBoolean(action.clean, 'action.clean');
  if (action.headers !== undefined) {
    const headers = objectWith(action.headers, undefined, 'action.headers');
    const odd = Object.keys(headers).find((name) => typeof headers[name] !== 'string');
    if (odd !== undefined) throw new BadInput(`action.headers.${odd} must be a text.`);
  }
  if (action.reset !== undefined && action.reset !== 'before' && action.reset !== 'after' && action.reset !== 'late')
    throw new BadInput('action.reset must be one of: before, after, late.');
  const wait = optionalNumber(action.apply_after_seconds, 'action.apply_after_seconds', { min: 0 });
  if ((action.reset === 'late') !== (wait !== undefined))
    throw new BadInput('action.apply_after_seconds goes with reset “late”, and only with it.');
  return action;
}

function parseRule(id: string, value: unknown): LiveRule {
  const body = objectWith(value, ['match', 'skip', 'times', 'probability', 'seed', 'action'], 'fault');
  const match = objectWith(body.match ?? {}, ['method', 'path', 'query', 'body'], 'match');
  const method = optionalText(match.method, 'match.method');
  const path = optionalText(match.path, 'match.path');
  const query = optionalText(match.query, 'match.query');
  const text = optionalText(match.body, 'match.body');
  const seed = optionalNumber(body.seed, 'seed', { whole: true }) ?? 1;
  return {
    rule: {
      id,
      match: {
        ...(method !== undefined && { method: method.toUpperCase() }),
        ...(path !== undefined && { path }),
        ...(query !== undefined && { query }),
        ...(text !== undefined && { body: text }),
      },
      skip: optionalNumber(body.skip, 'skip', { min: 0, whole: true }) ?? 0,
      times: optionalNumber(body.times ?? undefined, 'times', { min: 1, whole: true }) ?? null,
      probability: optionalNumber(body.probability, 'probability', { min: 0, max: 1 }) ?? 1,
      seed,
      action: parseAction(body.action),
    },
    path: pattern(path, 'match.path', 'i'),
    query: pattern(query, 'match.query', 'i'),
    body: pattern(text, 'match.body', ''),
    random: createRandom(seed),
    matched: 0,
    applied: 0,
  };
}

const matches = ({ rule, path, query, body }: LiveRule, target: FaultTarget): boolean =>
  (rule.match.method === undefined || rule.match.method === target.method) &&
  (path === undefined || path.test(target.path)) &&
  (query === undefined || query.test(target.query)) &&
  (body === undefined || body.test(target.body()));

/** Creates an empty list of rules. */
export function createFaults(): Faults {
  let rules: LiveRule[] = [];
  let made = 0;
  return {
    add(body) {
      const id = `fault-${made + 1}`;
      rules.push(parseRule(id, body));
      made += 1;
      return id;
    },
    apply(target) {
      for (const live of rules) {
        if (live.rule.times !== null && live.applied >= live.rule.times) continue;
        if (!matches(live, target)) continue;
        live.matched += 1;
        if (live.matched <= live.rule.skip) continue;
        if (live.rule.probability < 1 && !live.random.chance(live.rule.probability)) continue;
        live.applied += 1;
        return { id: live.rule.id, action: live.rule.action };
      }
      return undefined;
    },
    list: () => rules.map(({ rule, matched, applied }) => ({ ...rule, matched, applied })),
    remove(id) {
      const before = rules.length;
      rules = rules.filter((live) => live.rule.id !== id);
      return rules.length < before;
    },
    clear() {
      rules = [];
    },
  };
}
