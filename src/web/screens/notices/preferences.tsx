import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { channelsOf, noticeChannelLabels, type NoticeChannel, type NoticeGroup } from '#core/notice-preferences.ts';
import { saveNoticePreferences } from '#contract/calls/notices.ts';
import type { NoticePreferencesReply } from '#contract/notices.ts';
import { savedMs, showSuccess } from '../../components/flash.ts';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Panel, Rows } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { zoneName } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { noticePreferencesQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { groupTexts } from './group-texts.ts';

/** Chooses how the user gets each kind of notice. Each choice is saved at once. */
export function Preferences() {
  const found = useQuery(noticePreferencesQuery());
  const isActing = useSession()?.claims.actor !== null;
  if (found.isLoadingError) return <FailedPanel what="Your preferences" of={found} />;
  return (
    <>
      {isActing && <Notice tone="info">You are acting as a client, and its notices do not go to you.</Notice>}
      <Panel title="How you get notices" flush>
        {found.data === undefined ? <Loading /> : <Choices saved={found.data} isFixed={isActing} />}
      </Panel>
    </>
  );
}

const Loading = () => (
  <Rows aria-busy="true" aria-label="Preferences">
    {Array.from({ length: 6 }, (_, index) => (
      <Group component="li" key={index} justify="space-between" px="md" py={12}>
        <Skeleton width="45%" />
        <Skeleton width={280} height={34} />
      </Group>
    ))}
  </Rows>
);

function Choices({ saved, isFixed }: { saved: NoticePreferencesReply; isFixed: boolean }) {
  const timeZone = useTimeZone();
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly() || isFixed;
  const save = useAction(saveNoticePreferences, {
    changes: ['notice-preferences'],
    onSuccess: () => showSuccess('Saved changes.', savedMs),
  });
  const sent = (save.isPending ? save.variables.body : undefined) ?? {};
  const hour = sent.digest_hour ?? saved.digest_hour;
  const channelOf = (group: NoticeGroup, channel: NoticeChannel) => sent.channels?.[group] ?? channel;
  return (
    <Rows>
      {saved.preferences.map(({ group, channel }) => (
        <Choice
          key={group}
          label={groupTexts[group].label}
          detail={groupTexts[group].detail.replace('{psa}', psa.label)}
          value={channelOf(group, channel)}
          options={channelsOf(group).map((value) => ({ value, label: noticeChannelLabels[value] }))}
          disabled={isReadOnly}
          onChange={(value) => {
            const chosen = channelsOf(group).find((one) => one === value);
            if (chosen !== undefined)
              save.mutate({ body: { channels: { [group]: chosen }, was: { [group]: channel } } });
          }}
        />
      ))}
      <Choice
        label="Daily email"
        detail={`Lists unread notices. Sent only if there are any. Time in ${zoneName(timeZone)}.`}
        value={String(hour)}
        options={hours}
        disabled={isReadOnly}
        onChange={(value) =>
          save.mutate({ body: { digest_hour: Number(value), was: { digest_hour: saved.digest_hour } } })
        }
      />
    </Rows>
  );
}

const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: clock.format(new Date(hour * 3_600_000)),
}));

interface ChoiceProps {
  label: string;
  detail: string;
  value: string;
  options: readonly { readonly value: string; readonly label: string }[];
  disabled: boolean;
  onChange: (value: string) => void;
}

function Choice({ label, detail, ...select }: ChoiceProps) {
  const id = useId();
  const { options, onChange, ...rest } = select;
  return (
    <Group component="li" gap="8px 16px" px="md" py={12}>
      <Stack component="span" gap={0} flex="1 1 320px">
        <Text span fw={500} id={id}>
          {label}
        </Text>
        <Text span c="dimmed" size="sm" id={`${id}-detail`}>
          {detail}
        </Text>
      </Stack>
      <NativeSelect
        {...rest}
        data={[...options]}
        aria-labelledby={id}
        aria-describedby={`${id}-detail`}
        onChange={(event) => onChange(event.currentTarget.value)}
        flex="0 1 280px"
      />
    </Group>
  );
}
