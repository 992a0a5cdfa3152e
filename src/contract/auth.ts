import { z } from 'zod';
import { roles } from '#core/roles.ts';
import { route } from './define.ts';
import { uuid } from './fields.ts';
import { serviceKey } from './services.ts';

const tokenReply = z.strictObject({
  token: z.string().describe('Session token, a JWT whose claims the client reads.'),
});
const missing = 'Credentials not provided.';

/** Claims of the session token; `ctx` binds it to the browser's cookie. */
export const sessionClaims = z.object({
  exp: z.int(),
  iat: z.int(),
  iss: z.string(),
  aud: z.string(),
  jti: z.string(),
  user: z.object({ username: z.string(), roles: z.array(z.enum(roles)) }),
  client: z.object({ id: z.string(), name: z.string() }).nullable(),
  autotask_tenant_id: z.union([z.string(), z.number()]).nullable(),
  autotask_resource_id: z.union([z.string(), z.number()]).nullable(),
  act: z.object({ username: z.string() }).optional(),
  ctx: z.string().optional(),
  must_set_up: z.literal('second_factor').optional(),
});
export type SessionClaims = z.output<typeof sessionClaims>;

export const login = route({
  method: 'POST',
  path: '/auth/login',
  summary: 'Logs in with user name and password.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({
    username: z.string({ error: missing }).trim().min(1, missing).max(254),
    password: z.string({ error: missing }).min(1, missing).max(1_000),
    code: z
      .string()
      .max(64)
      .optional()
      .describe('Of an authenticator app, or a recovery code; users without a second factor need none.'),
  }),
  reply: tokenReply,
});

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  summary: 'Ends the session of this token.',
  roles: 'any',
  tenantIds: [],
  reply: z.null(),
});

export const masquerade = route({
  method: 'POST',
  path: '/auth/masquerade',
  summary: 'Lets a system administrator act as a client; the former token ends.',
  roles: ['sysadmin'],
  tenantIds: [],
  body: z.strictObject({
    client_id: z.string({ error: 'Client not selected.' }).min(1, 'Client not selected.').max(100),
  }),
  reply: tokenReply,
});

export const endMasquerade = route({
  method: 'POST',
  path: '/auth/masquerade/end',
  summary: 'Returns a masquerading system administrator to their own session.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: tokenReply,
});

export const signOn = route({
  method: 'POST',
  path: '/auth/sso',
  summary: 'Logs in with the one-time code that the PSA sign-on handed to the browser.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string({ error: 'Token not provided.' }).min(1, 'Token not provided.').max(200) }),
  reply: tokenReply,
});

export const connectTicket = route({
  method: 'POST',
  path: '/auth/connect-ticket',
  summary: 'Hands out a one-time ticket, valid for 60 seconds, for the link that connects a service.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: z.strictObject({
    service: serviceKey,
    allow_different_company: z
      .boolean()
      .default(false)
      .describe('The person confirmed that another company than before is to be connected.'),
  }),
  reply: z.strictObject({ ticket: z.string() }),
});

export const forgotPassword = route({
  method: 'POST',
  path: '/auth/forgot-password',
  summary: 'Mails a link to set a new password; the answer is the same for every address.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ email: z.string().max(254) }),
  reply: z.null(),
});

export const resetPassword = route({
  method: 'POST',
  path: '/auth/reset-password',
  summary: 'Sets a new password with the token of the mailed link.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200), password: z.string().max(1_000) }),
  reply: z.null(),
});

export const forcePasswordReset = route({
  method: 'POST',
  path: '/auth/force-password-reset/:id',
  summary: 'Ends every session of a user and makes them set a new password.',
  roles: ['sysadmin'],
  tenantIds: [],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

/** Ids are numbers in the PSA and text in an address. */
const linkId = z.union([z.string().max(50), z.int().transform(String)]);

export const verifySignOn = route({
  method: 'POST',
  path: '/r1c/verify',
  summary: 'Tells whether a PSA user is known and where their identity is proved.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ tenant_id: linkId, resource_id: linkId }),
  reply: z.strictObject({ known: z.boolean(), authorize_url: z.string() }),
});

const emailToken = z.string().max(200);

export const confirmEmailPage = route({
  method: 'GET',
  path: '/auth/confirm-email',
  summary: 'Browser: asks whoever followed the mailed link to confirm the address; the link counts with the answer.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.strictObject({ token: emailToken.default('') }),
  reply: z.null(),
});

export const confirmEmail = route({
  method: 'POST',
  path: '/auth/confirm-email',
  summary: 'Browser: takes the answer; the address of the account is proved then.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  body: z.strictObject({ token: emailToken }),
  reply: z.null(),
});

export const mailEmailProof = route({
  method: 'POST',
  path: '/auth/mail-email-proof',
  summary: 'Mails the link that proves the address of the account once more; 409 when it is proved.',
  roles: 'any',
  tenantIds: [],
  reply: z.null(),
});

export const readAccount = route({
  method: 'GET',
  path: '/auth/account',
  summary: 'What the logged-in person has to know of their own account.',
  roles: 'any',
  tenantIds: [],
  reply: z.strictObject({ username: z.string(), email_proved: z.boolean() }),
});

export const changePassword = route({
  method: 'POST',
  path: '/auth/change-password',
  summary: 'Sets a new password with the present one; every other session of the user ends.',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({
    password: z.string().max(1_000),
    new_password: z.string().max(1_000),
    code: z.string().trim().max(64).optional().describe('Needed while two-step login is on.'),
  }),
  reply: tokenReply,
});

export const authorizeSignOn = route({
  method: 'GET',
  path: '/auth/autotask/authorize',
  summary: 'Browser: proves the identity of a PSA user and returns to the application with a one-time code.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.strictObject({
    tenant_id: z.string().max(50),
    resource_id: z.string().max(50),
    referrer: z.string().max(500).optional(),
  }),
  reply: z.null(),
});

const referrer = z.string().max(500).optional();

export const authorizeSignOnForm = route({
  method: 'POST',
  path: '/auth/autotask/authorize',
  summary: 'Browser: takes the password, or the answer to “Continue as …?”, and returns to the application.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  body: z.union([
    z.strictObject({
      tenant_id: z.string().max(50),
      resource_id: z.string().max(50),
      referrer,
      username: z.string().trim().max(254),
      password: z.string().max(1_000),
      code: z.string().max(64).optional(),
    }),
    z.strictObject({ question: z.string().max(200), referrer }),
  ]),
  reply: z.null(),
});
