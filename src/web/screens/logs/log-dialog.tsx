import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import type { LogDetail } from '#contract/logs.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { formatDate, formatMoney, formatExactTime } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { logQuery, logsQuery } from '../../lib/screen-queries.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { useFindScreen } from '../../ui/find-screen.ts';
import { Panel } from '../../ui/page.tsx';
import { Modal } from '../../ui/modal.tsx';
import { EntryTable } from '../approval/summary.tsx';
import { MappingChoices } from '../needs-attention/mapping-choices.tsx';
import { DocumentPreview } from '../preview/document-preview.tsx';
import { DocumentView } from './document-view.tsx';
import styles from './log-dialog.module.css';
import { toDos } from './remedies.ts';
import { inTimeZone } from './transcript-clock.ts';
import { entryTitle, entryWords, type Outcome, outcomeText } from './words.ts';

/** Money that goes back to the customer; a payment of one is a payment all the same. */
const isCreditMemo = ({ what, type }: LogDetail): boolean => what === 'Credit memo' && type !== 'payment';

/** The details of one log entry. @param logKey null keeps the dialog closed. */
export function LogDialog({ logKey, onClose }: { logKey: string | null; onClose: () => void }) {
  const [shown, setShown] = useState('');
  if (logKey !== null && logKey !== shown) setShown(logKey);
  return (
    <Modal opened={logKey !== null} onClose={onClose} title={entryWords.title} size={960} yOffset="5vh">
      {shown !== '' && <Details logKey={shown} />}
    </Modal>
  );
}

function Details({ logKey }: { logKey: string }) {
  const log = useQuery(logQuery(logKey));
  const [view, setView] = useState('formatted');
  return (
    <div className={styles.details}>
      {log.data !== undefined ? (
        <>
          <Head log={log.data} view={view} onView={setView} />
          <TriedSince log={log.data} />
          {view === 'raw' ? <Raw log={log.data} /> : <Formatted log={log.data} />}
        </>
      ) : log.isError ? (
        <FailedState what={entryWords.what} error={log.error} onRetry={() => void log.refetch()} />
      ) : (
        <Ghost />
      )}
    </div>
  );
}

