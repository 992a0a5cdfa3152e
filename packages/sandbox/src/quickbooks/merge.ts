import { BadInput, type JsonObject, objectWith, optionalText } from '../kit/input.ts';
import type { Company } from './company.ts';
import { type Doc, type Json, isDoc, textAt } from './doc.ts';
import { entityKinds, kindOf } from './entities.ts';

/** References to a record of each list. */
const references = {
  Customer: ['CustomerRef', 'ParentRef', 'EntityRef'],
  Vendor: ['VendorRef', 'EntityRef'],
  Item: ['ItemRef', 'ParentRef'],
} as const;

/** Entities with a parent in the same list. */
const treeOf: Readonly<Partial<Record<keyof typeof references, string>>> = { Customer: 'Customer', Item: 'Item' };

/**
 * Merges one customer, vendor or item into another, as a person does by giving both the same name. Transactions move to
 * the remaining record, the other one becomes inactive, and webhooks report `merged` with its id.
 *
 * @throws BadInput unless both exist and are active.
 */
export function merge(company: Company, body: JsonObject): JsonObject {
  objectWith(body, ['entity', 'into', 'deleted', 'realmId'], 'merge');
  const entity = optionalText(body['entity'], 'entity');
  if (entity !== 'Customer' && entity !== 'Vendor' && entity !== 'Item')
    throw new BadInput('entity must be one of: Customer, Vendor, Item.');
  const kind = kindOf(entity);
  const find = (member: 'into' | 'deleted') => {
    const id = optionalText(body[member], member);
    const entry = id === undefined ? undefined : company.find(entity, id);
    if (entry === undefined || entry.body['Active'] === false)
      throw new BadInput(`${member} must be the id of an active ${entity.toLowerCase()}.`);
    return entry;
  };
  const [winner, loser] = [find('into'), find('deleted')];
  if (winner === loser) throw new BadInput('A record cannot be merged into itself.');
  let moved = 0;
  for (const one of entityKinds) {
    if (one.kind !== 'transaction' && one.name !== treeOf[entity]) continue;
    for (const entry of company.table(one.name).all()) {
      const changed = replaced(entry.body, { entity, from: loser.id, to: winner.id });
      if (changed === entry.body) continue;
      company.change(one, entry, changed as Doc);
      if (one.kind === 'transaction') moved += 1;
    }
  }
  const nameMember = entity === 'Item' ? 'Name' : 'DisplayName';
  const name = `${textAt(loser.body, nameMember) ?? ''} (deleted)`;
  company.change(kind, loser, { ...loser.body, Active: false, [nameMember]: name, FullyQualifiedName: name });
  company.reportMerge(kind, winner, loser.id);
  return { moved };
}

interface Move {
  readonly entity: keyof typeof references;
  readonly from: string;
  readonly to: string;
}

/** Returns the value with references moved to the other record; the same value when it has none. */
function replaced(value: Json | undefined, move: Move): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaced(item, move) ?? null);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isDoc(value)) return value;
  const members: readonly string[] = references[move.entity];
  let copy: Doc | null = null;
  for (const [member, old] of Object.entries(value)) {
    const isMoved = members.includes(member) && isDoc(old) && textAt(old, 'value') === move.from && isOf(old, move);
    const changed = isMoved ? { ...old, value: move.to } : replaced(old, move);
    if (changed !== old) (copy ??= { ...value })[member] = changed;
  }
  return copy ?? value;
}

/** An `EntityRef` may refer to another list. */
const isOf = (reference: Doc, { entity }: Move): boolean => {
  const type = textAt(reference, 'type');
  return type === undefined || type === entity;
};
