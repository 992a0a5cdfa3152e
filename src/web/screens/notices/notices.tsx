import { Anchor, Box, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { NoticeKind } from '#core/notices.ts';
import { readAllNotices, readNotice } from '#contract/calls/notices.ts';
import type { NoticeReply } from '#contract/notices.ts';
import { dateIn, instant } from '#core/values/dates.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { Icon, type IconName } from '../../components/icons.tsx';
import { oneOf, useAddress } from '../../components/use-address.ts';
import { FailedPanel, Page, Panel, Rows } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatClock, formatDate, formatExactTime, formatSums, zoneName } from '../../data/format.ts';
import { useSession } from '../../data/current-session.ts';
import { noticesQuery, useAction } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import styles from './notices.module.css';

// Most visits only read the inbox.
const Chats = lazy(() => import('./chats.tsx').then(({ Chats: Loaded }) => ({ default: Loaded })));
const Preferences = lazy(() => import('./preferences.tsx').then(({ Preferences: Loaded }) => ({ default: Loaded })));

const pageSize = 20;

const tabs = [
  { key: 'inbox', label: 'Inbox' },
  { key: 'preferences', label: 'Preferences' },
  { key: 'chats', label: 'Slack and Teams' },
] as const;
type TabKey = (typeof tabs)[number]['key'];
const tabKeys = tabs.map(({ key }) => key);

/** The user's notices, and how the user gets them. */
export function Component() {
  const { query, page, change } = useAddress();
  // Accountants do not manage the client's connections.
  const isAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const own = tabs.filter(({ key }) => key !== 'chats' || isAdmin);
  const chosen = oneOf(query, 'tab', tabKeys);
  const open: TabKey = own.find(({ key }) => key === chosen)?.key ?? 'inbox';
  const timeZone = useTimeZone();
  const unread = useQuery(noticesQuery(page, pageSize)).data?.unread ?? 0;
  const readAll = useAction(readAllNotices, { changes: ['notices'] });
  return (
    <Page
      title="Notices"
      lead={`What needs you, for the last 30 days. Times in ${zoneName(timeZone)}.`}
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="check" size={16} />}
          disabled={unread === 0}
          loading={readAll.isPending}
          onClick={() => readAll.mutate({})}
        >
          Mark all as read
        </Button>
      }
    >
      <Tabs label="Notices" tabs={own} open={open} onOpen={(tab) => change({ tab: tab === 'inbox' ? '' : tab })}>
        {open === 'inbox' ? (
          <Inbox />
        ) : (
          <Suspense fallback={<Loading />}>{open === 'chats' ? <Chats /> : <Preferences />}</Suspense>
        )}
      </Tabs>
    </Page>
  );
}

/** What needs the user, newest first, each with a link to the screen with the next action. */
function Inbox() {
  const { page, change } = useAddress();
  const setPage = (to: number) => change({ page: String(to) });
  const found = useQuery(noticesQuery(page, pageSize));
  const timeZone = useTimeZone();
  const { notices, total = 0 } = found.data ?? {};
  if (found.isLoadingError) return <FailedPanel what="The notices" of={found} />;
  if (notices === undefined) return <Loading />;
  if (notices.length === 0)
    return (
      <Panel>
        <EmptyState
          icon="bell"
          action={
            page > 1 && (
              <Button variant="default" onClick={() => setPage(1)}>
                Go to first page
              </Button>
            )
          }
        >
          {page > 1
            ? 'This page does not exist. The list has fewer pages.'
            : 'No notices. Failed documents, lost connections and signed months appear here.'}
        </EmptyState>
      </Panel>
    );
  return (
    <Panel flush>
      <Days notices={notices} timeZone={timeZone} />
      <Pager page={page} pageSize={pageSize} total={total} onPage={setPage} />
    </Panel>
  );
}

