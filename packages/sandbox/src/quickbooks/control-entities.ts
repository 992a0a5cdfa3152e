import type { EntityHooks } from '../kit/definition.ts';
import { BadInput, type JsonObject } from '../kit/input.ts';
import type { Company } from './company.ts';
import { type Doc, isDoc, textAt } from './doc.ts';
import { type EntityKind, entityKinds } from './entities.ts';
import { ServiceFault } from './faults.ts';
import { render } from './render.ts';
import { remove, rulesOf, save } from './save.ts';
import type { Entry } from './table.ts';

/** Returns a record as the control page and its tables show it; documents include the name of their party. */
function shownRecord(company: Company, kind: EntityKind, entry: Entry): JsonObject {
  const doc = render(company, kind, entry);
  if (kind.kind !== 'transaction') return { Id: entry.id, ...doc };
  const party = isDoc(doc['CustomerRef']) ? doc['CustomerRef'] : isDoc(doc['VendorRef']) ? doc['VendorRef'] : {};
  return { ...doc, Party: textAt(party, 'name') ?? null };
}

/** Members that only `shownRecord` and `render` add; they are ignored when a record is read, changed and saved. */
const added = new Set([
  'Party',
  'Id',
  'SyncToken',
  'MetaData',
  'domain',
  'sparse',
  'CurrentBalance',
  'CurrentBalanceWithSubAccounts',
  'BalanceWithJobs',
]);

function withoutNames(value: unknown): Doc[string] {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item) ?? null);
  // The control API parsed it from JSON, so it is JSON.
  return value as Doc[string];
}

/** Converts a fault of the rules to an error of the control API. */
function asBadInput(error: unknown): never {
  if (error instanceof ServiceFault) throw new BadInput(`QuickBooks would not allow that: ${error.message}`);
  throw error;
}

/** Merges objects deeply; replaces lists and plain values. A null removes a member. */
function merged(old: Doc, fields: JsonObject): Doc {
  const copy: Doc = { ...old };
  for (const [member, raw] of Object.entries(fields)) {
    const value = withoutNames(raw);
    const before = old[member];
    if (value === null || value === undefined) delete copy[member];
    else copy[member] = isDoc(value) && isDoc(before) ? merged(before, value) : value;
  }
  return copy;
}

/**
 * Changes the records of a company without the API, as a person in QuickBooks would. An entity's name may include a
 * company: `Invoice@9341452000000002`; by default it is the first.
 *
 * Creating and removing apply the service's rules. Changing sets members without checks, so that every state can be
 * created; the caller must keep dependent numbers (balances, totals) consistent.
 */
export function controlEntities(companyOf: (realmId: string | undefined) => Company): EntityHooks {
  const find = (name: string): { readonly company: Company; readonly kind: EntityKind } | undefined => {
    const [entity = name, realmId] = name.split('@');
    const kind = entityKinds.find((each) => each.name === entity);
    return kind === undefined ? undefined : { company: companyOf(realmId), kind };
  };
  const need = (name: string) => {
    const found = find(name);
    if (found === undefined) throw new BadInput(`There is no entity “${name}”.`);
    return found;
  };
  const hooks: EntityHooks = {
    list: () => entityKinds.map(({ name }) => ({ name, count: companyOf(undefined).table(name).size })),
    items(name) {
      const found = find(name);
      return found === undefined ? undefined : lazyItems(found.company, found.kind);
    },
    item(name, id) {
      const { company, kind } = need(name);
      const entry = company.find(kind.name, id);
      return entry === undefined ? undefined : shownRecord(company, kind, entry);
    },
    put(name, id, fields) {
      const { company, kind } = need(name);
      const own: JsonObject = Object.fromEntries(Object.entries(fields).filter(([member]) => !added.has(member)));
      const entry = company.find(kind.name, id);
      if (entry === undefined) {
        if (!/^[\w .-]{1,40}$/.test(id)) throw new BadInput('An id is made of digits.');
        return shownRecord(company, kind, company.add(kind, id, merged({}, own)));
      }
      company.change(kind, entry, merged(entry.body, own));
      return shownRecord(company, kind, entry);
    },
    post(name, fields) {
      const { company, kind } = need(name);
      try {
        rulesOf(kind);
        // JSON from the control API's body; the rules check it against the schema.
        return shownRecord(company, kind, save(company, kind, fields as Doc));
      } catch (error) {
        return asBadInput(error);
      }
    },
    remove(name, id) {
      const { company, kind } = need(name);
      const entry = company.find(kind.name, id);
      if (entry === undefined) return false;
      if (!kind.operations.has('delete')) {
        company.remove(kind, entry);
        return true;
      }
      try {
        remove(company, kind, { Id: id, SyncToken: String(entry.syncToken) });
        return true;
      } catch (error) {
        return asBadInput(error);
      }
    },
  };
  return hooks;
}

/** Returns all records of an entity, each rendered only when it is read: a table shows fifty of a hundred thousand. */
function lazyItems(company: Company, kind: EntityKind): readonly JsonObject[] {
  const entries = company.table(kind.name).byId();
  const shown = (entry: Entry) => shownRecord(company, kind, entry);
  return new Proxy<JsonObject[]>([], {
    get(target, property) {
      if (property === 'length') return entries.length;
      if (property === 'slice') return (from?: number, to?: number) => entries.slice(from, to).map(shown);
      return Reflect.get(entries.map(shown), property, target) as unknown;
    },
  });
}
