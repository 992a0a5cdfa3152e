import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { formatSums, countOf } from '../../data/format.ts';
import { approvalRunQuery, draftsQuery } from '../../data/queries.ts';
import { Notice } from '../../components/notice.tsx';

/** Number and total of the documents that wait for approval, with a link to them. */
export function WaitingDrafts() {
  const drafts = useQuery(draftsQuery(1, 1));
  const waiting = drafts.data?.waiting ?? 0;
  const run = useQuery({ ...approvalRunQuery(), enabled: waiting > 0 });
  if (waiting === 0) return null;
  const sum = formatSums(run.data?.sums ?? []);
  return (
    <Notice
      tone="info"
      isCompact
      action={
        <Button component={Link} to="/approval" variant="default" size="xs">
          Review
        </Button>
      }
    >
      {`${countOf(waiting, 'document')}${sum === '' ? '' : `, ${sum},`} ${waiting === 1 ? 'waits' : 'wait'} for approval.`}
    </Notice>
  );
}
