/** Entity, field and user-defined-field information (autotask reference section 5). */
import type { AutotaskBehaviour } from './behaviour.ts';
import { entityTypes, type EntityType, type Field, type PicklistValue } from './schema.ts';

function picklistValues(
  values: readonly PicklistValue[] | undefined,
  onWire: (value: string) => string = (value) => value,
): unknown {
  if (values === undefined) return null;
  return values.map(({ value, label }, index) => ({
    value: onWire(value),
    label,
    isDefaultValue: false,
    sortOrder: index + 1,
    parentValue: '',
    isActive: true,
    isSystem: false,
  }));
}

/** Returns whether records can be created, changed and removed, directly or below a parent. */
function abilities(type: EntityType): { canCreate: boolean; canUpdate: boolean; canDelete: boolean } {
  const has = (verb: string): boolean => type.verbs.has(verb) || type.under?.verbs.has(verb) === true;
  return {
    canCreate: has('POST'),
    canUpdate: has('PATCH'),
    canDelete: type.canDelete || type.under?.canDelete === true,
  };
}

/** The `info` of one entity. */
export function entityInformation(type: EntityType, behaviour: AutotaskBehaviour): Record<string, unknown> {
  const { canCreate, canUpdate, canDelete } = abilities(type);
  const access = (allowed: boolean): string | number => {
    if (behaviour.get('access_form') === 'number') return allowed ? 1 : 0;
    return allowed ? 'All' : 'None';
  };
  return {
    name: type.singular,
    canCreate,
    canDelete,
    canQuery: true,
    canUpdate,
    userAccessForCreate: access(canCreate),
    userAccessForDelete: access(canDelete),
    userAccessForQuery: access(true),
    userAccessForUpdate: access(canUpdate),
    hasUserDefinedFields: type.hasUserDefinedFields,
    supportsWebhookCallouts: type.hasWebhooks,
  };
}

/** Returns the number that represents an uncertain picklist value in responses; `fromWire` reverses it. */
export function toWire(behaviour: AutotaskBehaviour, type: EntityType, field: string, value: number): number {
  return value + shiftOf(behaviour, type, field, value);
}

/** Returns the stored number for one from a request. */
export function fromWire(behaviour: AutotaskBehaviour, type: EntityType, field: string, value: number): number {
  return value - shiftOf(behaviour, type, field, value);
}

function shiftOf(behaviour: AutotaskBehaviour, type: EntityType, field: string, value: number): number {
  if (type.name === 'BillingItems' && (field === 'billingItemType' || field === 'subType'))
    return behaviour.get('billing_item_numbers') === 'others' && value !== 1 ? 100 : 0;
  if (type.name === 'ExpenseItems' && field === 'expenseCategory')
    return behaviour.get('expense_categories_are_billing_codes') ? 0 : 1000;
  return 0;
}

/** Returns whether any number of the entity is shown with another value than stored. */
export function isShifted(behaviour: AutotaskBehaviour, type: EntityType): boolean {
  return (
    (type.name === 'BillingItems' && behaviour.get('billing_item_numbers') === 'others') ||
    (type.name === 'ExpenseItems' && !behaviour.get('expense_categories_are_billing_codes'))
  );
}

/** Returns the spelling of a field in requests and responses. */
export function wireName(type: EntityType, name: string, behaviour: AutotaskBehaviour): string {
  return type.name === 'ExpenseItems' && name === 'glCode' ? behaviour.get('gl_code_spelling') : name;
}

/** The fields of one entity. */
export function fieldInformation(type: EntityType, behaviour: AutotaskBehaviour): unknown[] {
  return type.fields.map((field: Field) => ({
    name: wireName(type, field.name, behaviour),
    dataType: field.type,
    length: field.length,
    isRequired: field.isRequired,
    // Required and read-only together is how the service says “settable on create only”.
    isReadOnly: field.isReadOnly || field.isCreateOnly,
    isQueryable: field.isQueryable,
    isReference: field.reference !== undefined,
    referenceEntityType: field.reference === undefined ? '' : singularOf(field.reference),
    isPickList: field.picklist !== undefined,
    picklistValues: picklistValues(field.picklist, (value) =>
      isShifted(behaviour, type) ? String(toWire(behaviour, type, field.name, Number(value))) : value,
    ),
    picklistParentValueField: '',
    isSupportedWebhookField: type.hasWebhooks,
  }));
}

function singularOf(entity: string): string {
  return entityTypes.get(entity.toLowerCase())?.singular ?? entity.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Returns the user-defined fields of one entity; their type is in `type`, not `dataType`. */
export function userDefinedFieldInformation(type: EntityType): unknown[] {
  return type.userDefinedFields.map((field) => ({
    name: field.name,
    label: field.name,
    type: field.type,
    length: field.type === 'string' ? 8000 : 0,
    description: '',
    isRequired: false,
    isReadOnly: false,
    isQueryable: true,
    isReference: false,
    referenceEntityType: '',
    isPickList: field.picklist !== undefined,
    picklistValues: picklistValues(field.picklist),
    picklistParentValueField: '',
    defaultValue: '',
    isSupportedWebhookField: false,
  }));
}

/** `GET /EntityInformation`: all entities at once. */
export function allEntityInformation(behaviour: AutotaskBehaviour): unknown[] {
  return [...entityTypes.values()].map((type) => entityInformation(type, behaviour));
}
