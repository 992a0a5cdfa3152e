import { Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { StateIcon } from '../../components/badge.tsx';
import { Icon } from '../../components/icons.tsx';
import { Dim } from '../../components/note.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { formatMoney, formatSums, sumsByCurrency, countOf, zoneName } from '../../data/format.ts';
import { locales, readLocale } from '../../data/locale.ts';
import { attentionQuery, refreshAll } from '../../data/queries.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { useReviews } from '../sync/use-reviews.tsx';
import { type Cause, type CauseSection, useCauses } from './causes.tsx';
import styles from './needs-attention.module.css';
import { documentsOf } from './summaries.ts';

/** The parameter of the address with the open cause. */
const causeKey = 'cause';

/**
 * Documents that failed to sync, by cause: the causes at the left, the fix of the open one at the right. The user fixes
 * the cause, tests again and releases the documents together. The server computes the causes from the log, so all users
 * see the same list.
 */
export function Component() {
  const { page, review } = useReviews();
  const [wasReviewing, setWasReviewing] = useState(false);
  if (page !== false && !wasReviewing) setWasReviewing(true);
  return page || <Causes isReturning={wasReviewing} onReview={review} />;
}

interface CausesProps {
  isReturning: boolean;
  onReview: (jobIds: readonly string[]) => void;
}

/**
 * @param isReturning the user left a review, whose button had the focus
 * @param onReview receives the ids of the test jobs to review before posting
 */
function Causes({ isReturning, onReview }: CausesProps) {
  const attention = useQuery(attentionQuery());
  const { data } = attention;
  const sections = useCauses(data, onReview);
  return (
    <Page
      title="Needs attention"
      lead="Fix the cause, test again, then release."
      actions={<RefreshButton isDisabled={attention.isFetching} onPress={() => void refreshAll('attention', 'psa')} />}
    >
      {!attention.isLoadingError && <Total groups={data?.groups} />}
      <ReadOnlyNotice />
      <CurrentPauses />
      <RecentJobs stopped={[]} />
      {attention.isLoadingError ? (
        <FailedPanel what="The documents that need attention" of={attention} />
      ) : data === undefined ? (
        <div className={styles.columns} aria-busy="true">
          <Skeleton width="100%" height={240} />
          <Skeleton width="100%" height={240} />
        </div>
      ) : sections.length === 0 ? (
        <Panel>
          <EmptyState icon="check">Nothing needs attention.</EmptyState>
        </Panel>
      ) : (
        <ListAndFix
          sections={sections}
          isStale={attention.isError}
          needsNothing={data.needs_you === 0 && data.changed_since.length === 0}
          isReturning={isReturning}
        />
      )}
    </Page>
  );
}

interface ListAndFixProps {
  sections: readonly CauseSection[];
  isStale: boolean;
  needsNothing: boolean;
  isReturning: boolean;
}

/** The causes, and the fix of the open one. A phone shows either of them. */
function ListAndFix({ sections, isStale, needsNothing, isReturning }: ListAndFixProps) {
  const [query] = useSearchParams();
  const chosen = query.get(causeKey);
  const all = sections.flatMap((section) => section.causes.map((cause) => ({ section, cause })));
  const found = all.find(({ cause }) => cause.key === chosen);
  const open = found ?? all[0];
  const list = useFocusOnOpen(open?.cause.key, isReturning);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll('a')];
    const at = links.findIndex((one) => one === event.target);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = links[at + step];
    next?.focus();
    next?.click();
  };
  return (
    <div className={styles.columns} data-open={found !== undefined} data-stale={isStale}>
      {/* The arrow keys add to the links, which the Tab key reaches. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <nav className={styles.causes} aria-label="Causes" ref={list} onKeyDown={onKeyDown}>
        <Paper withBorder radius="md">
          {needsNothing && (
            <Group gap="sm" px="md" py="sm" c="ok">
              <Icon name="check" size={16} /> Nothing needs attention.
            </Group>
          )}
          {sections.map((section) => (
            <Section key={section.title} section={section} open={open?.cause} />
          ))}
        </Paper>
      </nav>
      {open !== undefined && (
        <section className={styles.fix} aria-label={open.section.title} key={open.cause.key}>
          <Button
            component={Link}
            to={{ search: withoutCause(query) }}
            variant="subtle"
            color="gray"
            className={styles.back ?? ''}
            leftSection={<Icon name="left" size={16} />}
          >
            All causes
          </Button>
          {open.cause.fix}
        </section>
      )}
    </div>
  );
}

/** Focuses the open cause when the focus is lost because its fix ended, or a review was left. */
function useFocusOnOpen(key: string | undefined, isReturning: boolean) {
  const list = useRef<HTMLElement>(null);
  const shown = useRef(isReturning ? undefined : key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    if (document.activeElement === document.body)
      list.current?.querySelector<HTMLElement>('a[aria-current]')?.focus({ preventScroll: true });
  }, [key]);
  return list;
}

function Section({
  section: { title, count, hint, causes },
  open,
}: {
  section: CauseSection;
  open: Cause | undefined;
}) {
  const [query] = useSearchParams();
  return (
    <>
      <h2 className={styles.sectionHead}>
        {title} <Dim>{count}</Dim>
      </h2>
      {hint !== null && <p className={styles.hint}>{hint}</p>}
      <ul className={styles.list}>
        {causes.map(({ key, state, title: name, note }) => (
          <li key={key}>
            <Link
              to={{ search: withCause(query, key) }}
              replace={query.get(causeKey) !== null}
              preventScrollReset
              className={styles.cause}
              aria-current={key === open?.key || undefined}
            >
              <StateIcon state={state} />
              <span>
                {name}
                {note !== '' && <Dim>{note}</Dim>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function withCause(query: URLSearchParams, key: string): string {
  const next = new URLSearchParams(query);
  next.set(causeKey, key);
  return next.toString();
}

function withoutCause(query: URLSearchParams): string {
  const next = new URLSearchParams(query);
  next.delete(causeKey);
  return next.toString();
}

/** The total and number of all documents below; a document with two causes counts once. */
function Total({ groups }: { groups: readonly AttentionGroupReply[] | undefined }) {
  const documents = documentsOf(groups ?? []);
  const held = documentsOf((groups ?? []).filter(({ state }) => state === 'held'));
  const sums = formatSums(sumsByCurrency(documents)) || formatMoney('0', locales[readLocale()].currency);
  const timeZone = useTimeZone();
  return (
    <Group component="p" justify="space-between" align="baseline" mih={36} c="dimmed">
      {groups === undefined ? (
        <Skeleton width={240} height={28} />
      ) : (
        <>
          <span>
            <Text
              component="strong"
              fz={28}
              fw={600}
              lh="36px"
              c="bright"
              lts="-0.02em"
              style={{ fontVariantNumeric: 'tabular-nums' }}
            >
              {sums}
            </Text>{' '}
            in {countOf(documents.length, 'document')}
            {held.length > 0 && `, ${held.length} of them on hold`}
          </span>
          <Text span size="xs">
            Times in {zoneName(timeZone)}
          </Text>
        </>
      )}
    </Group>
  );
}
