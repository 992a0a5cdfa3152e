import { z } from 'zod';
import { maxDomains, providerKinds } from '#core/sign-in-provider.ts';
import { forAdmins, route } from './define.ts';
import { instantText, wasOf } from './fields.ts';

const kind = z.enum(providerKinds);
const domains = z.array(z.string().max(254)).max(maxDomains * 2);
const was = wasOf(['kind', 'issuer', 'client_id', 'domains', 'covers_second_step']).optional();

export const signInProvider = z.strictObject({
  kind,
  issuer: z.string(),
  client_id: z.string(),
  domains: z.array(z.string()).describe('Email domains of the users.'),
  covers_second_step: z.boolean().describe('The provider checks the second step; Tallybridge asks for no code.'),
  tested_at: instantText.nullable().describe('Last successful test of these values; null: test again.'),
  is_required: z.boolean().describe('Passwords are rejected, except the break-glass administrator’s.'),
  break_glass: z.string().nullable().describe('Address of the administrator who may still log in with a password.'),
});
export type SignInProviderReply = z.output<typeof signInProvider>;

export const readSignInProvider = route({
  method: 'GET',
  path: '/api/my/sign-in-provider',
  summary: 'Returns where the client’s users log in, without the secret.',
  ...forAdmins,
  reply: z.strictObject({
    provider: signInProvider.nullable(),
    administrators: z.array(z.string()).describe('Active administrators, for the choice of break-glass.'),
    redirect_uri: z.string().describe('Register this address at the provider.'),
  }),
});

export const saveSignInProvider = route({
  method: 'PUT',
  path: '/api/my/sign-in-provider',
  summary: 'Saves the provider, unless it changed meanwhile (409); after a change it must be tested again.',
  event: 'sign_in_provider.changed',
  ...forAdmins,
  body: z.strictObject({
    kind,
    issuer: z.string().trim().max(500),
    client_id: z.string().trim().min(1, 'Enter the client ID.').max(300),
    client_secret: z.string().trim().min(1).max(2_000).optional().describe('Absent: unchanged.'),
    domains,
    covers_second_step: z.boolean().default(false),
    was,
  }),
  reply: z.null(),
});

export const removeSignInProvider = route({
  method: 'DELETE',
  path: '/api/my/sign-in-provider',
  summary: 'Removes the provider, unless it changed meanwhile (409); users log in with their passwords again.',
  event: 'sign_in_provider.changed',
  ...forAdmins,
  body: z.strictObject({ was }).nullish(),
  reply: z.null(),
});

export const testSignInProvider = route({
  method: 'POST',
  path: '/api/my/sign-in-provider/test',
  summary: 'Begins a test: the caller logs in at the returned address as themselves.',
  ...forAdmins,
  reply: z.strictObject({ url: z.string() }),
});

export const requireSignInProvider = route({
  method: 'PUT',
  path: '/api/my/sign-in-provider/requirement',
  summary: 'Sets whether all users must log in at the provider; ends sessions that began with a password.',
  event: 'sign_in_provider.changed',
  ...forAdmins,
  body: z.strictObject({ is_required: z.boolean(), break_glass: z.string().max(254).nullable().default(null), was }),
  reply: z.null(),
});

export const beginProviderSignIn = route({
  method: 'POST',
  path: '/auth/provider/begin',
  inMaintenance: true,
  summary: 'Returns the login page of the provider for the domain of an email address.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ username: z.string().trim().min(1, 'Enter your username first.').max(254) }),
  reply: z.strictObject({ url: z.string() }),
});

export const providerCallback = route({
  method: 'GET',
  path: '/auth/provider/callback',
  inMaintenance: true,
  summary: 'Browser: returns from the provider.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  // Providers add parameters of their own.
  query: z
    .object({
      state: z.string().max(200).optional(),
      code: z.string().max(8_000).optional(),
      iss: z.string().max(500).optional(),
      error: z.string().max(200).optional(),
      error_description: z.string().max(4_000).optional(),
    })
    .catchall(z.string().max(4_000)),
  reply: z.null(),
});

export const providerCode = route({
  method: 'POST',
  path: '/auth/provider/code',
  inMaintenance: true,
  summary: 'Browser: receives the code of the authenticator app after the provider has confirmed the user.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  body: z.strictObject({ question: z.string().max(200), code: z.string().max(64) }),
  reply: z.null(),
});
