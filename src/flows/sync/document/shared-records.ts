import type { Posted } from '#core/attempt.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import {
  createAs,
  indexOwners,
  type Mapping,
  mappingNamespaces,
  nameToCreate,
  type PartyNamespace,
  sideOf,
} from '#core/mapping/mapping.ts';
import { type Command, type ItemMatch, type Plan, sharedRecordOf } from '#core/planning/plan.ts';
import { problem } from '#core/problems.ts';
import { normalized } from '#core/values/text.ts';

/**
 * Returns the mapping to save for a new customer, vendor or item, so that it is found by id from then on (domain
 * reference 5.5); null for all other commands.
 */
export function mappingOf(command: Command, answer: Posted): Omit<Mapping, 'id'> | null {
  if (command.do === 'create_item')
    return itemMapping({ name: command.item.name, itemId: answer.id, itemName: answer.name ?? command.item.name });
  const owner = ownerOf(command);
  return owner === null ? null : mappingTo(owner.as, owner.id, owner.name, { id: answer.id, name: answer.name });
}

/** Returns the company or employee for which a command creates a customer or vendor; null for other commands. */
function ownerOf(
  command: Command,
): { readonly as: PartyNamespace; readonly id: number; readonly name: string | null } | null {
  if (command.do === 'create_customer')
    return { as: 'Customer', id: command.customer.companyId, name: command.customer.companyName };
  if (command.do !== 'create_vendor') return null;
  const { companyId, companyName, employee } = command.vendor;
  if (companyId !== null) return { as: 'Vendor', id: companyId, name: companyName };
  return employee === undefined ? null : { as: 'Employee', ...employee };
}

/**
 * Returns true if an existing customer or vendor with the name of a new one is mapped to a different company or
 * employee. Then the command did not create it.
 */
export function belongsToAnother(mappings: readonly Mapping[], command: Command, id: string): boolean {
  const own = ownerOf(command);
  if (own === null) return false;
  const owners = indexOwners(mappings).ofRecord(sideOf(own.as), id);
  return owners.some(({ namespace, id: source }) => namespace !== own.as || source !== String(own.id));
}

const mappingTo = (
  namespace: PartyNamespace,
  sourceId: number,
  sourceLabel: string | null,
  target: { readonly id: string; readonly name: string | null },
): Omit<Mapping, 'id'> => ({
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: String(sourceId),
  sourceLabel,
  targetEntity: mappingNamespaces[namespace].target,
  targetValue: target.id,
  targetLabel: target.name,
});

/**
 * Returns the mappings of the companies that a plan matched by name. A mapping that a user saved meanwhile takes
 * precedence.
 */
export const mappingsOfMatches = (plan: Plan): readonly Omit<Mapping, 'id'>[] => [
  ...partyMappings(plan),
  ...(plan.itemMatches ?? []).map(itemMapping),
];

const itemMapping = ({ name, itemId, itemName }: ItemMatch): Omit<Mapping, 'id'> => ({
  namespace: 'ItemName',
  sourceEntity: mappingNamespaces.ItemName.source,
  sourceValue: normalized(name),
  sourceLabel: name,
  targetEntity: mappingNamespaces.ItemName.target,
  targetValue: itemId,
  targetLabel: itemName,
});

const partyMappings = ({ matches = [] }: Plan): readonly Omit<Mapping, 'id'>[] =>
  matches.map(({ as, companyId, companyName, targetId, targetName }) =>
    mappingTo(as, companyId, companyName, { id: targetId, name: targetName }),
  );

/**
 * Returns a job's mappings plus the customers and vendors that a plan matches by name or creates, so that no other
 * company of the job gets them by name. The first plan wins.
 */
export function withClaims(mappings: readonly Mapping[], plan: Plan): readonly Mapping[] {
  const created = plan.commands.flatMap((command) => {
    const owner = ownerOf(command);
    const name = sharedRecordOf(command)?.name ?? '';
    const contact = contactOf(command);
    return owner === null
      ? []
      : [{ ...mappingTo(owner.as, owner.id, owner.name, { id: createAs(name), name }), contact }];
  });
  const wanted = [...partyMappings(plan), ...created];
  if (wanted.length === 0) return mappings;
  // A stored choice to create a record has no contact.
  const isKnown = (one: Omit<Mapping, 'id'>) =>
    mappings.some(
      (known) =>
        (known.isClaim === true || one.contact === undefined) &&
        known.namespace === one.namespace &&
        known.sourceValue === one.sourceValue &&
        known.targetValue === one.targetValue,
    );
  const added = wanted.filter((one) => !isKnown(one));
  return added.length === 0
    ? mappings
    : [...mappings, ...added.map((one): Mapping => ({ ...one, id: 'claim', isClaim: true }))];
}

function contactOf(command: Command): NonNullable<Mapping['contact']> {
  if (command.do === 'create_customer') return command.customer;
  return command.do === 'create_vendor' ? command.vendor : { email: null, phone: null };
}

