import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { formatCount, formatMonthName, formatSums, sumsByCurrency } from '../../data/format.ts';
import { attentionQuery, monthQuery } from '../../data/queries.ts';
import { Skeleton } from '../../components/states.tsx';
import { documentsOf } from '../needs-attention/summaries.ts';
import { stateOfMonth } from './month-state.ts';
import styles from './overview.module.css';

/** One sentence about this month, and one button: the next action. */
export function StateLine() {
  const month = useQuery(monthQuery());
  const attention = useQuery(attentionQuery());
  const needing = documentsOf((attention.data?.groups ?? []).filter(({ state }) => state === 'needs_you'));
  const sum = formatSums(sumsByCurrency(needing));
  const state = month.data === undefined ? undefined : stateOfMonth(month.data);
  return (
    <Group justify="space-between" gap="8px 16px" mih={36}>
      <p className={styles.sentence} role="status" data-stale={month.isFetching && month.isStale}>
        {month.data === undefined ? (
          month.isError ? (
            'This month could not be compared.'
          ) : (
            <Skeleton width="min(100%, 420px)" height={24} />
          )
        ) : (
          <>
            {state?.text}
            {state?.open !== null && (
              <>
                {' '}
                <Text span inherit c="red">
                  {state?.open}
                </Text>
              </>
            )}
          </>
        )}
      </p>
      {needing.length > 0 ? (
        <Button component={Link} to="/needs-attention">
          Fix {formatCount(needing.length)}
          {sum !== '' && `, ${sum}`}
        </Button>
      ) : month.data !== undefined ? (
        <Button component={Link} to={`/month-end/${month.data.from.slice(0, 7)}`} variant="default">
          Open {formatMonthName(month.data.from)}
        </Button>
      ) : (
        !month.isError && <Skeleton width={120} height={36} />
      )}
    </Group>
  );
}
