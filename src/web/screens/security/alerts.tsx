import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { saveAlertWish } from '#contract/alerts.ts';
import { useAction } from '../../lib/queries.ts';
import { alertWishQuery } from '../../lib/screen-queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { securityWords } from './words.ts';

/** Whether this administrator gets mails about what needs them. */
export function Alerts() {
  const wish = useQuery(alertWishQuery());
  const isReadOnly = useReadOnly();
  const save = useAction(saveAlertWish, { changes: ['alerts'] });
  return (
    <Panel title={securityWords.mails}>
      {wish.isPending && <Skeleton width="60%" />}
      {wish.isError && wish.data === undefined && (
        <FailedState what={securityWords.yourChoice} error={wish.error} onRetry={() => void wish.refetch()} />
      )}
      {wish.data !== undefined && (
        <Switch
          label={securityWords.mailMeWhatNeeds}
          description={securityWords.documentsThatAutomaticSyncs}
          checked={save.isPending ? save.variables.body.receives : wish.data.receives}
          disabled={isReadOnly || save.isPending}
          onChange={(event) => save.mutate({ body: { receives: event.currentTarget.checked } })}
        />
      )}
    </Panel>
  );
}
