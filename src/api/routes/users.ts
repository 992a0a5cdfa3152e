import type { BodyOf } from '#contract/define.ts';
import type { routes } from '#contract/routes.ts';
import type { PersonReply } from '#contract/users.ts';
import type { Person } from '#core/records/people.ts';
import { assert } from '#core/values/assert.ts';
import {
  acceptInvitation,
  inviteUser,
  readInvitation,
  resendInvitation,
  withdrawInvitation,
} from '#flows/access/invitations.ts';
import type { Principal } from '#flows/access/principal.ts';
import {
  deactivateUser,
  endUserSessions,
  listOwned,
  reactivateUser,
  removeUser,
  type SuccessionChoice,
} from '#flows/access/users.ts';
import { listPeople, listSecured } from '#flows/access/list-people.ts';
import { afterResponse } from '../after-response.ts';
import { serve, type Serving } from '../serve.ts';
import { toPersonReply } from './wire.ts';

export function userRoutes(serving: Serving): void {
  const { app } = serving;
  const after = afterResponse(serving.server, app);
  const replies = async (people: readonly Person[], principal: Principal): Promise<PersonReply[]> => {
    const secured = await listSecured(app, people);
    return people.map((person) => toPersonReply(person, principal, secured));
  };
  const replyOf = async (person: Person, principal: Principal): Promise<{ user: PersonReply }> => {
    const [user] = await replies([person], principal);
    assert(user !== undefined, 'each person has a reply');
    return { user };
  };

  serve(serving, 'listUsers', async ({ context, principal, query }) => {
    const { people, total } = await listPeople(context, {
      page: query.page,
      pageSize: query.page_size,
      ...(query.q === undefined ? {} : { text: query.q }),
      ...(query.state === undefined ? {} : { state: query.state }),
    });
    return { data: { users: await replies(people, principal), total } };
  });

  serve(serving, 'inviteUser', async ({ context, principal, body, reply }) => {
    const { person, mail } = await inviteUser(app, context, principal, body);
    after(reply, 'mail an invitation', mail);
    const message = `An invitation is on its way to ${person.email}.`;
    return { data: await replyOf(person, principal), message };
  });

  serve(serving, 'resendInvitation', async ({ context, principal, params, reply }) => {
    const { person, mail } = await resendInvitation(app, context, principal, params.id);
    after(reply, 'mail an invitation again', mail);
    const message = `A new invitation is on its way to ${person.email}. The old link no longer works.`;
    return { data: await replyOf(person, principal), message };
  });

  serve(serving, 'withdrawInvitation', async ({ context, principal, params }) => {
    await withdrawInvitation(context, principal, params.id);
    return { data: null };
  });

  serve(serving, 'listOwned', async ({ context, params }) => ({
    data: { owned: await listOwned(context, params.id) },
  }));

  serve(serving, 'deactivateUser', async ({ context, principal, params, body }) => {
    const user = await deactivateUser(app, context, principal, params.id, choiceOf(body));
    return { data: await replyOf(user, principal) };
  });

  for (const [name, change] of [
    ['reactivateUser', reactivateUser],
    ['endUserSessions', endUserSessions],
  ] as const)
    serve(serving, name, async ({ context, principal, params }) => {
      const user = await change(context, principal, params.id);
      return { data: await replyOf(user, principal) };
    });

  serve(serving, 'removeUser', async ({ context, principal, params, body }) => {
    await removeUser(context, principal, params.id, choiceOf(body));
    return { data: null };
  });

  serve(serving, 'readInvitation', async ({ body }) => ({ data: await readInvitation(app, body.token) }));

  serve(serving, 'acceptInvitation', async ({ body }) => {
    await acceptInvitation(app, body);
    return { data: null };
  });
}

const choiceOf = (body: BodyOf<typeof routes.removeUser>): SuccessionChoice => ({
  handOver: body?.hand_over,
  to: body?.to,
});
