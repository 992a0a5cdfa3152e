import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { endOtherSessions, endSession } from '#contract/calls/sessions.ts';
import type { SessionReply } from '#contract/sessions.ts';
import { showSuccess } from '../../components/flash.ts';
import { zoneName, countOf } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { useAction } from '../../data/queries.ts';
import { sessionsQuery } from '../../data/screen-queries.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Dim } from '../../components/note.tsx';

/** The sessions of the logged-in user, who can end each of them. */
export function Component() {
  const sessions = useQuery(sessionsQuery());
  const timeZone = useTimeZone();
  const endOne = useAction(endSession, {
    changes: ['sessions'],
    onSuccess: () => showSuccess('The session was ended.'),
  });
  const endOthers = useAction(endOtherSessions, {
    changes: ['sessions'],
    onSuccess: ({ ended }) => showSuccess(`${countOf(ended, 'session was', 'sessions were')} ended.`),
  });
  const others = sessions.data?.filter(({ is_this: isThis }) => !isThis).length ?? 0;
  return (
    <Page
      title="Sessions"
      lead="Browsers and programs where you are logged in. If you do not recognize one, end it and change your password."
      actions={
        <ConfirmButton
          label="End all others"
          armedLabel="Click again to end"
          effect={`${countOf(others, 'device')} will be logged out.`}
          disabled={others === 0}
          busy={endOthers.isPending}
          onConfirm={() => endOthers.mutate({})}
        />
      }
    >
      <Panel flush>
        {sessions.isLoadingError ? (
          <FailedState what="Sessions" of={sessions} />
        ) : (
          <DataTable
            label="Sessions"
            columns={columnsFor(zoneName(timeZone), {
              end: (id) => endOne.mutate({ params: { id } }),
              endingId: endOne.variables?.params.id ?? null,
            })}
            rows={sessions.data}
            rowKey={({ id }) => id}
            placeholderRows={2}
          />
        )}
      </Panel>
    </Page>
  );
}

const columnsFor = (
  zone: string,
  { end, endingId }: { readonly end: (id: string) => void; readonly endingId: string | null },
): readonly Column<SessionReply>[] => [
  {
    key: 'device',
    head: 'Device',
    cell: ({ device, client, is_this: isThis }) => (
      <Group component="span" gap="sm" display="inline-flex" fw={500}>
        {device}
        {isThis && <ToneBadge tone="ok">This one</ToneBadge>}
        {client !== null && <Dim>acting as {client}</Dim>}
      </Group>
    ),
    width: '34%',
    narrow: 'title',
  },
  { key: 'address', head: 'Network address', cell: ({ address }) => address, width: '20%', narrowLabel: true },
  {
    key: 'signed_in_at',
    head: `Logged in (${zone})`,
    cell: ({ signed_in_at: at }) => <RelativeTime at={at} />,
    width: '17%',
    narrowLabel: true,
  },
  {
    key: 'last_used_at',
    head: 'Last used',
    cell: ({ last_used_at: at, is_this: isThis }) => (isThis ? 'now' : <RelativeTime at={at} />),
    narrowLabel: true,
  },
  {
    key: 'end',
    head: '',
    cell: ({ id, is_this: isThis }) =>
      isThis ? (
        ''
      ) : (
        <ConfirmButton size="xs" label="End" armedLabel="End it" busy={endingId === id} onConfirm={() => end(id)} />
      ),
    align: 'end',
    width: '110px',
    narrow: 'trail',
  },
];
