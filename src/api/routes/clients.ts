import { clientDetail, clientState } from '#contract/clients.ts';
import { costBeyond, nextReadMonth, readPercent } from '#core/metered-reads.ts';
import { readMonthOfReads } from '#flows/connections/watch-service.ts';
import { actorOf } from '#flows/access/principal.ts';
import { changeStatus, readClient } from '#flows/tenants/change-status.ts';
import { deleteTenant } from '#flows/tenants/delete-tenant.ts';
import { listClientStates } from '#flows/tenants/list-clients.ts';
import { exportTenant } from '#flows/tenants/export-tenant.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

export function clientRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listClientStates', async ({ query }) => {
    const { clients, total, needingHelp } = await listClientStates(app, {
      text: query.q,
      needsHelp: query.needs_help === 'true',
      page: query.page,
      pageSize: query.page_size,
    });
    return { data: { clients: clients.map((one) => toWire(clientState, one)), total, needing_help: needingHelp } };
  });

  serve(serving, 'readMeteredReads', async () => {
    const { month, reads, allowance, clientsBlocked, clients } = await readMonthOfReads(app);
    return {
      data: {
        month,
        reads,
        tier: allowance.tier,
        limit: allowance.calls,
        percent: allowance.calls === null ? null : readPercent(reads, allowance.calls),
        cost_beyond: costBeyond(reads, allowance),
        blocked_until: clientsBlocked === 0 ? null : nextReadMonth(app.clock.now()),
        clients,
      },
    };
  });

  serve(serving, 'readClient', async ({ params }) => ({
    data: toWire(clientDetail, await readClient(app, params.id)),
  }));

  serve(serving, 'changeClientStatus', async ({ principal, params, body }) => ({
    data: toWire(clientDetail, await changeStatus(app, { username: principal.username }, params.id, body)),
  }));

  serve(serving, 'deleteClient', async ({ principal, params, body }) => ({
    data: { rows: await deleteTenant(app, { username: principal.username }, params.id, body.name) },
  }));

  serveRaw(serving, 'exportData', async ({ principal, context, reply }) => {
    const { fileName, content } = await exportTenant(app, context, actorOf(principal));
    return reply
      .type('application/zip')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(content);
  });
}
