import { Switch } from '@mantine/core';
import { requireSecondFactor } from '#contract/calls/second-factor.ts';
import { useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { Panel } from '../../components/page.tsx';

/** Lets an administrator require two-step login for all users of the client. */
export function RequireTwoStep({ isRequired }: { isRequired: boolean }) {
  const isReadOnly = useReadOnly();
  const save = useAction(requireSecondFactor, { changes: ['second-factor'] });
  return (
    <Panel title="Your company">
      <Switch
        label="Require two-step login for all users"
        description="Users without it are logged out and set it up at the next login."
        checked={save.isPending ? save.variables.body.is_required : isRequired}
        disabled={isReadOnly || save.isPending}
        onChange={(event) => save.mutate({ body: { is_required: event.currentTarget.checked } })}
      />
    </Panel>
  );
}
