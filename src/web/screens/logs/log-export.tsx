import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { kinds } from '#core/kinds.ts';
import { listLogs } from '#contract/calls/logs.ts';
import type { LogHeadReply } from '#contract/logs.ts';
import { call } from '../../data/call.ts';
import { toCsv } from '../../data/csv.ts';
import { saveFile } from '../../data/download.ts';
import { clearErrors, showError, showMessage } from '../../components/flash.ts';
import type { LogsFilter } from '../../data/screen-queries.ts';
import { formatCount } from '../../data/format.ts';

const rowsPerCall = 200;

const columns: readonly (readonly [string, (log: LogHeadReply) => string | null])[] = [
  ['Type', ({ type }) => kinds[type].label],
  ['PSA ID', ({ entityid }) => String(entityid)],
  ['Document', ({ what }) => what],
  ['Number', ({ number }) => number],
  ['Customer, vendor or employee', ({ party }) => party],
  ['Date', ({ date }) => date],
  ['Amount', ({ amount }) => amount],
  ['Currency', ({ currency }) => currency],
  ['Test/Live', ({ test }) => (test ? 'test' : 'live')],
  ['Manually Synced', ({ manual }) => (manual ? 'yes' : 'no')],
  ['Success', ({ success }) => (success ? 'yes' : 'no')],
  ['Date and Time (UTC)', ({ LastModified }) => LastModified],
  ['Key', ({ Key }) => Key],
];

/**
 * Saves all counted entries that match the filters as CSV.
 *
 * @param total number of counted entries; 0 while loading
 */
export function LogExport({ filter, total }: { filter: LogsFilter; total: number }) {
  const save = useMutation({
    mutationFn: async () => {
      clearErrors();
      const rows: LogHeadReply[] = [];
      let isMore = false;
      for (let page = 1, known = total; rows.length < known; page += 1) {
        const { data } = await call(listLogs, { query: { ...filter, page, page_size: rowsPerCall } });
        [known, isMore] = [data.total, data.more];
        if (data.logs.length === 0) break;
        rows.push(...data.logs);
      }
      saveFile(new Blob([toCsv(columns, rows)], { type: 'text/csv;charset=utf-8' }), 'tallybridge-log.csv');
      if (isMore) showMessage(`Saved the first ${formatCount(rows.length)} entries. To save others, filter by date.`);
    },
    onError: (error) => showError(error.message),
  });
  return (
    <Button variant="default" loading={save.isPending} disabled={total === 0} onClick={() => save.mutate()}>
      Export
    </Button>
  );
}
