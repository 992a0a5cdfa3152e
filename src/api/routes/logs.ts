import type { LogSortKey } from '#contract/logs.ts';
import { listAudit, listLogs, readLog } from '#flows/logs/list.ts';
import { serve, type Serving } from '../serve.ts';
import { toAuditEvent, toLogDetail, toLogHead } from './wire.ts';

export function logRoutes(serving: Serving): void {
  const { app } = serving;
  serve(serving, 'logs', async ({ context, query }) => {
    const { key, type, mode, manual, success, after, before, q, sort, page, page_size: pageSize } = query;
    if (key !== undefined) return { data: { log: toLogDetail(await readLog(context, key), app.documentPages) } };
    const { logs, total, more } = await listLogs(context, {
      page,
      pageSize,
      sort: sort.replace(/^-/, '') as LogSortKey,
      descending: sort.startsWith('-'),
      ...(type === undefined ? {} : { type }),
      ...(mode === undefined ? {} : { mode }),
      ...(manual === undefined ? {} : { manual }),
      ...(success === undefined ? {} : { success }),
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      ...(q === undefined || q === '' ? {} : { text: q }),
    });
    return { data: { logs: logs.map(toLogHead), total, more } };
  });

  serve(serving, 'listAudit', async ({ context, query }) => {
    const { page, page_size: pageSize, q, person } = query;
    const { events, total, more } = await listAudit(context, {
      page,
      pageSize,
      ...(q === undefined ? {} : { text: q }),
      ...(person === undefined ? {} : { person }),
    });
    return { data: { events: events.map(toAuditEvent), total, more } };
  });
}
