import { useQuery } from '@tanstack/react-query';
import { endOtherSessions, endSession, type SessionReply } from '#contract/sessions.ts';
import { showMessage } from '../../lib/flash.ts';
import { zoneName } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { useAction } from '../../lib/queries.ts';
import { sessionsQuery } from '../../lib/screen-queries.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import styles from './sessions.module.css';
import { sessionsWords } from './words.ts';

/** The sessions of the person who is signed in; they end each one that they do not know. */
export function Component() {
  const sessions = useQuery(sessionsQuery());
  const timeZone = useTimeZone();
  const endOne = useAction(endSession, {
    changes: ['sessions'],
    onSuccess: () => showMessage(sessionsWords.ended),
  });
  const endOthers = useAction(endOtherSessions, {
    changes: ['sessions'],
    onSuccess: ({ ended }) => showMessage(sessionsWords.countEnded(ended)),
  });
  const others = sessions.data?.filter(({ is_this: isThis }) => !isThis).length ?? 0;
  return (
    <Page
      title={sessionsWords.yourSessions}
      lead={sessionsWords.theBrowsersAndPrograms}
      actions={
        <ConfirmButton
          label={sessionsWords.endAllOthers}
          armedLabel="Yes, end them"
          effect={sessionsWords.endEffect(others)}
          disabled={others === 0}
          busy={endOthers.isPending}
          onConfirm={() => endOthers.mutate({})}
        />
      }
    >
      <Panel flush>
        {sessions.isError && sessions.data === undefined ? (
          <FailedState
            what={sessionsWords.yourSessions}
            error={sessions.error}
            onRetry={() => void sessions.refetch()}
          />
        ) : (
          <DataTable
            label={sessionsWords.yourSessions}
            columns={columnsFor(zoneName(timeZone), {
              end: (id) => endOne.mutate({ params: { id } }),
              endingId: endOne.variables?.params.id ?? null,
            })}
            rows={sessions.data}
            rowKey={({ id }) => id}
            ghosts={2}
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
    head: sessionsWords.device,
    cell: ({ device, client, is_this: isThis }) => (
      <span className={styles.device}>
        {device}
        {isThis && <ToneBadge tone="ok">{sessionsWords.thisOne}</ToneBadge>}
        {client !== null && <span className={styles.dim}>{sessionsWords.actingAs(client)}</span>}
      </span>
    ),
    ghost: 120,
    width: '34%',
    narrow: 'title',
  },
  {
    key: 'address',
    head: sessionsWords.networkAddress,
    cell: ({ address }) => address,
    ghost: 80,
    width: '20%',
    narrowLabel: true,
  },
  {
    key: 'signed_in_at',
    head: sessionsWords.loggedIn(zone),
    cell: ({ signed_in_at: at }) => <When at={at} />,
    ghost: 70,
    width: '17%',
    narrowLabel: true,
  },
  {
    key: 'last_used_at',
    head: sessionsWords.lastUsed,
    cell: ({ last_used_at: at, is_this: isThis }) => (isThis ? 'now' : <When at={at} />),
    ghost: 70,
    narrowLabel: true,
  },
  {
    key: 'end',
    head: '',
    cell: ({ id, is_this: isThis }) =>
      isThis ? (
        ''
      ) : (
        <ConfirmButton
          size="xs"
          label={sessionsWords.end}
          armedLabel="End it"
          busy={endingId === id}
          onConfirm={() => end(id)}
        />
      ),
    align: 'end',
    ghost: 40,
    width: '110px',
    narrow: 'trail',
  },
];