const Loading = () => (
  <Panel flush>
    <Rows aria-busy="true" aria-label="Notices">
      {Array.from({ length: 4 }, (_, index) => (
        <Group component="li" key={index} gap={12} mih={56} px="md" py="sm">
          <Skeleton width={20} height={20} />
          <Skeleton width="45%" />
        </Group>
      ))}
    </Rows>
  </Panel>
);

/** The notices under a heading for each day. */
function Days({ notices, timeZone }: { notices: readonly NoticeReply[]; timeZone: string }) {
  const nowMs = useNow();
  const dayOf = (ms: string | number) => dateIn(instant(ms), timeZone);
  const nameOf = (day: string) =>
    day === dayOf(nowMs) ? 'Today' : day === dayOf(nowMs - 86_400_000) ? 'Yesterday' : formatDate(day);
  return [...Map.groupBy(notices, ({ at }) => dayOf(at))].map(([day, own]) => (
    <section key={day} aria-label={nameOf(day)}>
      <h2 className={styles.day}>{nameOf(day)}</h2>
      <Rows>
        {own.map((notice) => (
          <NoticeRow key={notice.id} notice={notice} timeZone={timeZone} />
        ))}
      </Rows>
    </section>
  ));
}

const icons: Readonly<Record<NoticeKind, { readonly icon: IconName; readonly tone: 'red' | 'held' | 'dimmed' }>> = {
  documents_failed: { icon: 'warning', tone: 'red' },
  run_failed: { icon: 'warning', tone: 'red' },
  sync_stalled: { icon: 'warning', tone: 'red' },
  service_paused: { icon: 'pause', tone: 'held' },
  connection_lost: { icon: 'unplug', tone: 'red' },
  webhook_paused: { icon: 'unplug', tone: 'red' },
  connection_ending: { icon: 'connections', tone: 'held' },
  api_key_ending: { icon: 'lock', tone: 'held' },
  drafts_waiting: { icon: 'pause', tone: 'held' },
  approval_asked: { icon: 'seen', tone: 'dimmed' },
  signature_asked: { icon: 'edit', tone: 'dimmed' },
  month_signed: { icon: 'check', tone: 'dimmed' },
  signature_outdated: { icon: 'edit', tone: 'held' },
};

/** One notice. Opening its screen marks it as read. */
function NoticeRow({ notice, timeZone }: { notice: NoticeReply; timeZone: string }) {
  const { id, kind, title, detail, sums, path, at, is_read: isRead } = notice;
  const read = useAction(readNotice, { changes: ['notices'] });
  const markRead = () => {
    if (!isRead) read.mutate({ params: { id } });
  };
  const { icon, tone } = icons[kind];
  return (
    <Group component="li" gap={12} wrap="nowrap" mih={56} px="md" py="sm">
      <Text span inherit c={tone} lh={0} pt={2} style={{ alignSelf: 'start' }}>
        <Icon name={icon} />
      </Text>
      <Group component="span" gap="2px 12px" flex={1} miw={0}>
        <Text span inherit flex="1 1 260px" miw={0}>
          <Anchor component={Link} to={path} onClick={markRead} inherit c="bright" fw={isRead ? 400 : 600}>
            {title}
          </Anchor>
          {!isRead && <span className={styles.dot} role="img" aria-label="Unread" />}
          {detail !== null && (
            <Text span display="block" c="dimmed" size="sm">
              {detail}
            </Text>
          )}
        </Text>
        <span>{formatSums(sums)}</span>
        <Text component="time" c="dimmed" size="xs" w={68} ta="end" dateTime={at} title={formatExactTime(at, timeZone)}>
          {formatClock(at, timeZone)}
        </Text>
      </Group>
      <Box component="span" w={32}>
        {!isRead && (
          <IconButton
            icon="check"
            size={16}
            label={`Mark as read: ${title}`}
            isDisabled={read.isPending}
            onPress={markRead}
          />
        )}
      </Box>
    </Group>
  );
}
