import { z } from 'zod';
import { roles } from '#core/roles.ts';
import { forAdmins, route } from './define.ts';
import { ifNoText, uuid } from './fields.ts';
import { serviceKey } from './services.ts';

const tokenReply = z.strictObject({
  token: z.string().describe('Session token: a JWT with claims for the client to read.'),
});
const missing = 'Credentials not provided.';

/** Claims of the session token; `ctx` ties it to the browser's cookie. */
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
  inMaintenance: true,
  summary: 'Logs in with user name and password.',
  event: 'sign_in.succeeded',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({
    username: z.string(ifNoText(missing)).trim().min(1, missing).max(254),
    password: z.string(ifNoText(missing)).min(1, missing).max(1_000),
    code: z
      .string()
      .max(64)
      .optional()
      .describe('Code of an authenticator app, or a recovery code. Not needed without a second factor.'),
  }),
  reply: tokenReply,
});

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  inMaintenance: true,
  summary: 'Ends the session of this token.',
  event: 'sign_out',
  roles: 'any',
  tenantIds: [],
  reply: z.null(),
});

export const masquerade = route({
  method: 'POST',
  path: '/auth/masquerade',
  summary: 'Lets a system administrator act as a client; the previous token expires.',
  event: 'masquerade.begun',
  roles: ['sysadmin'],
  tenantIds: [],
  body: z.strictObject({
    client_id: z.string(ifNoText('Client not selected.')).min(1, 'Client not selected.').max(100),
  }),
  reply: tokenReply,
});

export const endMasquerade = route({
  method: 'POST',
  path: '/auth/masquerade/end',
  summary: 'Returns a masquerading system administrator to their own session.',
  event: 'masquerade.ended',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: tokenReply,
});

export const signOn = route({
  method: 'POST',
  path: '/auth/sso',
  inMaintenance: true,
  summary: 'Logs in with the one-time code that the browser received from the PSA sign-on.',
  event: 'sign_in.succeeded',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string(ifNoText('Token not provided.')).min(1, 'Token not provided.').max(200) }),
  reply: tokenReply,
});

export const connectTicket = route({
  method: 'POST',
  path: '/auth/connect-ticket',
  summary: 'Returns a one-time ticket, valid for 60 seconds, for the link that connects a service.',
  event: 'connection.begun',
  ...forAdmins,
  body: z.strictObject({
    service: serviceKey,
    allow_different_company: z
      .boolean()
      .default(false)
      .describe('Whether the user confirmed connecting a different company than before.'),
  }),
  reply: z.strictObject({ ticket: z.string() }),
});

export const forgotPassword = route({
  method: 'POST',
  path: '/auth/forgot-password',
  summary: 'Emails a link to set a new password; the response is the same for every address.',
  event: 'password.reset_requested',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ email: z.string().max(254) }),
  reply: z.null(),
});

export const resetPassword = route({
  method: 'POST',
  path: '/auth/reset-password',
  summary: 'Sets a new password with the token from the emailed link.',
  event: 'password.changed',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200), password: z.string().max(1_000) }),
  reply: z.null(),
});

export const forcePasswordReset = route({
  method: 'POST',
  path: '/auth/force-password-reset/:id',
  summary: 'Ends every session of a user and requires a new password.',
  event: 'password.reset_forced',
  roles: ['sysadmin'],
  tenantIds: [],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

/** Ids are numbers in the PSA and text in a URL. */
const linkId = z.union([z.string().max(50), z.int().transform(String)]);

export const verifySignOn = route({
  method: 'POST',
  path: '/r1c/verify',
  summary: 'Returns whether a PSA user is known, and the URL that verifies their identity.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ tenant_id: linkId, resource_id: linkId }),
  reply: z.strictObject({ known: z.boolean(), authorize_url: z.string() }),
});

const emailToken = z.string().max(200);

export const confirmEmailPage = route({
  method: 'GET',
  path: '/auth/confirm-email',
  summary:
    'Browser: asks the user who followed the emailed link to confirm the address. The form completes the verification.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.strictObject({ token: emailToken.default('') }),
  reply: z.null(),
});

export const confirmEmail = route({
  method: 'POST',
  path: '/auth/confirm-email',
  summary: 'Browser: receives the confirmation and marks the email address as verified.',
  event: 'email.proved',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  body: z.strictObject({ token: emailToken }),
  reply: z.null(),
});

export const mailEmailProof = route({
  method: 'POST',
  path: '/auth/mail-email-proof',
  summary: 'Emails the link to verify the email address again; 409 if it is already verified.',
  roles: 'any',
  tenantIds: [],
  reply: z.null(),
});

export const readAccount = route({
  method: 'GET',
  path: '/auth/account',
  summary: 'Returns the account of the logged-in user.',
  roles: 'any',
  tenantIds: [],
  reply: z.strictObject({ username: z.string(), email_proved: z.boolean() }),
});

export const changePassword = route({
  method: 'POST',
  path: '/auth/change-password',
  summary: 'Changes the password; requires the current password and ends every other session of the user.',
  event: 'password.changed',
  roles: 'any',
  tenantIds: [],
  body: z.strictObject({
    password: z.string().max(1_000),
    new_password: z.string().max(1_000),
    code: z.string().trim().max(64).optional().describe('Required while two-step login is on.'),
  }),
  reply: tokenReply,
});

export const authorizeSignOn = route({
  method: 'GET',
  path: '/auth/autotask/authorize',
  summary: 'Browser: verifies the identity of a PSA user and returns to the application with a one-time code.',
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
  summary: 'Browser: receives the password, or the answer to “Continue as …?”, and returns to the application.',
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
