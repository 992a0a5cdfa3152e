/** One JSON object of the API, with the service's member names. */
export interface Doc {
  [member: string]: Json | undefined;
}

/** Any JSON value. */
export type Json = string | number | boolean | null | Doc | Json[];

/** Returns whether a value is a JSON object (neither null nor a list). */
export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object in a member; an empty one when it is missing or another type. */
export function docAt(doc: Doc | undefined, member: string): Doc {
  const value = doc?.[member];
  return isDoc(value) ? value : {};
}

/** Returns the objects of a list in a member; an empty list when it is missing. */
export function listAt(doc: Doc | undefined, member: string): Doc[] {
  const value = doc?.[member];
  return Array.isArray(value) ? value.filter(isDoc) : [];
}

/** Returns the text in a member; numbers become text; empty text counts as missing. */
export function textAt(doc: Doc | undefined, member: string): string | undefined {
  const value = doc?.[member];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** Returns the id in a reference member, e.g. "58" for `CustomerRef: {value: "58"}`. */
export function refAt(doc: Doc | undefined, member: string): string | undefined {
  return textAt(docAt(doc, member), 'value');
}

/** Returns true only for the JSON value true. */
export function isTrue(doc: Doc | undefined, member: string): boolean {
  return doc?.[member] === true;
}

/** Returns whether two JSON values are equal in any order of their members. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  if (!isDoc(a) || !isDoc(b)) return false;
  const members = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const member of members) if (!sameJson(a[member], b[member])) return false;
  return true;
}

/** Formats a value for a message: texts as they are, everything else as JSON. */
export function shown(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
