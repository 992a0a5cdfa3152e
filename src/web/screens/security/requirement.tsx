import { Switch } from '@mantine/core';
import { requireSecondFactor } from '#contract/second-factor.ts';
import { useAction } from '../../lib/queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Panel } from '../../ui/page.tsx';
import { securityWords } from './words.ts';

/** Lets the administrator of a client demand two steps of all its users. */
export function Requirement({ isRequired }: { isRequired: boolean }) {
  const isReadOnly = useReadOnly();
  const save = useAction(requireSecondFactor, { changes: ['second-factor'] });
  return (
    <Panel title={securityWords.yourCompany}>
      <Switch
        label={securityWords.everybodyLogsInWith}
        description={securityWords.whoeverHasNoSecond}
        checked={save.isPending ? save.variables.body.is_required : isRequired}
        disabled={isReadOnly || save.isPending}
        onChange={(event) => save.mutate({ body: { is_required: event.currentTarget.checked } })}
      />
    </Panel>
  );
}
