import {
  acceptInvitation,
  inviteUser,
  readInvitation,
  resendInvitation,
  withdrawInvitation,
} from '#flows/access/invitations.ts';
import { deactivateUser, endUserSessions, reactivateUser, removeUser } from '#flows/access/users.ts';
import { afterwards } from '../afterwards.ts';
import { serve, type Serving } from '../serve.ts';
import { toPersonReply } from './wire.ts';

export function userRoutes(serving: Serving): void {
  const { app } = serving;
  const after = afterwards(serving.server, app);

  serve(serving, 'listUsers', async ({ context, principal, query }) => {
    const { people, total } = await context.store.listPeople({
      page: query.page,
      pageSize: query.page_size,
      ...(query.q === undefined ? {} : { text: query.q }),
      ...(query.state === undefined ? {} : { state: query.state }),
    });
    return { data: { users: people.map((person) => toPersonReply(person, principal)), total } };
  });

  serve(serving, 'inviteUser', async ({ context, principal, body, reply }) => {
    const { person, mail } = await inviteUser(app, context, principal, body);
    after(reply, 'mail an invitation', mail);
    const message = `An invitation is on its way to ${person.email}.`;
    return { data: { user: toPersonReply(person, principal) }, message };
  });

  serve(serving, 'resendInvitation', async ({ context, principal, params, reply }) => {
    const { person, mail } = await resendInvitation(app, context, principal, params.id);
    after(reply, 'mail an invitation again', mail);
    const message = `A new invitation is on its way to ${person.email}. The link of the old one does not work any more.`;
    return { data: { user: toPersonReply(person, principal) }, message };
  });

  serve(serving, 'withdrawInvitation', async ({ context, principal, params }) => {
    await withdrawInvitation(context, principal, params.id);
    return { data: null };
  });

  for (const [name, change] of [
    ['deactivateUser', deactivateUser],
    ['reactivateUser', reactivateUser],
    ['endUserSessions', endUserSessions],
  ] as const)
    serve(serving, name, async ({ context, principal, params }) => {
      const user = await change(context, principal, params.id);
      return { data: { user: toPersonReply(user, principal) } };
    });

  serve(serving, 'removeUser', async ({ context, principal, params }) => {
    await removeUser(context, principal, params.id);
    return { data: null };
  });

  serve(serving, 'readInvitation', async ({ body }) => ({ data: await readInvitation(app, body.token) }));

  serve(serving, 'acceptInvitation', async ({ body }) => {
    await acceptInvitation(app, body);
    return { data: null };
  });
}
