import { z } from 'zod';
import { forAdmins, route } from './define.ts';
import { decimalText } from './fields.ts';

export const month = z.strictObject({
  from: z.iso.date(),
  through: z.iso.date(),
  currencies: z.array(
    z.strictObject({
      currency: z.string(),
      psa_count: z.int(),
      psa_total: decimalText,
      accounting_count: z.int(),
      accounting_total: decimalText,
      difference: decimalText.describe('QuickBooks minus PSA.'),
    }),
  ),
  unsynced: z.strictObject({ count: z.int(), oldest_id: z.int().nullable() }),
});
export type MonthReply = z.output<typeof month>;

export const readMonth = route({
  method: 'GET',
  path: '/api/my/month',
  apiKey: 'read',
  summary: 'Returns this month’s invoices so far in the PSA and in QuickBooks; reads both services.',
  ...forAdmins,
  reply: month,
});
