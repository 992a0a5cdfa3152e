import { z } from 'zod';
import { emailShape, maxEmailLength } from '#core/email.ts';
import { ownedKinds } from '#core/owned.ts';
import { personStates } from '#core/person.ts';
import { clientRoles } from '#core/roles.ts';
import { forAdmins, route } from './define.ts';
import { instantText, paging, searchText, uuid } from './fields.ts';

export const person = z.strictObject({
  id: z.string().describe('Id of the user, or of a pending invitation.'),
  email: z.string(),
  name: z.string().describe('Empty if unknown.'),
  role: z.enum(clientRoles),
  state: z.enum(personStates),
  since: instantText.describe('When the account was created, or the latest invitation was sent.'),
  last_sign_in_at: instantText.nullable(),
  sessions: z.int().describe('Number of active sessions.'),
  is_you: z.boolean(),
  has_second_factor: z.boolean().describe('Whether the login requires a code in addition to the password.'),
  invited_by: z.string().nullable(),
  invitation_ends_at: instantText.nullable(),
});
export type PersonReply = z.output<typeof person>;

const wrongEmail = 'Enter an email address.';
const missingName = 'Enter a name.';
const byId = { ...forAdmins, tenantIds: ['params.id'], params: z.strictObject({ id: uuid }) } as const;

export const listUsers = route({
  method: 'GET',
  path: '/api/my/users',
  summary: 'Lists the users and invitations of the client by email address.',
  ...forAdmins,
  roles: ['clientadmin', 'accountant'],
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
  summary: 'Invites a user to the client: emails a link to set a password, valid for 7 days.',
  event: 'users.changed',
  ...forAdmins,
  needsProof: 'always',
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
  event: 'users.changed',
  ...byId,
  needsProof: 'always',
  reply: z.strictObject({ user: person }),
});

export const withdrawInvitation = route({
  method: 'DELETE',
  path: '/api/my/users/invitations/:id',
  summary: 'Withdraws an invitation; its link stops working.',
  event: 'users.changed',
  ...byId,
  reply: z.null(),
});

const succession = z.strictObject({
  hand_over: z
    .array(z.enum(ownedKinds))
    .max(ownedKinds.length)
    .optional()
    .describe('Kinds that are handed over; all others are removed. Absent: webhook endpoints and chats.'),
  to: z.string().max(maxEmailLength).optional().describe('Administrator who gets them; absent: the caller.'),
});

export const listOwned = route({
  method: 'GET',
  path: '/api/my/users/:id/owned',
  summary: 'Lists the API keys, webhook endpoints, chats and invitations of a user.',
  ...byId,
  reply: z.strictObject({
    owned: z.array(
      z.strictObject({
        kind: z.enum(ownedKinds),
        id: z.string(),
        name: z.string().describe('Its name, masked address or email address.'),
      }),
    ),
  }),
});
export type OwnedReply = z.output<typeof listOwned.reply>['owned'][number];

export const deactivateUser = route({
  method: 'POST',
  path: '/api/my/users/:id/deactivate',
  summary:
    'Deactivates a user, ends their sessions, and hands over or removes what they own. Callers cannot deactivate themselves or the last active user.',
  event: 'users.changed',
  ...byId,
  body: succession.nullish(),
  reply: z.strictObject({ user: person }),
});

export const reactivateUser = route({
  method: 'POST',
  path: '/api/my/users/:id/reactivate',
  summary: 'Reactivates a user with the same password.',
  event: 'users.changed',
  ...byId,
  reply: z.strictObject({ user: person }),
});

export const removeUser = route({
  method: 'DELETE',
  path: '/api/my/users/:id',
  summary:
    'Removes a deactivated user, and hands over or removes what they still own; the audit trail keeps their entries.',
  event: 'users.changed',
  ...byId,
  body: succession.nullish(),
  reply: z.null(),
});

export const endUserSessions = route({
  method: 'POST',
  path: '/api/my/users/:id/end-sessions',
  summary: 'Ends all sessions of another user.',
  event: 'session.ended',
  ...byId,
  reply: z.strictObject({ user: person }),
});

export const readInvitation = route({
  method: 'POST',
  path: '/auth/read-invitation',
  summary: 'Returns the email address, name and client of an invitation without using it.',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200) }),
  reply: z.strictObject({ email: z.string(), name: z.string(), client: z.string().describe('Name of the client.') }),
});

export const acceptInvitation = route({
  method: 'POST',
  path: '/auth/accept-invitation',
  summary: 'Accepts an invitation with the token from the emailed link and sets the password of the new user.',
  event: 'invitation.accepted',
  roles: 'public',
  tenantIds: [],
  body: z.strictObject({ token: z.string().max(200), password: z.string().max(1_000) }),
  reply: z.null(),
});
