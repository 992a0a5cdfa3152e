import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, type JsonRecord } from '../quickbooks/errors.ts';
import { callService, type Egress, type HttpCall } from '../http-client.ts';
import { NotTried, type Shape, shapeOf } from './suite.ts';

/** An answer with any status. */
export interface Answer {
  readonly status: number;
  /** Undefined unless the body is a JSON object. */
  readonly body: JsonRecord | undefined;
  readonly isEmpty: boolean;
}

/** How calls leave. */
export interface Outgoing {
  readonly egress: Egress;
  /** Waits while the service limits calls, and for the change feed. */
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

const timeoutMs = 60_000;

/** Limits of both services end after this time. */
const limitPauseMs = 60_000;

/**
 * Makes one call, whatever its answer is. Repeats it once after a pause if the service limits calls.
 *
 * @throws NotTried if the service did not answer, or limits calls for longer.
 */
export async function answerOf(
  call: Omit<HttpCall, 'timeoutMs'>,
  { egress, sleep = delay }: Outgoing,
): Promise<Answer> {
  const once = () => callService({ ...call, timeoutMs }, egress);
  let result = await once();
  if (result.isAnswered && result.status === 429) {
    await sleep(limitPauseMs);
    result = await once();
  }
  if (!result.isAnswered) throw new NotTried(`The service did not answer: ${result.reason}.`);
  if (result.status === 429) throw new NotTried('The service is limiting calls (429). Run it again later.');
  return { status: result.status, body: parsed(result.text), isEmpty: result.text.trim() === '' };
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a member that is an object; empty if it is absent. */
export const recordIn = (value: unknown, name: string): JsonRecord => {
  const found = isRecord(value) ? value[name] : undefined;
  return isRecord(found) ? found : {};
};

/** Returns the objects of a member that is a list; empty if it is absent. */
export const recordsIn = (value: unknown, name: string): readonly JsonRecord[] => {
  const found = isRecord(value) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter((one) => isRecord(one)) : [];
};

/** Returns a text or number as text; undefined for anything else. */
export const textIn = (value: unknown, name: string): string | undefined => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
};

/** Returns the types of the named members. */
export const shapesIn = (value: unknown, names: readonly string[]): Shape =>
  Object.fromEntries(names.map((name) => [name, shapeOf(isRecord(value) ? value[name] : undefined)]));

/** Returns the names that are missing, as members of a shape. */
export const absent = (names: readonly string[]): Shape => Object.fromEntries(names.map((name) => [name, 'absent']));
