import { Button, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { saveTimeZone } from '#contract/calls/settings.ts';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { useFocus } from '../../components/use-focus.ts';
import { useEdits } from '../../components/use-edits.ts';
import { CallError } from '../../data/call.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatExactTime } from '../../data/format.ts';
import { savedMs, showError, showSuccess } from '../../components/flash.ts';
import { useNow } from '../../data/use-now.ts';
import { useAction } from '../../data/queries.ts';
import { timeZoneQuery } from '../../data/setup-queries.ts';
import { selectText } from '../../components/select-text.ts';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { otherSettingHelp } from '../../data/help.ts';
import { ownGroups } from './form.ts';
import { SettingGroup } from './setting-group.tsx';

/** The time zone of the client’s documents, with the current time there. */
export function TimeZonePanel({ isReadOnly }: { isReadOnly: boolean }) {
  const { psa } = useEnvironment();
  const saved = useQuery(timeZoneQuery());
  const now = useNow();
  const found = saved.data?.time_zone ?? null;
  const editing = useEdits({ time_zone: found });
  const focus = useFocus('time');
  const save = useAction(saveTimeZone, {
    onSuccess: () => {
      editing.discard();
      showSuccess('Saved changes.', savedMs);
    },
    onError: (error) => {
      editing.reject(error instanceof CallError ? error.fields : {});
      showError(error.message);
      focus('zone');
    },
    changes: ['settings', 'subscription'],
  });
  if (saved.isLoadingError) return <FailedState what="The time zone" of={saved} />;
  if (saved.data === undefined) return <Skeleton width="min(560px, 100%)" height={34} />;
  const zone = String(editing.draft['time_zone']);
  return (
    <SettingGroup anchor={ownGroups.other.id} title={ownGroups.other.title} help={otherSettingHelp.timeZone}>
      <Stack gap={12} align="flex-start">
        <Select
          id="time-zone"
          w="100%"
          label={`Time zone of ${psa.label}`}
          description={`Sets the dates of new documents and the start of the age window. The time there is ${formatExactTime(new Date(now).toISOString(), zone)}. Posted documents keep their dates.`}
          data={saved.data.zones}
          value={zone}
          searchable
          openOnFocus={false}
          onClick={selectText}
          disabled={isReadOnly}
          error={editing.rejected?.['time_zone'] ?? null}
          onChange={(value) => value !== null && editing.change('time_zone', value)}
        />
        <ConflictChoice name="time_zone" form={editing} saved={saved.data.time_zone} own={zone} />
        <Button
          variant="default"
          loading={save.isPending}
          disabled={isReadOnly || zone === saved.data.time_zone}
          onClick={() =>
            save.mutate({ body: { time_zone: zone, was: String(editing.edits['time_zone']?.base ?? found) } })
          }
        >
          Change time zone
        </Button>
      </Stack>
    </SettingGroup>
  );
}
