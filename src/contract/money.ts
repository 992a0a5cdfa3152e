import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { forUsers, route } from './define.ts';
import { decimalText, instantText } from './fields.ts';

const totals = {
  invoices: z.int(),
  invoiced: decimalText.describe('Total in the PSA; a credit memo is negative.'),
  posted_invoices: z.int(),
  posted: decimalText.describe('Total of the posted invoices in QuickBooks.'),
};

const period = z.strictObject({ from: z.iso.date(), through: z.iso.date(), ...totals });

export const money = z.strictObject({
  currency: z.string().nullable().describe('Currency of all amounts; null without invoices.'),
  from: z.iso.date().describe('First of the 30 days.'),
  through: z.iso.date().describe('Today, in the client’s time zone.'),
  days: z
    .array(z.strictObject({ date: z.iso.date(), ...totals }))
    .describe('Days with invoices, by their date, since the first of the 30 days or of this month.'),
  this_month: period,
  last_month: period.describe('The same days of the month before.'),
  other_currencies: z
    .array(z.strictObject({ currency: z.string(), invoices: z.int() }))
    .describe('Invoices of the 30 days that the amounts leave out.'),
  hours_from: instantText.describe('Start of the first of the last 24 hours.'),
  hours: z
    .array(
      z.strictObject({
        type: z.enum(kindNames),
        at: instantText.describe('Start of the hour.'),
        synced: z.int(),
        failed: z.int(),
        held: z.int().describe('On hold: neither posted nor failed.'),
      }),
    )
    .describe('Live attempts of the last 24 hours.'),
});
export type MoneyReply = z.output<typeof money>;

export const readMoney = route({
  method: 'GET',
  path: '/api/my/money',
  apiKey: 'read',
  summary: 'Returns invoiced and posted totals by day and attempts by hour, from stored data.',
  ...forUsers,
  reply: money,
});
