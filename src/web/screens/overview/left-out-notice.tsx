import { useQuery } from '@tanstack/react-query';
import { Link } from '../../lib/router.tsx';
import { useEnvironment } from '../../lib/environment.ts';
import { attentionQuery } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leftOutWords } from '../needs-attention/left-out-words.ts';

/** Documents that no automatic sync takes up, a sentence for each reason, and the way to sync them all the same. */
export function LeftOutNotice() {
  const { psa } = useEnvironment();
  const attention = useQuery(attentionQuery());
  // Before the start date, or in a state that is not synced, is where somebody wanted them: the other screen says so.
  const left = (attention.data?.left_out ?? []).filter(({ because }) => because === 'age');
  if (left.length === 0) return null;
  return (
    <Notice
      tone="warning"
      action={
        <Button component={Link} to="/needs-attention" variant="default" size="xs" data-size="xs">
          {leftOutWords.syncThem}
        </Button>
      }
    >
      {left.map((one) => (
        <div key={one.type}>{leftOutWords.notice(one, psa.label)}</div>
      ))}
    </Notice>
  );
}
