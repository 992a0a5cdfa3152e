import { AttentionCard } from './attention-card.tsx';
import { Box, Button, Divider, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { formatDate, formatMoney } from '../../data/format.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { kinds } from '#core/kinds.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { useFindScreen } from '../../components/find-screen.ts';
import { MessageCode } from '../../components/help-link.tsx';
import { ModeBadge, type DocumentState } from '../../components/badge.tsx';
import { Rows } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import styles from './needs-attention.module.css';
import { describeDocuments } from './summaries.ts';
import { RepairActions } from './repair-actions.tsx';
import { readRepair } from './repairs.ts';
import { useTestAgain } from './use-test-again.ts';
import { Dim } from '../../components/note.tsx';

const badgeStates = { needs_you: 'needs_you', held: 'held', retrying: 'waiting' } as const satisfies Record<
  AttentionGroupReply['state'],
  DocumentState
>;

/** Number of documents listed before the user clicks “Show all”. */
const collapsedCount = 8;

/**
 * One cause with its documents, their total and its fixes. The first fix is the primary button; once the cause is fixed,
 * “Release” is.
 *
 * @param onReview receives the ids of the test jobs to review before posting
 */
export function CauseCard({
  group,
  onReview,
}: {
  group: AttentionGroupReply;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const isReadOnly = useReadOnly();
  const findScreen = useFindScreen();
  // The user saved a fix; only the next test shows whether it works.
  const [isSaved, setFixed] = useState(false);
  const { documents, message, remedy, repairs, screen } = group;
  // A sync skips a posted document; only the buttons of the cause can update it.
  const isUpdate = repairs.some((one) => one.do === 'update_accounting');
  const shown = isOpen ? documents : documents.slice(0, collapsedCount);
  const place = screen === null ? null : findScreen(screen);
  // Without a fix here, the screen with the fix is the primary button.
  const isElsewhere = place !== null && repairs.every((one) => readRepair(one) === null);
  const count = documents.length;
  const isFixed = isSaved || (count > 0 && documents.every(({ tested }) => tested === true));
  return (
    <AttentionCard
      state={badgeStates[group.state]}
      title={message.replace(/\.$/, '')}
      text={count === 0 ? 'No document waits for it.' : describeDocuments(documents)}
      remedy={
        <>
          {remedy} {place !== null && !isElsewhere && <Link to={place.path}>Go to {place.label}</Link>}{' '}
          <MessageCode code={group.code} />
        </>
      }
      buttons={
        (isElsewhere || count > (isUpdate ? collapsedCount : 0)) && (
          <>
            {count > collapsedCount && (
              <Button variant="subtle" color="gray" size="xs" mr="auto" onClick={() => setOpen(!isOpen)}>
                {isOpen ? 'Show fewer' : `Show all ${count}`}
              </Button>
            )}
            {!isUpdate && count > 0 && (
              <TryAgain documents={documents} isFixed={isFixed} setFixed={setFixed} onReview={onReview} />
            )}
            {isElsewhere && (
              <Button component={Link} to={place.path} variant={isFixed ? 'default' : 'filled'}>
                Go to {place.label}
              </Button>
            )}
          </>
        )
      }
    >
      {!isReadOnly && (
        <RepairActions
          repairs={repairs}
          documents={documents}
          isFixed={isFixed}
          onReview={onReview}
          onFixed={() => setFixed(true)}
        />
      )}
      {count > 0 && (
        <>
          <Divider />
          <Rows>
            {shown.map((document) => (
              <Document key={document.log_key} document={document} cause={message} />
            ))}
          </Rows>
        </>
      )}
    </AttentionCard>
  );
}

/** “Test again” and “Release”, which is the primary button once all documents would pass. */
function TryAgain({
  documents,
  isFixed,
  setFixed,
  onReview,
}: {
  documents: readonly AttentionDocument[];
  isFixed: boolean;
  setFixed: (isFixed: boolean) => void;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const isReadOnly = useReadOnly();
  const test = useTestAgain();
  const release = useTestAgain(onReview);
  return (
    <>
      <Button
        variant="outline"
        color="test"
        disabled={isReadOnly}
        loading={test.isPending}
        onClick={() => {
          setFixed(false);
          test.testAgain(documents);
        }}
      >
        Test again
      </Button>
      <Button
        variant={isFixed ? 'filled' : 'default'}
        disabled={isReadOnly}
        loading={release.isPending}
        onClick={() => release.testAgain(documents)}
      >
        {documents.length === 1 ? 'Release' : `Release all ${documents.length}`}
      </Button>
    </>
  );
}

/** @param cause the message of the card; “…” replaces details in which its documents differ */
function Document({ document, cause }: { document: AttentionDocument; cause: string }) {
  const { type, what, number, entityid, party, date, amount, currency, at, tested } = document;
  return (
    <Group component="li" gap="2px 8px" mih="var(--tb-row)" pr="md" py={5} fz="sm" className={styles.inset ?? ''}>
      <Group component="span" gap={12} align="stretch" flex="1 1 240px" miw={0}>
        <DocumentLink type={type} entityid={entityid}>
          {what ?? kinds[type].label} {number ?? entityid}
        </DocumentLink>
        {party !== null && (
          <Text span c="soft" lineClamp={3} inherit style={{ overflowWrap: 'anywhere' }} title={party}>
            <bdi>{party}</bdi>
          </Text>
        )}
      </Group>
      <Text span inherit c="dimmed" w={96} style={{ whiteSpace: 'nowrap' }}>
        {date === null ? '' : formatDate(date)}
      </Text>
      <Group component="span" gap={6} wrap="nowrap" flex="0 1 152px">
        {tested === null ? (
          <Dim>
            tried <RelativeTime at={at} />
          </Dim>
        ) : (
          <>
            <ModeBadge mode="test" />
            <Text span inherit c={tested ? 'ok' : 'red'}>
              {tested ? 'would pass now' : 'would still fail'}
            </Text>
          </>
        )}
      </Group>
      <Box component="span" miw={82} ml="auto" ta="end">
        {amount !== null && formatMoney(amount, currency)}
      </Box>
      {cause.includes('…') && (
        <Text size="xs" c="dimmed" w="100%" style={{ overflowWrap: 'anywhere' }}>
          {document.message}
        </Text>
      )}
    </Group>
  );
}
