import { z } from 'zod';
import { monthPattern } from '#core/reconciliation/month.ts';
import { forUsers, route } from './define.ts';

const month = z.string().regex(monthPattern, 'Enter a month as YYYY-MM.').optional();
const about = {
  for: z
    .enum(['approval', 'signature'])
    .describe('`approval` of the waiting documents, or the second `signature` of a month.'),
  month: month.describe('The month to sign; only for `signature`.'),
};

export const listAskable = route({
  method: 'GET',
  path: '/api/my/requests',
  summary: 'Lists the users who can be asked to approve or to sign.',
  ...forUsers,
  query: z.strictObject(about),
  reply: z.strictObject({ users: z.array(z.strictObject({ username: z.string(), name: z.string() })) }),
});

export const askUsers = route({
  method: 'POST',
  path: '/api/my/requests',
  summary: 'Asks a user, or all who may, to approve or to sign: a notice and an email with a link.',
  ...forUsers,
  body: z.strictObject({
    ...about,
    to: z.string().max(254).optional().describe('User name; absent: all who may.'),
  }),
  reply: z.strictObject({ asked: z.array(z.string()).describe('User names.') }),
});
