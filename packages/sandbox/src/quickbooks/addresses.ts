/** Addresses as the service stores and returns them (quickbooks reference 5.0, and recordings of 2020 and 2026). */
import type { Company } from './company.ts';
import { type Doc, docAt, isDoc, textAt } from './doc.ts';
import type { Write } from './write.ts';

const lineMembers = ['Line1', 'Line2', 'Line3', 'Line4', 'Line5'] as const;
const placeMembers = ['City', 'CountrySubDivisionCode', 'PostalCode', 'Country'] as const;
/** Members whose addresses come with coordinates. */
const placed: ReadonlySet<string> = new Set(['BillAddr', 'ShipAddr', 'VendorAddr']);

const linesOf = (address: Doc): string[] => lineMembers.flatMap((member) => textAt(address, member) ?? []);

/** Returns whether two addresses are equal, apart from their ids. */
function isSame(one: Doc, other: Doc): boolean {
  return [...lineMembers, ...placeMembers].every((member) => textAt(one, member) === textAt(other, member));
}

/** Formats city, state and postal code as one line; undefined when all are missing. */
function placeLine(address: Doc): string | undefined {
  const [city, state, code, country] = placeMembers.map((member) => textAt(address, member));
  const area = [state, code].filter((part) => part !== undefined).join('  ');
  const town = [city, area].filter((part) => part !== undefined && part !== '').join(', ');
  const line = [town, country].filter((part) => part !== undefined && part !== '').join(' ');
  return line === '' ? undefined : line;
}

/** Returns the names above the street: the person, then the firm; without both, the display name. */
function nameLines(party: Doc | undefined): string[] {
  const person = [textAt(party, 'GivenName'), textAt(party, 'FamilyName')].filter((part) => part !== undefined);
  const named = [person.join(' '), textAt(party, 'CompanyName') ?? ''].filter((part) => part !== '');
  return named.length > 0 ? named : [textAt(party, 'DisplayName') ?? ''].filter((part) => part !== '');
}

/**
 * Formats an address as free-form lines: names first, city, state and postal code last. Existing lines are unchanged.
 *
 * @param party whose names go above the address; undefined for no names
 */
export function freeForm(address: Doc, party: Doc | undefined): Doc {
  const place = placeLine(address);
  const lines = linesOf(address);
  const missing = nameLines(party).filter((name) => !lines.includes(name));
  const all = place === undefined ? lines : [...missing, ...lines, place];
  // Five lines at most: extra ones share the line before the last.
  const fitting = all.length <= 5 ? all : [...all.slice(0, 3), all.slice(3, -1).join(', '), all.at(-1) ?? ''];
  return Object.fromEntries(fitting.map((line, at) => [`Line${at + 1}`, line]));
}

/**
 * Returns the address of a document. If none was sent, it is unchanged or the party's, with the party's id. If another
 * one was sent, the document gets a separate address, in free-form lines when `flattens` is set.
 */
export function documentAddress(
  write: Write,
  member: string,
  from: { readonly party: Doc | undefined; readonly own: unknown; readonly flattens: boolean },
): Doc {
  const sent = write.sent[member];
  const old = docAt(write.before?.body, member);
  if (!isDoc(sent) || Object.keys(sent).length === 0) {
    const current = write.merged[member];
    if (isDoc(current) && Object.keys(old).length > 0) return { [member]: old };
    return isDoc(from.own) ? { [member]: from.own } : {};
  }
  if (Object.keys(old).length > 0 && isSame(sent, old)) return { [member]: old };
  const ownId = isDoc(from.own) ? textAt(from.own, 'Id') : undefined;
  const oldId = textAt(old, 'Id');
  const id = oldId === undefined || oldId === ownId ? write.company.nextId('address') : oldId;
  return { [member]: { Id: id, ...(from.flattens ? freeForm(sent, from.party) : sent) } };
}

/** Returns the company's address on sales forms, as a separate address of each form. */
export function shipFrom(company: Company, before: Doc | undefined): Doc {
  const address = docAt(company.info, 'CompanyAddr');
  const line1 = textAt(address, 'Line1');
  if (line1 === undefined) return {};
  const { Country: _, ...inland } = address;
  const currentId = textAt(docAt(before, 'ShipFromAddr'), 'Id');
  const place = placeLine(inland);
  return {
    ShipFromAddr: {
      Id: currentId ?? company.nextId('address'),
      Line1: line1,
      ...(place === undefined ? {} : { Line2: place }),
    },
  };
}

/** Adds coordinates to a record's addresses. The sandbox knows no coordinates, which the service returns as INVALID. */
export function withPlaces(doc: Doc): Doc {
  const copy: Doc = { ...doc };
  for (const member of placed) {
    const address = copy[member];
    if (isDoc(address)) copy[member] = { ...address, Lat: 'INVALID', Long: 'INVALID' };
  }
  return copy;
}

/** Removes the coordinates: the service has not looked them up yet. */
export function withoutPlaces(doc: Doc): Doc {
  const copy: Doc = { ...doc };
  for (const member of placed) {
    const address = copy[member];
    if (!isDoc(address)) continue;
    const { Lat: _lat, Long: _long, ...rest } = address;
    copy[member] = rest;
  }
  return copy;
}
