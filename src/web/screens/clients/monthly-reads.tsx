import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { beyondSentence, dollars, readAlertPercents, tiers } from '#core/metered-reads.ts';
import { firstDay, month as toMonth, nextMonth } from '#core/reconciliation/month.ts';
import { formatDate, formatCount } from '../../data/format.ts';
import { meteredReadsQuery } from '../../data/screen-queries.ts';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { FailedState } from '../../components/states.tsx';

const maxListed = 5;

/** Shows how much of Intuit's monthly share of metered calls is used, by which clients, and what further calls cost. */
export function MonthlyReads() {
  const reads = useQuery(meteredReadsQuery());
  if (reads.isLoadingError)
    return (
      <Panel title="QuickBooks calls this month">
        <FailedState what="The number of calls" of={reads} />
      </Panel>
    );
  if (reads.data === undefined) return null;
  const { tier, limit, percent, cost_beyond: cost, blocked_until: blockedUntil, clients } = reads.data;
  const used =
    limit === null
      ? `${formatCount(reads.data.reads)} metered calls. No limit is set.`
      : `${formatCount(reads.data.reads)} of ${formatCount(limit)} metered calls of the ${tiers[tier].label} tier (${percent ?? 0}%)`;
  const isNearLimit = blockedUntil === null && percent !== null && percent >= readAlertPercents[0];
  const next = firstDay(nextMonth(toMonth(reads.data.month)));
  return (
    <Panel title="QuickBooks calls this month">
      {blockedUntil !== null && (
        <Notice tone="warning">{`Intuit blocks reads until ${formatDate(blockedUntil)}. Documents that need no read are posted; the others, payments and the month-end close wait.`}</Notice>
      )}
      {isNearLimit && (
        <Notice tone="warning">
          {percent < 100 && 'Beyond 100%: '}
          {beyondSentence({ tier, calls: limit }, formatDate(next))}
          {cost !== null && cost > 0 && ` So far this costs ${dollars(cost)}.`}
        </Notice>
      )}
      <p>{used}</p>
      {clients.length > 0 && (
        <Stack component="ul" gap={0} mt={12} mb={0} p={0} aria-label="Clients with the most calls">
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
