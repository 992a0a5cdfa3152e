import { changeMaintenance, readDeploymentStatus } from '#flows/deployment/status.ts';
import { serve, type Serving } from '../serve.ts';

/** Calls about the whole deployment, for system administrators. */
export function deploymentRoutes(serving: Serving): void {
  const { app, maintenance } = serving;

  serve(serving, 'readDeployment', async () => {
    const { totals, ...status } = await readDeploymentStatus(app);
    return {
      data: {
        version: status.version,
        newer_version: status.newerVersion,
        pending_migrations: status.pendingMigrations,
        maintenance: status.maintenance,
        processes: status.processes.map(({ startedAt, ...one }) => ({ ...one, started_at: startedAt })),
        queue: {
          waiting: totals.jobs.queued,
          running: totals.jobs.running,
          oldest_waiting_at: status.oldestWaitingAt,
        },
        backed_up_at: totals.backedUpAt,
        restored_at: totals.restoredAt,
        clients_unsearched: totals.clientsUnsearched,
        mails_waiting: totals.mailsWaiting,
        incident: status.incident,
      },
    };
  });

  serve(serving, 'changeMaintenance', async ({ principal, body }) => {
    const now = await changeMaintenance(app, principal, body.message);
    await maintenance.refresh();
    return { data: { maintenance: now }, message: `Maintenance is ${now === null ? 'off' : 'on'}.` };
  });
}
