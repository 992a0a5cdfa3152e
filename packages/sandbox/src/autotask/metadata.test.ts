import { expect, test } from 'vitest';
import { childPaths, entityType, entityTypes } from './schema.ts';
import { start, where } from './testing.ts';

interface FieldInfo {
  readonly name: string;
  readonly dataType: string;
  readonly length: number;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isQueryable: boolean;
  readonly isReference: boolean;
  readonly referenceEntityType: string;
  readonly isPickList: boolean;
  readonly picklistValues: { value: unknown; label: string }[] | null;
}

const jsType: Readonly<Record<string, string>> = {
  integer: 'number',
  long: 'number',
  double: 'number',
  boolean: 'boolean',
  string: 'string',
  datetime: 'string',
};

test('every record has exactly the fields of its entity information, with valid types and lengths', async () => {
  const { api } = await start({ companies: 3, invoices: 20, purchase_orders: 5, expense_reports: 5 });
  let records = 0;
  for (const type of entityTypes.values()) {
    const fields = (await api('GET', `${type.name}/entityInformation/fields`)).json.fields as FieldInfo[];
    const names = fields.map((field) => field.name);
    const { items } = await api('POST', `${type.name}/query`, { filter: [where('id', 'gte', 0)] });
    for (const item of items) {
      records += 1;
      expect(Object.keys(item).filter((name) => name !== 'userDefinedFields')).toEqual(names);
      expect('userDefinedFields' in item).toBe(type.hasUserDefinedFields);
      for (const field of fields) {
        const value = item[field.name];
        const about = `${type.name} ${String(item.id)} ${field.name}`;
        if (value === null) continue;
        expect(typeof value, about).toBe(jsType[field.dataType]);
        if (field.dataType === 'datetime') expect(value, about).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
        if (field.dataType === 'integer' || field.dataType === 'long')
          expect(Number.isInteger(value), about).toBe(true);
        if (typeof value === 'string' && field.length > 0)
          expect(value.length, about).toBeLessThanOrEqual(field.length);
        if (field.picklistValues !== null)
          expect(
            field.picklistValues.map((choice) => choice.value),
            about,
          ).toContain(typeof value === 'string' ? value : JSON.stringify(value));
      }
    }
  }
  expect(records).toBeGreaterThan(600);
});

test('every reference of the sample data has a target', async () => {
  const { control } = await start({ companies: 3, invoices: 20, purchase_orders: 5, expense_reports: 5 });
  const all = new Map<string, Map<number, Record<string, unknown>>>();
  for (const name of [...entityTypes.values()].map((type) => type.name)) {
    const { items } = await control('GET', `/entities/${name}`);
    all.set(name, new Map(items.map((item) => [Number(item.id), item])));
  }
  for (const type of entityTypes.values())
    for (const field of type.fields) {
      const target = field.reference === undefined ? undefined : all.get(field.reference);
      if (target === undefined) continue;
      for (const item of all.get(type.name)?.values() ?? []) {
        const value = item[field.name];
        // Unbilled work has 0 here.
        if (typeof value !== 'number' || (field.name === 'invoiceID' && value === 0)) continue;
        expect(target.has(value), `${type.name} ${String(item.id)} ${field.name} ${value}`).toBe(true);
      }
    }
});

test('a field has type, length, reference, and picklist with text values', async () => {
  const { api } = await start();
  const fields = (await api('GET', 'Invoices/entityInformation/fields')).json.fields as FieldInfo[];
  const field = (name: string) => fields.find((entry) => entry.name === name);
  expect(field('invoiceNumber')).toEqual({
    name: 'invoiceNumber',
    dataType: 'string',
    length: 100,
    isRequired: false,
    isReadOnly: false,
    isQueryable: true,
    isReference: false,
    referenceEntityType: '',
    isPickList: false,
    picklistValues: null,
    picklistParentValueField: '',
    isSupportedWebhookField: false,
  });
  expect(field('companyID')).toMatchObject({ isReference: true, referenceEntityType: 'Company', isReadOnly: true });
  expect(field('dueDate')).toMatchObject({ dataType: 'datetime', isQueryable: false });
  const items = (await api('GET', 'ExpenseItems/entityInformation/fields')).json.fields as FieldInfo[];
  expect(items.map((entry) => entry.name)).toContain('gLCode');
  expect(items.find((entry) => entry.name === 'expenseCategory')?.picklistValues?.[0]).toEqual({
    value: '41',
    label: 'Travel',
    isDefaultValue: false,
    sortOrder: 1,
    parentValue: '',
    isActive: true,
    isSystem: false,
  });
});

test('a field that is settable only on create is both required and read-only', async () => {
  const { api } = await start();
  const fields = (await api('GET', 'PurchaseOrders/entityInformation/fields')).json.fields as FieldInfo[];
  expect(fields.find((field) => field.name === 'vendorID')).toMatchObject({ isRequired: true, isReadOnly: true });
});

test('billing item types are numbered from 1 in label order', () => {
  const labels = (name: string) =>
    entityType('BillingItems')
      .fieldByName.get(name)
      ?.picklist?.map((choice) => `${choice.value} ${choice.label}`);
  expect(labels('billingitemtype')).toHaveLength(15);
  expect(labels('billingitemtype')?.slice(0, 3)).toEqual(['1 Labor', '2 Project Cost', '3 Ticket Cost']);
  expect(labels('billingitemtype')?.at(-1)).toBe('15 Contract Incident');
  expect(labels('subtype')).toHaveLength(18);
  expect(labels('subtype')?.at(-1)).toBe('18 Retainer Purchase');
});

test('entity information lists the allowed operations, also for all entities at once', async () => {
  const { api } = await start();
  expect((await api('GET', 'Invoices/entityInformation')).json).toEqual({
    info: {
      name: 'Invoice',
      canCreate: false,
      canDelete: false,
      canQuery: true,
      canUpdate: true,
      userAccessForCreate: 'None',
      userAccessForDelete: 'None',
      userAccessForQuery: 'All',
      userAccessForUpdate: 'All',
      hasUserDefinedFields: false,
      supportsWebhookCallouts: false,
    },
  });
  const all = (await api('GET', 'EntityInformation')).json.entityDescriptions as { name: string }[];
  expect(all).toHaveLength(entityTypes.size);
  expect(all.find((entry) => entry.name === 'ExpenseItem')).toMatchObject({ canCreate: true, canUpdate: true });
});

test('user-defined fields have type and label; entities without any return none', async () => {
  const { api } = await start();
  const fields = (await api('GET', 'Companies/entityInformation/userDefinedFields')).json.fields as Record<
    string,
    unknown
  >[];
  expect(fields.map((field) => [field.name, field.type, field.isPickList])).toEqual([
    ['Account Code', 'string', false],
    ['Renewal Date', 'datetime', false],
    ['Seats', 'double', false],
    ['Tier', 'string', true],
  ]);
  expect((await api('GET', 'Invoices/entityInformation/userDefinedFields')).json).toEqual({ fields: [] });
});

test('every child collection returns the information of its entity', async () => {
  const { api } = await start();
  expect(childPaths.size).toBe(12);
  for (const { type, path } of childPaths.values()) {
    const below = await api('GET', `${path.parent}/1/${path.child}/entityInformation/fields`);
    expect(below.json).toEqual((await api('GET', `${type.name}/entityInformation/fields`)).json);
    expect((await api('GET', `${path.parent}/1/${path.child}`)).status).toBe(200);
  }
});
