import { endOtherSessions, endOwnSession, listOwnSessions } from '#flows/access/sessions.ts';
import { serve, type Serving } from '../serve.ts';
import { toSessionReply } from './wire.ts';

export function sessionRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listSessions', async ({ principal }) => ({
    data: { sessions: (await listOwnSessions(app, principal)).map(toSessionReply) },
  }));

  serve(serving, 'endSession', async ({ principal, params }) => {
    await endOwnSession(app, principal, params.id);
    return { data: null };
  });

  serve(serving, 'endOtherSessions', async ({ principal }) => ({
    data: { ended: await endOtherSessions(app, principal) },
  }));
}
