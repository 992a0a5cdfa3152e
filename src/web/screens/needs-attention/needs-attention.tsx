import { Box, Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
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
import { isBackFromRun } from '../runs/open-run.ts';
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
  const isBack = isBackFromRun(useLocation().state);
  const [wasReviewing, setWasReviewing] = useState(false);
  if (page !== false && !wasReviewing) setWasReviewing(true);
  return page || <Causes isReturning={wasReviewing || isBack} onReview={review} />;
}

interface CausesProps {
  isReturning: boolean;
  onReview: (jobIds: readonly string[]) => void;
}

/**
 * @param isReturning the user left a review or a run, whose button had the focus
 * @param onReview receives the ids of the test jobs to review before posting
 */
function Causes({ isReturning, onReview }: CausesProps) {
  const attention = useQuery(attentionQuery());
  const { data } = attention;
  const sections = useCauses(data, onReview);
  const isDone = data !== undefined && sections.length === 0;
  useEffect(() => {
    if (isDone && isReturning && isFocusLost())
      document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  }, [isDone, isReturning]);
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
          needsNothing={!sections.some(({ causes }) => causes.some(({ state }) => state === 'needs_you'))}
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
  const [query, setQuery] = useSearchParams();
  const chosen = query.get(causeKey);
  const all = sections.flatMap((section) => section.causes.map((cause) => ({ section, cause })));
  const found = all.find(({ cause }) => cause.key === chosen);
  const open = found ?? all[0];
  const { list, fix, onEnter } = useCauseFocus(open?.cause.key, found !== undefined, isReturning);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll('a')];
    const at = links.findIndex((one) => one === event.target);
    if (step === undefined || at < 0 || hasModifier(event)) return;
    event.preventDefault();
    links[at + step]?.focus();
    const next = all[at + step];
    // Where the fix would hide the list, only Enter opens it.
    if (next !== undefined && isVisible(fix.current))
      setQuery(withCause(query, next.cause.key), { replace: chosen !== null, preventScrollReset: true });
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
            <Section key={section.title} section={section} open={open?.cause} onEnter={onEnter} />
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
          <Box ref={fix} tabIndex={-1} role="group" aria-label={open.cause.title} className={styles.fixBody ?? ''}>
            {open.cause.fix}
          </Box>
        </section>
      )}
    </div>
  );
}

/**
 * Moves the focus when a cause opens. Enter focuses the fix, and so does a phone, which hides the list. “All causes”
 * returns to the cause. The open cause gets the focus when its fix ended, or when the user left a review or a run.
 *
 * @param open key of the open cause
 * @param isChosen the user opened it; a phone shows the list otherwise
 */
function useCauseFocus(open: string | undefined, isChosen: boolean, isReturning: boolean) {
  const list = useRef<HTMLElement>(null);
  const fix = useRef<HTMLDivElement>(null);
  const isEntered = useRef(false);
  // Enter on the open cause changes only the entry of the history.
  const { key: entry } = useLocation();
  const shown = useRef(isReturning ? undefined : { open, isChosen, entry });
  useEffect(() => {
    const before = shown.current;
    const isEnter = isEntered.current && before?.entry !== entry;
    shown.current = { open, isChosen, entry };
    if (isEnter) isEntered.current = false;
    if (!isEnter && ((before?.open === open && before?.isChosen === isChosen) || !isFocusLost())) return;
    const isListVisible = isVisible(list.current);
    if (isEnter || !isListVisible) {
      fix.current?.focus({ preventScroll: true });
      if (!isListVisible) window.scrollTo(0, 0);
      return;
    }
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const left = isVisible(fix.current) ? undefined : links.find(({ dataset }) => dataset['cause'] === before?.open);
    const target = left ?? links.find((one) => one.hasAttribute('aria-current'));
    target?.focus({ preventScroll: left === undefined });
  }, [open, isChosen, entry]);
  return { list, fix, onEnter: () => (isEntered.current = true) };
}

const isVisible = (element: Element | null): boolean => element?.checkVisibility() === true;

/** Whether no control has the focus, or a hidden one. */
const isFocusLost = (): boolean => document.activeElement === document.body || !isVisible(document.activeElement);

/** Keys with Alt, Ctrl or Shift belong to the browser. */
const hasModifier = (event: Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;

/** @param onEnter called when a key opens a cause */
function Section({
  section: { title, count, hint, causes },
  open,
  onEnter,
}: {
  section: CauseSection;
  open: Cause | undefined;
  onEnter: () => void;
}) {
  const [query] = useSearchParams();
  return (
    <>
      <h2 className={styles.sectionHead}>
        {title} {count !== null && <Dim>{count}</Dim>}
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
              data-cause={key}
              // The Enter key counts no clicks.
              onClick={(event) => event.detail === 0 && !hasModifier(event) && onEnter()}
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
