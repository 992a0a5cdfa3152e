import { useQuery } from '@tanstack/react-query';
import { Link } from '../../lib/router.tsx';
import { setSums } from '../../lib/format.ts';
import { approvalRunQuery, draftsQuery } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { draftsWords } from './words.ts';

/** Drafts that wait for approval, with their money and the way there; nothing while none waits. */
export function WaitingDrafts() {
  const drafts = useQuery(draftsQuery(1, 1));
  const waiting = drafts.data?.waiting ?? 0;
  const run = useQuery({ ...approvalRunQuery(), enabled: waiting > 0 });
  if (waiting === 0) return null;
  const sum = setSums(run.data?.sums ?? []);
  return (
    <Notice
      tone="info"
      action={
        <Button component={Link} to="/approval" variant="default" size="xs" data-size="xs">
          {draftsWords.review}
        </Button>
      }
    >
      {draftsWords.waiting(waiting, sum)}
    </Notice>
  );
}
