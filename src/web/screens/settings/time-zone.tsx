import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveTimeZone } from '#contract/settings.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setTimeIn } from '../../lib/format.ts';
import { showMessage } from '../../lib/flash.ts';
import { useNow } from '../../lib/now.ts';
import { useAction } from '../../lib/queries.ts';
import { timeZoneQuery } from '../../lib/setup-queries.ts';
import { Skeleton } from '../../ui/states.tsx';
import { SettingGroup } from './setting-group.tsx';
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
      showMessage('Saved changes.', 3_000);
    },
    changes: ['settings', 'subscription'],
  });
  if (saved.data === undefined) return <Skeleton width="min(560px, 100%)" height={34} />;
  const zone = chosen ?? saved.data.time_zone;
  return (
    <SettingGroup title="Time zone">
      <div className={styles.row}>
        <Select
          className={styles.grow ?? ''}
          label={`Time zone of ${psa.label}`}
          description={`Decides on which day a document is dated, where the age window begins, and from which day automatic sync counts. It is now ${setTimeIn(new Date(now).toISOString(), zone)} there. Documents that are posted keep their dates.`}
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
          Change time zone
        </Button>
      </div>
    </SettingGroup>
  );
}
