import { z } from 'zod';
import { forUsers, route } from './define.ts';
import { foreignObject, refreshQuery as refresh, searchText } from './fields.ts';
import { accountingSegment } from './services.ts';

const base = `/api/my/${accountingSegment}`;
const reader = { method: 'GET', ...forUsers } as const;

/** QuickBooks records with QuickBooks field names; records may have more fields than these. */
const account = z.looseObject({
  Id: z.string(),
  FullyQualifiedName: z.string().optional(),
  Classification: z.string().optional(),
  AccountSubType: z.string().optional(),
});
const accountingClass = z.looseObject({ Id: z.string(), FullyQualifiedName: z.string().optional() });
const accounts = z.array(account);
const classes = z.array(accountingClass);
const option = z.strictObject({ value: z.string(), text: z.string() });

export const readAccounting = route({
  ...reader,
  path: base,
  summary: 'Returns the accounts, preferences, classes and company of QuickBooks.',
  query: refresh,
  reply: z.strictObject({ accounts, preferences: foreignObject, classes, companyinfo: foreignObject }),
});

export const readAccounts = route({
  ...reader,
  path: `${base}/accounts`,
  summary: 'Returns the chart of accounts.',
  query: refresh,
  reply: z.strictObject({ accounts }),
});

export const readClasses = route({
  ...reader,
  path: `${base}/classes`,
  summary: 'Lists the classes.',
  query: refresh,
  reply: z.strictObject({ classes }),
});

export const readPreferences = route({
  ...reader,
  path: `${base}/preferences`,
  summary: 'Returns the preferences.',
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

/** Fields of items that a caller may request. */
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
  summary: 'Active items whose full name or SKU contains a text, at most 100, with the requested attributes.',
  query: z.strictObject({
    attributes: z
      .string()
      .regex(new RegExp(`^(${itemAttributes.join('|')})(\\|(${itemAttributes.join('|')}))*$`), 'Unknown attribute.')
      .default('Id|Name|FullyQualifiedName|IncomeAccountRef|ExpenseAccountRef|Type'),
    Name: searchText.default('').describe('Contained in the full name or the SKU.'),
  }),
  reply: z.strictObject({ items: z.array(foreignObject) }),
});
