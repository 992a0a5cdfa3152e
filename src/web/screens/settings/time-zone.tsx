import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveTimeZone } from '#contract/settings.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setTimeIn } from '../../lib/format.ts';
import { showMessage } from '../../lib/flash.ts';
import { formWords, savedMs } from '../../lib/form-words.ts';
import { useNow } from '../../lib/now.ts';
import { useAction } from '../../lib/queries.ts';
import { timeZoneQuery } from '../../lib/setup-queries.ts';
import { Button } from '../../ui/button.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { SettingGroup } from './setting-group.tsx';
import { timeZoneWords, settingLabels } from './words.ts';
import styles from './settings.module.css';

/** The time zone in which the client's documents are dated, with what it is there now. */
export function TimeZonePanel({ isReadOnly }: { isReadOnly: boolean }) {
  const { psa } = useEnvironment();
  const saved = useQuery(timeZoneQuery());
  const now = useNow();
  const [chosen, setChosen] = useState<string | null>(null);
  const save = useAction(saveTimeZone, {
    onSuccess: () => {
      setChosen(null);
      showMessage(formWords.saved, savedMs);
    },
    changes: ['settings', 'subscription'],
  });
  if (saved.isError && saved.data === undefined)
    return <FailedState what={settingLabels.theTimeZone} error={saved.error} onRetry={() => void saved.refetch()} />;
  if (saved.data === undefined) return <Skeleton width="min(560px, 100%)" height={34} />;
  const zone = chosen ?? saved.data.time_zone;
  return (
    <SettingGroup title={timeZoneWords.title}>
      <div className={styles.row}>
        <Select
          className={styles.grow ?? ''}
          label={timeZoneWords.label(psa.label)}
          description={timeZoneWords.help(setTimeIn(new Date(now).toISOString(), zone))}
          data={saved.data.zones}
          value={zone}
          searchable
          disabled={isReadOnly}
          onChange={setChosen}
        />
        <Button
          variant="default"
          loading={save.isPending}
          disabled={isReadOnly || zone === saved.data.time_zone}
          onClick={() => save.mutate({ body: { time_zone: zone } })}
        >
          {timeZoneWords.change}
        </Button>
      </div>
    </SettingGroup>
  );
}