function Head({ log, view, onView }: { log: LogDetail; view: string; onView: (view: string) => void }) {
  const { psa, accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const isAbout = [log.what, log.number, log.party, log.date].some((part) => part !== null && part !== '');
  return (
    <>
      <div className={styles.head}>
        <div className={styles.titleLine}>
          <h3 className={styles.title}>{entryTitle(log.type, isCreditMemo(log))}</h3>
          <ModeBadge mode={log.test ? 'test' : 'live'} />
        </div>
        <span className={styles.tools}>
          <PageLink href={log.pages.psa} label={psa.label} />
          <PageLink href={log.pages.accounting} label={accounting.short_label} />
          <Button variant="default" size="compact-sm" onClick={() => window.print()}>
            {entryWords.print}
          </Button>
          <CopyButton text={addressOfEntry(log.Key)} label={entryWords.copyLink} buttonLabel={entryWords.link} />
          <SegmentedControl
            size="xs"
            aria-label={entryWords.view}
            value={view}
            onChange={onView}
            data={[
              { value: 'formatted', label: entryWords.formatted },
              { value: 'raw', label: entryWords.raw },
            ]}
          />
        </span>
      </div>
      <p className={styles.outcome} data-outcome={outcomeOf(log)}>
        {outcomeText(psa.label, log.type, log.entityid, outcomeOf(log))}
      </p>
      {isAbout && (
        <p className={styles.about}>
          <span>
            {log.what} <bdi>{log.number}</bdi>
            {log.party !== null && (
              <>
                {entryWords.for}
                <bdi>{log.party}</bdi>
              </>
            )}
            {log.date !== null && entryWords.dated(formatDate(log.date))}
          </span>
          {log.amount !== null && <strong>{formatMoney(log.amount, log.currency)}</strong>}
        </p>
      )}
      <p className={styles.when}>
        {entryWords.when(formatExactTime(log.LastModified, timeZone), log.manual, log.test)}
      </p>
    </>
  );
}

/** A document on hold is no failure: it waits for a decision. */
const outcomeOf = ({ success, problems, awaits_approval: awaitsApproval }: LogDetail): Outcome => {
  if (awaitsApproval) return 'awaits_approval';
  if (success) return 'successful';
  return problems.some(({ treatment }) => treatment === 'held') ? 'held' : 'failed';
};

/** The newest entry of the same document, where it was tried again after this one. */
function TriedSince({ log }: { log: LogDetail }) {
  const timeZone = useTimeZone();
  const { data } = useQuery(
    logsQuery({ q: String(log.entityid), type: log.type, sort: '-LastModified', page: 1, page_size: 10 }),
  );
  // The id may stand in entries of other documents too, as a number or an amount.
  const newest = data?.logs.find(({ entityid }) => entityid === log.entityid);
  if (newest === undefined || newest.LastModified <= log.LastModified) return null;
  return (
    <Notice
      tone="info"
      action={<Link to={`/logs?key=${encodeURIComponent(newest.Key)}`}>{entryWords.openNewest}</Link>}
    >
      {entryWords.since(newest, formatExactTime(newest.LastModified, timeZone))}
    </Notice>
  );
}

/** The document in one of the services, in a window of its own; nothing where no page is known. */
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

/** The lasting address of an entry. */
const addressOfEntry = (key: string): string => `${window.location.origin}/logs?key=${encodeURIComponent(key)}`;

function Formatted({ log }: { log: LogDetail }) {
  const timeZone = useTimeZone();
  const document = log.invoice ?? log.purchase_order ?? log.bill;
  return (
    <>
      {log.preview !== null ? (
        <>
          <DocumentPreview document={log.preview.document} currency={log.preview.currency} />
          {log.preview.entries.length > 0 && (
            <Panel title={entryWords.books(log.test)} flush>
              <EntryTable label={entryWords.accounts} entries={log.preview.entries} currency={log.preview.currency} />
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
      <section className={styles.transcript}>
        <h3 className={styles.section}>{entryWords.transcript}</h3>
        <Notice tone={log.awaits_approval ? 'info' : log.success ? 'ok' : 'warning'}>{log.message}</Notice>
        <Remedies problems={log.problems} shown={log.message} />
        {!log.success && <MappingChoices problems={log.problems} />}
        {log.transcript !== '' && <Transcript text={inTimeZone(log.transcript, log.LastModified, timeZone)} />}
      </section>
    </>
  );
}

/** Next steps, each remedy once, with the way to the screen where it is done. @param shown text that stands above */
function Remedies({ problems, shown }: { problems: LogDetail['problems']; shown: string }) {
  const linkTo = useFindScreen();
  const list = toDos(problems, shown);
  if (list.length === 0) return null;
  return (
    <div className={styles.next}>
      <h4 className={styles.nextTitle}>{entryWords.next}</h4>
      <ul className={styles.remedies}>
        {list.map(({ remedy, screen, messages }) => {
          const place = screen === null ? null : linkTo(screen);
          return (
            <li key={`${screen} ${remedy}`}>
              {messages.map((message) => (
                <span key={message}>{message}</span>
              ))}
              <span className={styles.remedy}>
                {remedy} {place !== null && <Link to={place.path}>{entryWords.goTo(place.label)}</Link>}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const levelPattern = /^\d\d:\d\d:\d\d (ERROR|WARN|INFO|DEBUG|TRACE|RESULT)\b/;

function Transcript({ text }: { text: string }) {
  return (
    <div className={styles.box}>
      <CopyButton text={text} label={entryWords.copyTranscript} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it */}
      <pre className={styles.mono} tabIndex={0} aria-label={entryWords.transcriptText}>
        {text.split('\n').map((line, index) => (
          // Lines have no name of their own and never move.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className={styles.line} data-level={levelPattern.exec(line)?.[1]}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}

function Raw({ log }: { log: LogDetail }) {
  const text = JSON.stringify(log.raw, null, 2);
  return (
    <div className={styles.box}>
      <CopyButton text={text} label={entryWords.copyRaw} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it */}
      <pre className={styles.mono} tabIndex={0} aria-label={entryWords.rawData}>
        {text}
      </pre>
    </div>
  );
}

function Ghost() {
  return (
    <div className={styles.ghost} aria-busy="true">
      <Skeleton width={220} height={18} />
      <Skeleton width={380} />
      <Skeleton width="100%" height={92} />
      <Skeleton width="100%" height={180} />
    </div>
  );
}
