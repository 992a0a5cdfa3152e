import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readAlertPercents } from '#core/metered-reads.ts';
import { formatDate, formatCount } from '../../data/format.ts';
import { meteredReadsQuery } from '../../data/screen-queries.ts';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { FailedState } from '../../components/states.tsx';

const maxListed = 5;

/** Shows how much of Intuit's monthly read limit is used, and by which clients. */
export function MonthlyReads() {
  const reads = useQuery(meteredReadsQuery());
  if (reads.isLoadingError)
    return (
      <Panel title="QuickBooks reads this month">
        <FailedState what="The number of reads" of={reads} />
      </Panel>
    );
  if (reads.data === undefined) return null;
  const { limit, percent, blocked_until: blockedUntil, clients } = reads.data;
  const used =
    limit === null
      ? `${formatCount(reads.data.reads)} reads. The application has no limit.`
      : `${formatCount(reads.data.reads)} of ${formatCount(limit)} reads (${percent ?? 0}%)`;
  const isNearLimit = blockedUntil === null && percent !== null && percent >= readAlertPercents[0];
  return (
    <Panel title="QuickBooks reads this month">
      {blockedUntil !== null && (
        <Notice tone="warning">{`Intuit blocks reads until ${formatDate(blockedUntil)}. Posting continues; payments and the month-end close wait.`}</Notice>
      )}
      {isNearLimit && (
        <Notice tone="warning">
          At the limit, Intuit blocks reads until next month. Move to a paid tier before then.
        </Notice>
      )}
      <p>{used}</p>
      {clients.length > 0 && (
        <Stack component="ul" gap={0} mt={12} mb={0} p={0} aria-label="Clients with the most reads">
          {clients.slice(0, maxListed).map(({ id, name, reads: count }) => (
            <Group component="li" key={id} justify="space-between" style={{ fontVariantNumeric: 'tabular-nums' }}>
              <span>{name}</span> <span>{formatCount(count)}</span>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
