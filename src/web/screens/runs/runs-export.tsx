import { listRuns } from '#contract/calls/jobs.ts';
import type { RunReply } from '#contract/jobs.ts';
import { kinds } from '#core/kinds.ts';
import { type ExportColumn, ListExport } from '../../components/list-export.tsx';
import { call } from '../../data/call.ts';
import type { RunsFilter } from '../../data/screen-queries.ts';

const columns: readonly ExportColumn<RunReply>[] = [
  ['Type', ({ type }) => kinds[type].label],
  ['Test/Live', ({ mode }) => mode],
  ['Status', ({ status }) => status],
  ['Failed', ({ failed }) => String(failed), 'number'],
  ['On hold', ({ held }) => String(held), 'number'],
  ['Synced', ({ succeeded }) => String(succeeded), 'number'],
  ['Skipped', ({ skipped }) => String(skipped), 'number'],
  ['Amount', ({ sums }) => sums.map(({ amount }) => amount).join(' '), 'amount'],
  ['Currency', ({ sums }) => sums.map(({ currency }) => currency ?? '').join(' ')],
  ['Started by', ({ trigger, submitted_by: by }) => (trigger === 'automatic' ? 'Automatic' : by)],
  ['Started (UTC)', ({ created_at: at }) => at],
  ['Ended (UTC)', ({ finished_at: at }) => at],
  ['Id', ({ id }) => id],
];

/** Saves the runs that match the filters as CSV or for Excel. @param total number of counted runs; 0 while loading */
export const RunsExport = ({ filter, total }: { filter: RunsFilter; total: number }) => (
  <ListExport
    name="tallybridge-runs"
    columns={columns}
    total={total}
    read={async (place) => {
      const { runs, counts } = (await call(listRuns, { query: { ...filter, ...place } })).data;
      return { rows: runs, total: counts[filter.outcome ?? 'all'] };
    }}
  />
);
