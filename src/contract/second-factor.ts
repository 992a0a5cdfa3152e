import { z } from 'zod';
import { route } from './define.ts';
import { instantText } from './fields.ts';

const password = z.string().min(1, 'Enter your password.').max(1_000);
const code = z.string().trim().min(1, 'Enter the code.').max(64);
const recoveryCodes = z.array(z.string()).describe('Each stands in for the app once; shown this one time.');

export const secondFactor = z.strictObject({
  is_on: z.boolean(),
  since: instantText.nullable(),
  recovery_codes_left: z.int(),
  required_by: z.enum(['deployment', 'client']).nullable().describe('Who demands it; null: the own choice.'),
  client_requires: z
    .boolean()
    .nullable()
    .describe('Whether the client demands it of its users; null without a client.'),
});
export type SecondFactorReply = z.output<typeof secondFactor>;

export const readSecondFactor = route({
  method: 'GET',
  path: '/api/my/second-factor',
  summary: 'Whether the own login needs a second step.',
  roles: 'any',
  tenantIds: [],
  reply: secondFactor,
});

export const beginSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/begin',
  summary: 'Begins to set up an authenticator app; answers its secret, this one time.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password }),
  reply: z.strictObject({
    secret: z.string().describe('Base32.'),
    uri: z.string().describe('`otpauth://…`, for the picture that the app reads.'),
  }),
});

export const confirmSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/confirm',
  summary: 'Turns the second step on with the first code of the app; every session ends, and a new one begins.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ code }),
  reply: z.strictObject({ recovery_codes: recoveryCodes, token: z.string() }),
});

export const replaceRecoveryCodes = route({
  method: 'POST',
  path: '/api/my/second-factor/recovery-codes',
  summary: 'New recovery codes in place of all earlier ones.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password, code }),
  reply: z.strictObject({ recovery_codes: recoveryCodes }),
});

export const turnOffSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/turn-off',
  summary: 'Turns the second step off, unless somebody demands it.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password, code }),
  reply: z.null(),
});

export const requireSecondFactor = route({
  method: 'PUT',
  path: '/api/my/second-factor/requirement',
  summary: 'Says whether every user of the client must have a second step.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: z.strictObject({ is_required: z.boolean() }),
  reply: z.null(),
});
