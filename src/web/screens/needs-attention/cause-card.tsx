import { useState } from 'react';
import { Link } from '../../lib/router.tsx';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { setCalendarDay, setMoney } from '../../lib/format.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { useReachable } from '../../ui/reachable.ts';
import { ModeBadge, StateMark, type DocumentState } from '../../ui/badge.tsx';
import { When } from '../../ui/when.tsx';
import styles from './needs-attention.module.css';
import { worthOf } from './headline.ts';
import { Mending } from './mending.tsx';
import { useTestAgain } from './use-test-again.ts';
import { attentionWords } from './words.ts';

const marks = {
  needs_you: 'needs_you',
  held: 'held',
  retrying: 'waiting',
} as const satisfies Record<AttentionGroupReply['state'], DocumentState>;

/** So many documents are named without being asked for. */
const shownAtFirst = 3;

/**
 * One cause: its name, its money, its fix and its documents. Release is primary once the cause is fixed.
 *
 * @param onReview receives the ids of the tests that have planned what is to be released
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
  const placeOf = useReachable();
  const test = useTestAgain();
  const release = useTestAgain(onReview);
  // Saved here; the next test reports whether the cause is gone.
  const [isFixed, setFixed] = useState(false);
  const { documents, message, remedy, repairs, screen } = group;
  const shown = isOpen ? documents : documents.slice(0, shownAtFirst);
  const place = screen === null ? null : placeOf(screen);
  const count = documents.length;
  return (
    <article className={styles.card} data-state={group.state}>
      <div className={styles.head}>
        <StateMark state={marks[group.state]} />
        <div className={styles.words}>
          <h2 className={styles.title}>{message.replace(/\.$/, '')}</h2>
          <p className={styles.message}>{worthOf(documents)}</p>
          {remedy !== null && (
            <p className={styles.remedy}>
              {remedy} {place !== null && <Link to={place.path}>{attentionWords.goTo(place.label)}</Link>}
            </p>
          )}
        </div>
      </div>
      {!isReadOnly && (
        <Mending repairs={repairs} documents={documents} onReview={onReview} onFixed={() => setFixed(true)} />
      )}
      <ul className={styles.documents}>
        {shown.map((document) => (
          <Document key={document.log_key} document={document} />
        ))}
      </ul>
      <div className={styles.foot}>
        {count > shownAtFirst && (
          <Button variant="subtle" color="gray" size="xs" data-size="xs" onClick={() => setOpen(!isOpen)}>
            {isOpen ? attentionWords.showFewer : attentionWords.showAll(count)}
          </Button>
        )}
        <span className={styles.gap} />
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
          {attentionWords.testAgain}
        </Button>
        <Button
          variant={isFixed || documents.every(({ tested }) => tested === true) ? 'filled' : 'default'}
          disabled={isReadOnly}
          loading={release.isPending}
          onClick={() => release.testAgain(documents)}
        >
          {attentionWords.release(count)}
        </Button>
      </div>
    </article>
  );
}

function Document({ document }: { document: AttentionDocument }) {
  const { what, number, entityid, party, date, amount, currency, log_key: key, at, tested } = document;
  return (
    <li>
      <span className={styles.name}>
        <Link to={`/logs?key=${encodeURIComponent(key)}`}>
          {what ?? document.type.replace('_', ' ')} {number ?? entityid}
        </Link>
        {party !== null && (
          <span className={styles.party} title={party}>
            <bdi>{party}</bdi>
          </span>
        )}
      </span>
      <span className={styles.dim}>{date === null ? '' : setCalendarDay(date)}</span>
      <span className={styles.tried}>
        {tested === null ? (
          <span className={styles.dim}>
            {attentionWords.tried} <When at={at} />
          </span>
        ) : (
          <>
            <ModeBadge mode="test" />
            <span data-tone={tested ? 'ok' : 'bad'}>
              {tested ? attentionWords.wouldPass : attentionWords.wouldFail}
            </span>
          </>
        )}
      </span>
      <span className={styles.amount}>{amount !== null && setMoney(amount, currency)}</span>
    </li>
  );
}
