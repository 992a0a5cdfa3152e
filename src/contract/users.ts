import { z } from 'zod';
import { emailShape, maxEmailLength } from '#core/email.ts';
import { personStates } from '#core/person.ts';
import { clientRoles } from '#core/roles.ts';
import { route } from './define.ts';
import { instantText, paging, searchText, uuid } from './fields.ts';

export const person = z.strictObject({
  id: z.string().describe('Of the user; while somebody is invited, of the invitation.'),
  email: z.string(),
  name: z.string().describe('Empty when nobody told.'),
  role: z.enum(clientRoles),
  state: z.enum(personStates),
  since: instantText.describe('When the account began, or the newest invitation was sent.'),
  last_sign_in_at: instantText.nullable(),
  sessions: z.int().describe('How many browsers and programs are logged in now.'),
  is_you: z.boolean(),
  has_second_factor: z.boolean().describe('A code is asked for besides the password.'),
  invited_by: z.string().nullable(),
  invitation_ends_at: instantText.nullable(),
});
export type PersonReply = z.output<typeof person>;

const wrongEmail = 'Enter an email address.';
const missingName = 'Enter a name.';
const own = { roles: ['clientadmin'], client: 'required' } as const;
const byId = { ...own, tenantIds: ['params.id'], params: z.strictObject({ id: uuid }) } as const;

export const listUsers = route({
  method: 'GET',
  path: '/api/my/users',
  summary: 'The people of the client by email address: users, and those who are invited.',
  ...own,
  roles: ['clientadmin', 'accountant'],
  tenantIds: [],
  query: z.strictObject({
    q: searchText.optional().describe('Matches email address and name.'),
    state: z.enum(personStates).optional(),
    ...paging(20),
  }),
  reply: z.strictObject({ users: z.array(person), total: z.int() }),
});

export const inviteUser = route({
  method: 'POST',
  path: '/api/my/users/invitations',
  summary: 'Invites somebody to the client: a mail brings them a link, valid for 7 days, to set their password.',
  ...own,
  needsProof: 'always',
  tenantIds: [],
  body: z.strictObject({
    email: z
      .string({ error: wrongEmail })
      .trim()
      .toLowerCase()
      .max(maxEmailLength, wrongEmail)
      .regex(emailShape, wrongEmail),
    name: z.string({ error: missingName }).trim().min(1, missingName).max(100, 'Use at most 100 characters.'),
    role: z.enum(clientRoles).default('clientadmin'),
  }),
  reply: z.strictObject({ user: person }),
});

export const resendInvitation = route({
  method: 'POST',
  path: '/api/my/users/invitations/:id/resend',
  summary: 'Sends an invitation again, with a new link; the old one stops working.',
  ...byId,
  needsProof: 'always',
  reply: z.strictObject({ user: person }),
});

export const withdrawInvitation = route({
  method: 'DELETE',
  path: '/api/my/users/invitations/:id',
  summary: 'Withdraws an invitation; its link stops working.',
  ...byId,
  reply: z.null(),
});

export const deactivateUser = route({
  method: 'POST',
  path: '/api/my/users/:id/deactivate',
  summary: 'Lets a user in no more and ends their sessions; never oneself, nor the last one.',
  ...byId,
  reply: z.strictObject({ user: person }),
});

export const reactivateUser = route({
  method: 'POST',
  path: '/api/my/users/:id/reactivate',
  summary: 'Lets a deactivated user in again, with the password of before.',
  ...byId,
  reply: z.strictObject({ user: person }),
});

export const removeUser = route({
  method: 'DELETE',
  path: '/api/my/users/:id',
  summary: 'Removes a deactivated user; what they did stays in the audit trail.',
  ...byId,
  reply: z.null(),
});

export const endUserSessions = route({
  method: 'POST',
  path: '/api/my/users/:id/end-sessions',
  summary: 'Logs another user out everywhere.',
  ...byId,
  reply: z.strictObject({ user: person }),
});

export const readInvitation = route({
  method: 'POST',
  path: '/auth/read-invitation',
  summary: 'Tells what an invitation is for, without using it up.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200) }),
  reply: z.strictObject({ email: z.string(), name: z.string(), client: z.string().describe('Name of the client.') }),
});

export const acceptInvitation = route({
  method: 'POST',
  path: '/auth/accept-invitation',
  summary: 'Accepts an invitation with the token of the mailed link: sets the password of the new user.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200), password: z.string().max(1_000) }),
  reply: z.null(),
});
