import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { saveAlertChoice } from '#contract/calls/alerts.ts';
import { useAction } from '../../data/queries.ts';
import { alertChoiceQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { Panel } from '../../components/page.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';

/** Turns email alerts on or off for this administrator. */
export function Alerts() {
  const preference = useQuery(alertChoiceQuery());
  const isReadOnly = useReadOnly();
  const save = useAction(saveAlertChoice, { changes: ['alerts'] });
  return (
    <Panel title="Email alerts">
      {preference.isPending && <Skeleton width="60%" />}
      {preference.isError && preference.data === undefined && <FailedState what="Your email alerts" of={preference} />}
      {preference.data !== undefined && (
        <Switch
          label="Email me when something needs attention"
          description="Documents that automatic syncs could not finish, at most once an hour, and lost connections."
          checked={save.isPending ? save.variables.body.receives : preference.data.receives}
          disabled={isReadOnly || save.isPending}
          onChange={(event) => save.mutate({ body: { receives: event.currentTarget.checked } })}
        />
      )}
    </Panel>
  );
}
