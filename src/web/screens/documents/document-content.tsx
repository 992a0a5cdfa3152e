import { Text } from '@mantine/core';
import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import { isZero, decimal } from '#core/values/decimal.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDate, formatMoney } from '../../data/format.ts';
import { MessageCode } from '../../components/help-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { EmptyState, type Failed, FailedState } from '../../components/states.tsx';
import { CallError } from '../../data/call.ts';
import { EntryTable } from '../approval/summary.tsx';
import { kinds } from '#core/kinds.ts';
import { Link } from 'react-router';
import { BothSystems } from './both-systems.tsx';
import styles from './document.module.css';
import { MoneyAndRelated } from './money-and-related.tsx';
import { logPath } from './next-action.ts';
import { driftText } from './texts.ts';
import { Timeline } from './timeline.tsx';
import type { ShownDocument } from './use-document.ts';

/** Customer, date, amount and open amount, in one line. */
export function HeadLine({
  document: { party, date, amount, currency },
  current,
}: {
  document: DocumentReply;
  current: CurrentDocumentReply | undefined;
}) {
  const balance = current?.accounting.balance ?? null;
  const isSale = current?.accounting.document?.form === 'invoice';
  const parts = [
    date === null ? null : formatDate(date),
    balance === null || !isSale ? null : isZero(decimal(balance)) ? 'paid' : `${formatMoney(balance, currency)} open`,
  ].filter((part) => part !== null);
  return (
    <span className={styles.headLine}>
      {party !== null && <bdi>{party}</bdi>}
      {amount !== null && <strong>{formatMoney(amount, currency)}</strong>}
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}

/** Instead of a document: it does not exist, or could not be loaded. */
export const NoDocument = ({ of }: { of: Failed }) =>
  of.error instanceof CallError && of.error.status === 404 ? (
    <EmptyState icon="search">{of.error.message}</EmptyState>
  ) : (
    <FailedState what="The document" of={of} />
  );

/** Everything below the head: notices, both systems, money, and the history. */
export function DocumentContent({ document, shown }: { document: DocumentReply; shown: ShownDocument }) {
  const { plan } = document;
  return (
    <div className={styles.layout}>
      <div className={styles.column}>
        <OpenProblems document={document} />
        <BothSystems document={document} current={shown.current} />
        <MoneyAndRelated document={document} current={shown.current.data} />
        {plan !== null && plan.entries.length > 0 && (
          <Panel title={plan.test ? 'Planned ledger entries' : 'Ledger entries'} flush>
            <EntryTable label="Ledger entries of this document" entries={plan.entries} currency={plan.currency} />
          </Panel>
        )}
      </div>
      <Timeline document={document} current={shown.current.data} showOlder={shown.showOlder} />
    </div>
  );
}

/** What the newest syncs left open, and what changed after posting. */
function OpenProblems({ document: { problems, postings, type } }: { document: DocumentReply }) {
  const { psa, accounting } = useEnvironment();
  const drift = [...new Set(postings.flatMap((one) => (one.status === 'synced' ? one.drift : [])))];
  const changes = drift.filter((one) => one !== 'total_differs' && one !== 'not_mailed');
  return (
    <>
      {problems.map((one) => {
        const [first] = one.problems;
        return (
          <Notice
            key={one.type}
            tone={one.state === 'needs_you' ? 'bad' : one.state === 'held' ? 'warning' : 'info'}
            action={<Link to={logPath(one.log_key)}>Open log</Link>}
          >
            {one.type !== type && <strong>{kinds[one.type].label}: </strong>}
            {one.message}
            {first?.remedy !== undefined && first.remedy !== null && (
              <Text component="p" inherit mt={2}>
                {first.remedy} {first.code !== undefined && <MessageCode code={first.code} />}
              </Text>
            )}
          </Notice>
        );
      })}
      {changes.length > 0 && (
        <Notice tone="warning">
          {changes.map((one) => driftText(one, psa.label, accounting.short_label)).join(' ')}
        </Notice>
      )}
    </>
  );
}
