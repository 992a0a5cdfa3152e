import { Parts } from '../../components/action-bar.tsx';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { formatMoney, formatSums, sumsByCurrency, countOf, zoneName } from '../../data/format.ts';
import { locales, readLocale } from '../../data/locale.ts';
import { attentionQuery, refreshAll } from '../../data/queries.ts';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { CurrentPauses } from '../connections/pause-notices.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { useReviews } from '../sync/use-reviews.tsx';
import { CardSection } from './card-section.tsx';
import { CauseCard } from './cause-card.tsx';
import { ChangedSince } from './changed-since.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { documentsOf } from './summaries.ts';
import { ErrorMarks } from './error-marks.tsx';
import { SkippedDocuments } from './skipped-documents.tsx';

/**
 * Documents that failed to sync, by cause. The user fixes the cause, tests again and releases the documents together. The
 * server computes the causes from the log, so all users see the same list.
 */
export function Component() {
  const { page, review } = useReviews();
  return page || <Causes onReview={review} />;
}

interface CausesProps {
  onReview: (jobIds: readonly string[]) => void;
}

/** @param onReview receives the ids of the test jobs to review before posting */
function Causes({ onReview }: CausesProps) {
  const attention = useQuery(attentionQuery());
  const { data } = attention;
  const groups = data?.groups ?? [];
  const groupsIn = (state: AttentionGroupReply['state']) => groups.filter((group) => group.state === state);
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
        <Stack gap="md" aria-busy="true">
          {[1, 2, 3].map((key) => (
            <Skeleton key={key} width="100%" height={96} />
          ))}
        </Stack>
      ) : (
        <Parts isStale={attention.isError}>
          {groupsIn('needs_you').length === 0 && data.changed_since.length === 0 && (
            <Panel>
              <EmptyState icon="check">Nothing needs attention.</EmptyState>
            </Panel>
          )}
          {groupsIn('needs_you').map((group) => (
            <CauseCard key={group.key} group={group} onReview={onReview} />
          ))}
          <ErrorMarks known={groups} />
          <ChangedSince months={data.changed_since} />
          <SkippedDocuments skipped={data.left_out} onReview={onReview} />
          <Section
            title="On hold"
            hint="Automatic syncs post these documents once their date or limit allows it."
            groups={groupsIn('held')}
            onReview={onReview}
          />
          <Section
            title="Retrying"
            hint="A service failed or limited calls. The next sync tries again."
            groups={groupsIn('retrying')}
            onReview={onReview}
          />
        </Parts>
      )}
    </Page>
  );
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

interface SectionProps {
  title: string;
  hint: string;
  groups: readonly AttentionGroupReply[];
  onReview: (jobIds: readonly string[]) => void;
}

/** Causes that need no action by a user. */
function Section({ title, hint, groups, onReview }: SectionProps) {
  if (groups.length === 0) return null;
  const count = groups.reduce((sum, { documents }) => sum + documents.length, 0);
  return (
    <CardSection title={title} count={count} hint={hint}>
      {groups.map((group) => (
        <CauseCard key={group.key} group={group} onReview={onReview} />
      ))}
    </CardSection>
  );
}
