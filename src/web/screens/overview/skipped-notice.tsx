import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useEnvironment } from '../../data/environment.ts';
import { attentionQuery } from '../../data/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { describeSkipped } from '../needs-attention/skipped-text.ts';

/** Documents that automatic syncs skip because of their age, with a link to sync them anyway. */
export function SkippedNotice() {
  const { psa } = useEnvironment();
  const attention = useQuery(attentionQuery());
  // The other reasons are intentional; only “Needs attention” shows them.
  const skipped = (attention.data?.left_out ?? []).filter(({ because }) => because === 'age');
  if (skipped.length === 0) return null;
  return (
    <Notice
      tone="warning"
      action={
        <Button component={Link} to="/needs-attention" variant="default" size="xs">
          Sync them
        </Button>
      }
    >
      {skipped.map((one) => (
        <div key={one.type}>
          {describeSkipped(one, psa.label)}. Automatic syncs skip {one.count === 1 ? 'it' : 'them'}.
        </div>
      ))}
    </Notice>
  );
}