/** Returns a job's mappings after a command created a customer or vendor, which belongs to its company from now on. */
export function withCreatedMapping(mappings: readonly Mapping[], made: Omit<Mapping, 'id'>): readonly Mapping[] {
  if (made.namespace === 'ItemName') return mappings;
  const isReplaced = (one: Mapping) =>
    one.namespace === made.namespace && one.sourceValue === made.sourceValue && nameToCreate(one.targetValue) !== null;
  return [...mappings.filter((one) => !isReplaced(one)), { ...made, id: 'claim', isClaim: true }];
}

/**
 * Returns a list with a created or found record, once. The active row that QuickBooks returned for it stays: the lists
 * may have been read after the record was created.
 */
const withRecord = <One extends { readonly id: string; readonly isActive: boolean }>(
  list: readonly One[],
  made: One,
): readonly One[] => {
  const known = list.find(({ id }) => id === made.id);
  if (known?.isActive === true) return list;
  return [...list.filter((one) => one !== known), made];
};

/**
 * Returns QuickBooks' lists with the record that a command created, for deciding about later documents.
 *
 * @param earlier the responses to the previous commands, which it may refer to
 */
export function withCreatedRecord(
  accounting: AccountingLists,
  command: Command,
  { id, name }: Posted,
  earlier: readonly Posted[],
): AccountingLists {
  switch (command.do) {
    case 'create_customer': {
      const { displayName, companyName, email, phone, billingAddress, shippingAddress, currency, isTaxable } =
        command.customer;
      const { parent = null } = command.customer;
      const made = {
        id,
        displayName: name ?? displayName,
        companyName,
        isActive: true,
        email,
        phone,
        billingAddress,
        shippingAddress,
        currency,
        isTaxable,
        parentId: parent === null ? null : 'id' in parent ? parent.id : (earlier[parent.fromCommand]?.id ?? null),
      };
      return { ...accounting, customers: withRecord(accounting.customers, made) };
    }
    case 'create_vendor': {
      const { displayName, companyName, currency, email, phone } = command.vendor;
      const made = { id, displayName: name ?? displayName, companyName, isActive: true, currency, email, phone };
      return { ...accounting, vendors: withRecord(accounting.vendors, made) };
    }
    case 'create_item': {
      const { name: itemName, sku, incomeAccountId, expenseAccountId } = command.item;
      const made = {
        id,
        name: itemName,
        fullyQualifiedName: itemName,
        type: 'NonInventory',
        sku,
        isActive: true,
        incomeAccountId,
        expenseAccountId,
      };
      return { ...accounting, items: withRecord(accounting.items, made) };
    }
    default:
      return accounting;
  }
}

/** Customers, vendors and employees share one set of names, so a second try adds the type (domain reference 5.5). */
const suffixes = { create_customer: ' (Customer)', create_vendor: ' (Vendor)' } as const;

/**
 * Returns the plan with a different name for the customer or vendor of one command, because another record has the
 * name.
 *
 * @returns null if the command creates neither, or already has the different name.
 */
export function withSuffix(plan: Plan, index: number): Plan | null {
  const command = plan.commands[index];
  if (command === undefined || (command.do !== 'create_customer' && command.do !== 'create_vendor')) return null;
  const name = command.do === 'create_customer' ? command.customer.displayName : command.vendor.displayName;
  const suffix = suffixes[command.do];
  if (name.endsWith(suffix)) return null;
  const displayName = `${name}${suffix}`;
  const renamed: Command =
    command.do === 'create_customer'
      ? { ...command, customer: { ...command.customer, displayName } }
      : { ...command, vendor: { ...command.vendor, displayName } };
  return {
    ...plan,
    warnings: [...plan.warnings, problem('NAME_SUFFIXED', { name, used: displayName })],
    commands: plan.commands.with(index, renamed),
  };
}

/**
 * Returns the plan without an email address that QuickBooks rejected, and with a warning, because the address must not
 * stop the document.
 *
 * @param party the customer, for the warning.
 * @returns null if the command has no address.
 */
export function withoutEmail(plan: Plan, index: number, party: string, psaLabel: string): Plan | null {
  const command = plan.commands[index];
  const plain = command === undefined ? null : withoutAddress(command);
  if (plain === null) return null;
  const warning = problem('EMAIL_UNUSABLE', { name: party, address: plain.address, contact: null, psa: psaLabel });
  return { ...plan, warnings: [...plan.warnings, warning], commands: plan.commands.with(index, plain.command) };
}

/** Returns the command without its email address; null if it has none. */
function withoutAddress(command: Command): { readonly command: Command; readonly address: string } | null {
  switch (command.do) {
    case 'create_customer': {
      const { email: address } = command.customer;
      return address === null
        ? null
        : { command: { ...command, customer: { ...command.customer, email: null } }, address };
    }
    case 'create_vendor': {
      const { email: address } = command.vendor;
      return address === null ? null : { command: { ...command, vendor: { ...command.vendor, email: null } }, address };
    }
    case 'create_invoice':
    case 'create_credit_memo': {
      const { address = null } = command.document.email ?? {};
      const email = { address: null, send: false };
      return address === null ? null : { command: { ...command, document: { ...command.document, email } }, address };
    }
    default:
      return null;
  }
}
