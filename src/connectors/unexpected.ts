import { type CountedUnexpected, maxUnexpected, type UnexpectedAnswer } from '#core/records/unexpected-answers.ts';

/** Noted since they were taken, by what makes them distinct. */
const noted = new Map<string, CountedUnexpected>();

const maxNameLength = 120;
const maxOperationLength = 60;

/**
 * Notes an answer that contradicts a fact, so that the operator learns of a change at the service. Never fails, and
 * stores no value of the answer.
 *
 * @param of.name shown as it is: a code, a status or the names of members
 * @param answer the part that is not as expected
 */
export function noteUnexpected(of: Omit<UnexpectedAnswer, 'shape'>, answer: unknown): void {
  // Numbers in a sentence are ids or positions; a code has one word.
  const isSentence = of.name.split(' ').length > 2;
  const name = plain(isSentence ? of.name.replace(/\d+/g, 'N') : of.name).slice(0, maxNameLength);
  const operation = plain(of.operation).slice(0, maxOperationLength);
  const key = [of.service, of.kind, of.fact, name].join(' ');
  const known = noted.get(key);
  if (known !== undefined) noted.set(key, { ...known, count: known.count + 1 });
  else if (noted.size < maxUnexpected)
    noted.set(key, { ...of, name, operation, shape: shapeOf(answer).slice(0, maxShapeLength), count: 1 });
}

/** Returns what was noted since the last call. */
export function takeUnexpected(): readonly CountedUnexpected[] {
  const taken = [...noted.values()];
  noted.clear();
  return taken;
}

/** Text of a service may contain names of customers, so only what looks like a code or a member is shown. */
const plain = (text: string): string => (/^[\w .,[\]-]*$/.test(text) ? text : '…');

/** Returns the path of a member, with `[]` for positions in lists. */
export const memberPath = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'the object' : path.map((part) => (typeof part === 'number' ? '[]' : String(part))).join('.');

const maxShapeLength = 1_500;
const maxDepth = 5;
const maxMembers = 60;
/** Members have such names; another key may be a value, e.g. the name of a customer. */
const memberName = /^[A-Za-z_][\w@.-]{0,40}$/;

/** Returns names and types of the members of a JSON value, without its values; of a list, those of its first row. */
export function shapeOf(value: unknown, depth = 0): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${shapeOf(value[0], depth + 1)}]`;
  if (typeof value !== 'object') return typeof value === 'string' ? 'text' : typeof value;
  if (depth >= maxDepth) return '{…}';
  const members = Object.entries(value)
    .slice(0, maxMembers)
    .map(([name, member]) => `${memberName.test(name) ? name : '…'}: ${shapeOf(member, depth + 1)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
