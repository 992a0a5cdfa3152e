import type { Posted } from '#core/attempt.ts';
import type { BooksReferenceData } from '#core/documents/reference-data.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { Command, Plan } from '#core/planning/plan.ts';
import { problem } from '#core/problems.ts';

/**
 * The mapping that a new customer or vendor of a PSA company leaves behind, so that it is found by id from then on
 * (domain reference 5.5); null for everything else.
 */
export function mappingOf(command: Command, answer: Posted): Omit<Mapping, 'id'> | null {
  const of = (entity: 'Customer' | 'Vendor', companyId: number, companyName: string | null) => ({
    namespace: entity,
    sourceEntity: 'Company',
    sourceValue: String(companyId),
    sourceLabel: companyName,
    targetEntity: entity,
    targetValue: answer.id,
    targetLabel: answer.name,
  });
  if (command.do === 'create_customer') return of('Customer', command.customer.companyId, command.customer.companyName);
  if (command.do !== 'create_vendor' || command.vendor.companyId === null) return null;
  return of('Vendor', command.vendor.companyId, command.vendor.companyName);
}

/** The mappings of the companies that a plan has found by name; what a person has mapped meanwhile goes before them. */
export const mappingsOfMatches = ({ matches = [] }: Plan): readonly Omit<Mapping, 'id'>[] =>
  matches.map(({ as, companyId, companyName, targetId, targetName }) => ({
    namespace: as,
    sourceEntity: 'Company',
    sourceValue: String(companyId),
    sourceLabel: companyName,
    targetEntity: as,
    targetValue: targetId,
    targetLabel: targetName,
  }));

/**
 * The lists of the books with the record that a command has made: later documents are decided on them.
 *
 * @param earlier the answers to the commands before it, which it may refer to
 */
export function withMade(
  books: BooksReferenceData,
  command: Command,
  { id, name }: Posted,
  earlier: readonly Posted[],
): BooksReferenceData {
  switch (command.do) {
    case 'create_customer': {
      const { displayName, companyName, email, billingAddress, shippingAddress, currency, isTaxable } =
        command.customer;
      const { parent = null } = command.customer;
      const made = {
        id,
        displayName: name ?? displayName,
        companyName,
        isActive: true,
        email,
        billingAddress,
        shippingAddress,
        currency,
        isTaxable,
        parentId: parent === null ? null : 'id' in parent ? parent.id : (earlier[parent.fromCommand]?.id ?? null),
      };
      return { ...books, customers: [...books.customers, made] };
    }
    case 'create_vendor': {
      const { displayName, companyName, currency } = command.vendor;
      const made = { id, displayName: name ?? displayName, companyName, isActive: true, currency };
      return { ...books, vendors: [...books.vendors, made] };
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
      return { ...books, items: [...books.items, made] };
    }
    default:
      return books;
  }
}

/** Customers, vendors and employees share their names, so a second try names what it is (domain reference 5.5). */
const suffixes = { create_customer: ' (Customer)', create_vendor: ' (Vendor)' } as const;

/**
 * The plan with another name for the customer or vendor of one command, because somebody else has the name.
 *
 * @returns null when the command makes neither, or has its other name already.
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
