import { kinds } from '#core/kinds.ts';
import { listLogs } from '#contract/calls/logs.ts';
import type { LogHeadReply } from '#contract/logs.ts';
import { type ExportColumn, ListExport } from '../../components/list-export.tsx';
import { call } from '../../data/call.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';

const columns: readonly ExportColumn<LogHeadReply>[] = [
  ['Type', ({ type }) => kinds[type].label],
  ['PSA ID', ({ entityid }) => String(entityid), 'number'],
  ['Document', ({ what }) => what],
  ['Number', ({ number }) => number],
  ['Customer, vendor or employee', ({ party }) => party],
  ['Date', ({ date }) => date],
  ['Amount', ({ amount }) => amount, 'amount'],
  ['Currency', ({ currency }) => currency],
  ['Test/Live', ({ test }) => (test ? 'test' : 'live')],
  ['Manually Synced', ({ manual }) => (manual ? 'yes' : 'no')],
  ['Success', ({ success }) => (success ? 'yes' : 'no')],
  ['On hold', ({ on_hold: isOnHold }) => (isOnHold ? 'yes' : 'no')],
  ['Message', ({ message }) => message],
  ['Date and Time (UTC)', ({ LastModified }) => LastModified],
  ['Key', ({ Key }) => Key],
];

/** Saves the entries that match the filters as CSV or for Excel. @param total number of counted entries; 0 while loading */
export const LogExport = ({ filter, total }: { filter: LogsFilter; total: number }) => (
  <ListExport
    name="tallybridge-log"
    columns={columns}
    total={total}
    read={async (place) => {
      const { logs, ...rest } = (await call(listLogs, { query: { ...filter, ...place } })).data;
      return { ...rest, rows: logs };
    }}
  />
);
