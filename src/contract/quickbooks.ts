import { z } from 'zod';
import { route } from './define.ts';
import { foreignObject, refreshQuery as refresh, searchText } from './fields.ts';
import { booksSegment } from './services.ts';

const base = `/api/my/${booksSegment}`;
const reader = { method: 'GET', roles: ['clientadmin', 'accountant'], client: 'required', tenantIds: [] } as const;

/** Records of the books as their own API spells them; more fields than these may come. */
const account = z.looseObject({
  Id: z.string(),
  FullyQualifiedName: z.string().optional(),
  Classification: z.string().optional(),
  AccountSubType: z.string().optional(),
});
const booksClass = z.looseObject({ Id: z.string(), FullyQualifiedName: z.string().optional() });
const accounts = z.array(account);
const classes = z.array(booksClass);
const option = z.strictObject({ value: z.string(), text: z.string() });

export const readBooks = route({
  ...reader,
  path: base,
  summary: 'Accounts, preferences, classes and company of the books.',
  query: refresh,
  reply: z.strictObject({ accounts, preferences: foreignObject, classes, companyinfo: foreignObject }),
});

export const readAccounts = route({
  ...reader,
  path: `${base}/accounts`,
  summary: 'The chart of accounts.',
  query: refresh,
  reply: z.strictObject({ accounts }),
});

export const readClasses = route({
  ...reader,
  path: `${base}/classes`,
  summary: 'The classes.',
  query: refresh,
  reply: z.strictObject({ classes }),
});

export const readPreferences = route({
  ...reader,
  path: `${base}/preferences`,
  summary: 'The preferences.',
  query: refresh,
  reply: z.strictObject({ preferences: foreignObject }),
});

export const readCompanyInfo = route({
  ...reader,
  path: `${base}/companyinfo`,
  summary: 'The company.',
  query: refresh,
  reply: z.strictObject({ companyinfo: foreignObject }),
});

const searchOptions = z.strictObject({
  as_options: z.literal('true').optional(),
  DisplayName: searchText.default('').describe('Contained in the display name.'),
});

export const searchCustomers = route({
  ...reader,
  path: `${base}/customers`,
  summary: 'Active customers whose display name contains a text, at most 100.',
  query: searchOptions,
  reply: z.strictObject({ options: z.array(option) }),
});

export const searchVendors = route({
  ...reader,
  path: `${base}/vendors`,
  summary: 'Active vendors whose display name contains a text, at most 100.',
  query: searchOptions,
  reply: z.strictObject({ options: z.array(option) }),
});

/** Attributes of items that may be asked for. */
export const itemAttributes = [
  'Id',
  'Name',
  'FullyQualifiedName',
  'Sku',
  'Type',
  'Active',
  'IncomeAccountRef',
  'ExpenseAccountRef',
] as const;

export const searchItems = route({
  ...reader,
  path: `${base}/items`,
  summary: 'Active items whose full name or SKU contains a text, at most 100, with the attributes asked for.',
  query: z.strictObject({
    attributes: z
      .string()
      .regex(new RegExp(`^(${itemAttributes.join('|')})(\\|(${itemAttributes.join('|')}))*$`), 'Unknown attribute.')
      .default('Id|Name|FullyQualifiedName|IncomeAccountRef|ExpenseAccountRef|Type'),
    Name: searchText.default('').describe('Contained in the full name or the SKU.'),
  }),
  reply: z.strictObject({ items: z.array(foreignObject) }),
});
