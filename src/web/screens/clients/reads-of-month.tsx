import { useQuery } from '@tanstack/react-query';
import { readAlertPercents } from '#core/metered-reads.ts';
import { formatDate, formatCount } from '../../lib/format.ts';
import { meteredReadsQuery } from '../../lib/screen-queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/page.tsx';
import { FailedState } from '../../ui/states.tsx';
import styles from './clients.module.css';
import { clientsWords } from './words.ts';

/** Clients that are listed by name. */
const mostListed = 5;

/** How much of Intuit's monthly limit of reads the deployment has used, and by which clients. */
export function ReadsOfMonth() {
  const reads = useQuery(meteredReadsQuery());
  if (reads.isError && reads.data === undefined)
    return (
      <Panel title={clientsWords.reads}>
        <FailedState what={clientsWords.theReads} error={reads.error} onRetry={() => void reads.refetch()} />
      </Panel>
    );
  if (reads.data === undefined) return null;
  const { limit, percent, blocked_until: blockedUntil, clients } = reads.data;
  const used =
    limit === null
      ? clientsWords.readsWithoutLimit(formatCount(reads.data.reads))
      : clientsWords.readsOfLimit(formatCount(reads.data.reads), formatCount(limit), percent ?? 0);
  const isNearLimit = blockedUntil === null && percent !== null && percent >= readAlertPercents[0];
  return (
    <Panel title={clientsWords.reads}>
      {blockedUntil !== null && <Notice tone="warning">{clientsWords.readsBlocked(formatDate(blockedUntil))}</Notice>}
      {isNearLimit && <Notice tone="warning">{clientsWords.nearLimit}</Notice>}
      <p className={styles.reads}>{used}</p>
      {clients.length > 0 && (
        <ul className={styles.readers} aria-label={clientsWords.mostReads}>
          {clients.slice(0, mostListed).map(({ id, name, reads: count }) => (
            <li key={id}>
              <span>{name}</span> <span>{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
