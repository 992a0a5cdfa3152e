import { Anchor, Box, Button, Group, SegmentedControl, Stack, Text, type TextProps, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { LogDetail, LogHeadReply } from '#contract/logs.ts';
import { type Kind, kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDate, formatMoney, formatExactTime } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { logQuery, logsQuery } from '../../data/screen-queries.ts';
import { ModeBadge } from '../../components/badge.tsx';
import { documentPath, placeOf } from '../../components/document-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { MessageCode } from '../../components/help-link.tsx';
import { Icon } from '../../components/icons.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { useFindScreen } from '../../components/find-screen.ts';
import { Panel } from '../../components/page.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EntryTable } from '../approval/summary.tsx';
import { MappingChoices } from '../needs-attention/mapping-choices.tsx';
import { DocumentPreview } from '../preview/document-preview.tsx';
import { DocumentView } from './document-view.tsx';
import styles from './log-panel.module.css';
import { toDos } from './remedies.ts';
import { inTimeZone } from './transcript-clock.ts';

const entryTitles: Readonly<Record<Kind, string>> = {
  invoice: 'QuickBooks Invoice',
  purchase_order: 'QuickBooks Purchase Order',
  expense_report: 'QuickBooks Bill for Expense Report',
  payment: 'QuickBooks Payment',
  void: 'QuickBooks Invoice, voided',
  difference: 'QuickBooks Invoice of a Difference',
};

const outcomeTexts = {
  successful: 'was successful.',
  awaits_approval: 'is waiting for approval.',
  held: 'is on hold.',
  failed: 'was not successful.',
} as const;
const outcomeColors = { successful: 'bright', awaits_approval: 'bright', held: 'held', failed: 'red' } as const;

/** A payment of a credit memo is still a payment. */
const isCreditMemo = ({ what, type }: LogDetail): boolean => what === 'Credit memo' && type !== 'payment';

/**
 * Shows one log entry.
 *
 * @param logKey null closes the panel
 * @param keys the entries in the list
 */
export function LogPanel({
  logKey,
  ...list
}: {
  logKey: string | null;
  keys: readonly string[];
  onOpen: (key: string) => void;
  onClose: () => void;
}) {
  const [shown, setShown] = useState('');
  if (logKey !== null && logKey !== shown) setShown(logKey);
  return (
    <SidePanel title="Logs" open={logKey} {...list}>
      {shown !== '' && <Details logKey={shown} />}
    </SidePanel>
  );
}

function Details({ logKey }: { logKey: string }) {
  const log = useQuery(logQuery(logKey));
  const [view, setView] = useState('formatted');
  return (
    <Stack gap={12} mih={420}>
      {log.data !== undefined ? (
        <>
          <Head log={log.data} view={view} onView={setView} />
          <NewerAttempt log={log.data} />
          {view === 'raw' ? <Raw log={log.data} /> : <Formatted log={log.data} />}
        </>
      ) : log.isError ? (
        <FailedState what="This log entry" of={log} />
      ) : (
        <Ghost />
      )}
    </Stack>
  );
}

function Head({ log, view, onView }: { log: LogDetail; view: string; onView: (view: string) => void }) {
  const { psa, accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const outcome = outcomeOf(log);
  const page = documentPath(placeOf(log.type, log.entityid));
  const isAbout = [log.what, log.number, log.party, log.date].some((part) => part !== null && part !== '');
  return (
    <>
      <Group gap="sm" justify="space-between">
        <Group gap={10}>
          <Title order={3} fw={600} fz="xl" lh={1.4} lts="-0.01em">
            {isCreditMemo(log)
              ? `QuickBooks Credit Memo${log.type === 'void' ? ', voided' : ''}`
              : entryTitles[log.type]}
          </Title>
          <ModeBadge mode={log.test ? 'test' : 'live'} />
        </Group>
        <span className={styles.tools}>
          <Button component={Link} to={page} variant="default" size="compact-sm">
            Document
          </Button>
          <PageLink href={log.pages.psa} label={psa.label} />
          <PageLink href={log.pages.accounting} label={accounting.short_label} />
          <Button variant="default" size="compact-sm" onClick={() => window.print()}>
            Print
          </Button>
          <CopyButton text={entryAddress(log.Key)} label="Copy link to this entry" buttonLabel="Copy link" />
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={view}
            onChange={onView}
            data={[
              { value: 'formatted', label: 'Formatted' },
              { value: 'raw', label: 'Raw' },
            ]}
          />
        </span>
      </Group>
      <Text c={outcomeColors[outcome]} fw={outcome === 'failed' ? 600 : 400}>
        {`Processing of ${psa.label} ${kinds[log.type].label.toLowerCase()} ID `}
        <Anchor inherit underline="always" component={Link} to={page}>
          {log.entityid}
        </Anchor>
        {` ${outcomeTexts[outcome]}`}
      </Text>
      {isAbout && (
        <Group
          component="p"
          gap="md"
          justify="space-between"
          fw={600}
          fz="lg"
          lh={1.5}
          style={{ fontVariantNumeric: 'tabular-nums', rowGap: 'var(--tb-1)' }}
        >
          <span>
            {log.what} <bdi>{log.number}</bdi>
            {log.party !== null && (
              <>
                {' for '}
                <bdi>{log.party}</bdi>
              </>
            )}
            {log.date !== null && ` dated ${formatDate(log.date)}`}
          </span>
          {log.amount !== null && <strong>{formatMoney(log.amount, log.currency)}</strong>}
        </Group>
      )}
      <Text
        mt={-8}
        c="dimmed"
        size="sm"
      >{`${formatExactTime(log.LastModified, timeZone)}, ${log.manual ? 'started manually' : 'automatic'}${log.test ? '. TEST: nothing was sent.' : ''}`}</Text>
    </>
  );
}

/** A document on hold waits for a decision; it has not failed. */
const outcomeOf = (log: LogHeadReply): keyof typeof outcomeTexts => {
  if (log.awaits_approval) return 'awaits_approval';
  if (log.on_hold) return 'held';
  return log.success ? 'successful' : 'failed';
};

/** Links to the newest entry of the document if a later attempt exists. */
function NewerAttempt({ log }: { log: LogDetail }) {
  const timeZone = useTimeZone();
  const { data } = useQuery(
    logsQuery({ q: String(log.entityid), type: log.type, sort: '-LastModified', page: 1, page_size: 10 }),
  );
  // The search also finds entries that contain the id as a number or amount.
  const newest = data?.logs.find(({ entityid }) => entityid === log.entityid);
  if (newest === undefined || newest.LastModified <= log.LastModified) return null;
  return (
    <Notice tone="info" action={<Link to={`/logs?key=${encodeURIComponent(newest.Key)}`}>Open newest entry</Link>}>
      {`${newest.test ? 'Tested' : 'Tried'} again on ${formatExactTime(newest.LastModified, timeZone)}: it ${outcomeTexts[outcomeOf(newest)]}`}
    </Notice>
  );
}

/** Opens the document in one of the services in a new window. */
function PageLink({ href, label }: { href: string | null; label: string }) {
  if (href === null) return null;
  return (
    <Button
      component="a"
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      variant="default"
      size="compact-sm"
      rightSection={<Icon name="external" size={14} />}
    >
      {label}
    </Button>
  );
}

const entryAddress = (key: string): string => `${window.location.origin}/logs?key=${encodeURIComponent(key)}`;

function Formatted({ log }: { log: LogDetail }) {
  const timeZone = useTimeZone();
  const document = log.invoice ?? log.purchase_order ?? log.bill;
  return (
    <>
      {log.preview !== null ? (
        <>
          <DocumentPreview document={log.preview.document} currency={log.preview.currency} />
          {log.preview.entries.length > 0 && (
            <Panel title={log.test ? 'Planned ledger entries' : 'Ledger entries'} flush>
              <EntryTable
                label="Ledger entries of this document"
                entries={log.preview.entries}
                currency={log.preview.currency}
              />
            </Panel>
          )}
        </>
      ) : null}
      {document !== undefined && (log.preview === null || Array.isArray(document['Line'])) && (
        <DocumentView
          type={log.type}
          isCreditMemo={isCreditMemo(log)}
          document={document}
          isTest={log.test}
          party={log.party}
          planned={log.preview?.document ?? null}
        />
      )}
      <Stack component="section" gap="sm" mt="sm">
        <Title order={3} fw={600} fz="md" lh="md">
          Job Transcript
        </Title>
        <Notice tone={log.awaits_approval ? 'info' : log.success ? 'ok' : 'warning'}>{log.message}</Notice>
        <Remedies problems={log.problems} shown={log.message} />
        <MessageCodes problems={log.problems} />
        {!log.success && <MappingChoices problems={log.problems} />}
        {log.transcript !== '' && <Transcript text={inTimeZone(log.transcript, log.LastModified, timeZone)} />}
      </Stack>
    </>
  );
}

/** Lists the next steps, each with a link to its screen. @param shown text already visible above */
function Remedies({ problems, shown }: { problems: LogDetail['problems']; shown: string }) {
  const linkTo = useFindScreen();
  const list = toDos(problems, shown);
  if (list.length === 0) return null;
  return (
    <Box py="xs" px={0}>
      <Title order={4} fw={600} fz="sm" lh="18px" mb="xs">
        What to do next
      </Title>
      <Stack component="ul" gap="sm" pl={18} style={{ listStyle: 'disc' }}>
        {list.map(({ remedy, screen, messages }) => {
          const place = screen === null ? null : linkTo(screen);
          return (
            <li key={`${screen} ${remedy}`}>
              {messages.map((message) => (
                <div key={message}>{message}</div>
              ))}
              <Text inherit c="soft">
                {remedy}{' '}
                {place !== null && (
                  <Anchor inherit underline="always" component={Link} to={place.path}>{`Go to ${place.label}`}</Anchor>
                )}
              </Text>
            </li>
          );
        })}
      </Stack>
    </Box>
  );
}

/** Links each message to its article. */
function MessageCodes({ problems }: { problems: LogDetail['problems'] }) {
  const codes = [...new Set(problems.flatMap(({ code = [] }) => code))];
  if (codes.length === 0) return null;
  return (
    <Group gap="sm">
      <Text span c="dimmed" size="sm">
        Help on this message:
      </Text>
      {codes.map((code) => (
        <MessageCode key={code} code={code} />
      ))}
    </Group>
  );
}

/** The looks of the lines of a level; all others are plain. */
const levels: Readonly<Record<string, Pick<TextProps, 'c' | 'fw'>>> = {
  DEBUG: { c: 'dimmed' },
  TRACE: { c: 'dimmed' },
  WARN: { c: 'held' },
  ERROR: { c: 'red' },
  RESULT: { c: 'bright', fw: 600 },
};
const levelPattern = /^\d\d:\d\d:\d\d (ERROR|WARN|INFO|DEBUG|TRACE|RESULT)\b/;

const Transcript = ({ text }: { text: string }) => (
  <Source text={text} label="Transcript" copyLabel="Copy transcript">
    {text.split('\n').map((line, index) => (
      // Lines have no id and never move.
      // oxlint-disable-next-line react/no-array-index-key
      <Text span inherit key={index} c="soft" {...levels[levelPattern.exec(line)?.[1] ?? '']}>
        {line}
        {'\n'}
      </Text>
    ))}
  </Source>
);

function Raw({ log }: { log: LogDetail }) {
  const text = JSON.stringify(log.raw, null, 2);
  return (
    <Source text={text} label="Raw data" copyLabel="Copy raw data">
      {text}
    </Source>
  );
}

interface SourceProps {
  text: string;
  label: string;
  copyLabel: string;
  children: ReactNode;
}

/** A text in a scroll area, with a button that copies it. */
function Source({ text, label, copyLabel, children }: SourceProps) {
  return (
    <div className={styles.box}>
      <CopyButton text={text} label={copyLabel} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll area needs keyboard focus */}
      <pre className={styles.mono} tabIndex={0} aria-label={label}>
        {children}
      </pre>
    </div>
  );
}

function Ghost() {
  return (
    <Stack gap={12} aria-busy="true">
      <Skeleton width={220} height={18} />
      <Skeleton width={380} />
      <Skeleton width="100%" height={92} />
      <Skeleton width="100%" height={180} />
    </Stack>
  );
}
