import { z } from 'zod';
import { forAdmins, route } from './define.ts';
import { instantText } from './fields.ts';

const password = z.string().min(1, 'Enter your password.').max(1_000);
const code = z.string().trim().min(1, 'Enter the code.').max(64);
const recoveryCodes = z.array(z.string()).describe('Each code replaces the app once; shown only this once.');

export const secondFactor = z.strictObject({
  is_on: z.boolean(),
  since: instantText.nullable(),
  recovery_codes_left: z.int(),
  required_by: z
    .enum(['deployment', 'client'])
    .nullable()
    .describe('What requires it; null if it is the user’s choice.'),
  client_requires: z
    .boolean()
    .nullable()
    .describe('Whether the client requires it of all users; null without a client.'),
});
export type SecondFactorReply = z.output<typeof secondFactor>;

export const readSecondFactor = route({
  method: 'GET',
  path: '/api/my/second-factor',
  summary: 'Returns whether the caller’s login needs a second step.',
  roles: 'any',
  tenantIds: [],
  reply: secondFactor,
});

export const beginSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/begin',
  summary: 'Starts the setup of an authenticator app; returns its secret, only this once.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password }),
  reply: z.strictObject({
    secret: z.string().describe('Base32.'),
    uri: z.string().describe('`otpauth://…`, for the QR code.'),
  }),
});

export const confirmSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/confirm',
  summary: 'Turns the second step on with the first code of the app; ends every session and starts a new one.',
  event: 'second_factor.changed',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ code }),
  reply: z.strictObject({ recovery_codes: recoveryCodes, token: z.string() }),
});

export const replaceRecoveryCodes = route({
  method: 'POST',
  path: '/api/my/second-factor/recovery-codes',
  summary: 'Replaces all recovery codes with new ones.',
  event: 'second_factor.changed',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password, code }),
  reply: z.strictObject({ recovery_codes: recoveryCodes }),
});

export const turnOffSecondFactor = route({
  method: 'POST',
  path: '/api/my/second-factor/turn-off',
  summary: 'Turns the second step off, unless the deployment or the client requires it.',
  event: 'second_factor.changed',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({ password, code }),
  reply: z.null(),
});

export const requireSecondFactor = route({
  method: 'PUT',
  path: '/api/my/second-factor/requirement',
  summary: 'Sets whether every user of the client must have a second step.',
  event: 'second_factor.changed',
  ...forAdmins,
  body: z.strictObject({ is_required: z.boolean() }),
  reply: z.null(),
});
