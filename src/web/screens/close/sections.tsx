import { Textarea } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { decideException, type CloseReply } from '#contract/closes.ts';
import { kindLabels } from '#core/reconciliation/close.ts';
import { settlements, type Settlement } from '#core/reconciliation/exception-actions.ts';
import { decimal, isZero, minus } from '#core/values/decimal.ts';
import { differenceClasses, type DifferenceClass } from '#core/reconciliation/difference-classes.ts';
import { useSession } from '../../lib/current-session.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { formatAmount, formatMoney } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Modal } from '../../ui/modal.tsx';
import styles from './close.module.css';
import { type LeftDifference, useNextDifference } from './use-next-difference.ts';
import type { Settling } from './use-settling.ts';
import { closeWords } from './words.ts';

type Exception = CloseReply['exceptions'][number];
type TieOut = CloseReply['tie_outs'][number];

/** A: from the PSA's total to that of the books, class by class, for every kind of document. */
export function Completeness({ close, currency }: { close: CloseReply; currency: string }) {
  const { psa } = useEnvironment();
  const bridges = close.bridges.filter((one) => one.currency === currency);
  return (
    <Panel title={closeWords.aCompleteness} flush>
      <div className={styles.scroll}>
        <table className={`${styles.table} ${styles.bridge}`}>
          <thead>
            <tr>
              <th scope="col">{closeWords.documentsIn(currency)}</th>
              <th scope="col">{closeWords.count}</th>
              <th scope="col">{psa.label}</th>
              <th scope="col">{closeWords.quickbooks}</th>
              <th scope="col">{closeWords.difference}</th>
            </tr>
          </thead>
          {bridges.map((bridge) => (
            <tbody key={bridge.kind}>
              <tr className={styles.group}>
                <th scope="rowgroup" colSpan={5}>
                  {kindLabels[bridge.kind]}
                </th>
              </tr>
              <tr>
                <td>{closeWords.datedInPsa(psa.label)}</td>
                <td>{bridge.psa_count}</td>
                <td>{formatAmount(bridge.psa_total)}</td>
                <td />
                <td />
              </tr>
              {bridge.classes.map((one) => (
                <tr key={one.class} data-detail={!differenceClasses[one.class].moves}>
                  <td className={styles.indent}>{labelOf(one.class, psa.label)}</td>
                  <td>{one.count}</td>
                  <td />
                  <td />
                  <td>{differenceClasses[one.class].moves ? formatAmount(one.amount) : '–'}</td>
                </tr>
              ))}
              <tr className={styles.sum}>
                <td>{closeWords.datedInTheMonth}</td>
                <td>{bridge.books_count}</td>
                <td>{formatAmount(bridge.psa_total)}</td>
                <td>{formatAmount(bridge.books_total)}</td>
                <td>{formatAmount(bridge.difference)}</td>
              </tr>
              <tr className={styles.sum}>
                <td>{closeWords.unexplained}</td>
                <td />
                <td />
                <td />
                <td>
                  <span className={styles.unexplained} data-zero={Number(bridge.unexplained) === 0}>
                    {formatAmount(bridge.unexplained)}
                  </span>
                </td>
              </tr>
            </tbody>
          ))}
          {bridges.length === 0 && (
            <tbody>
              <tr>
                <td colSpan={5}>{closeWords.nothingIsDatedIn}</td>
              </tr>
            </tbody>
          )}
        </table>
      </div>
    </Panel>
  );
}

/** The label of a class, with the PSA by its name. */
export const labelOf = (of: DifferenceClass | 'unexplained', psa: string): string =>
  of === 'unexplained' ? 'Unexplained' : differenceClasses[of].label.replaceAll(/\b[Tt]he PSA\b|\bPSA\b/g, psa);

/** B: subledgers against the ledger, by QuickBooks' own reports. */
export function TieOuts({ close }: { close: CloseReply }) {
  const home = close.totals[0]?.currency ?? null;
  return (
    <Panel title={closeWords.bSubledgersAndLedger} flush>
      <ul className={styles.ties}>
        {close.tie_outs.map((one) => (
          <OneTieOut key={one.name} tie={one} currency={home} />
        ))}
      </ul>
    </Panel>
  );
}

function OneTieOut({ tie, currency }: { tie: TieOut; currency: string | null }) {
  const verdict = tie.must_be_zero ? (tie.holds ? 'zero' : 'off') : 'list';
  return (
    <li>
      <details className={styles.tie}>
        <summary className={styles.tieHead}>
          <span className={styles.verdict} data-verdict={verdict}>
            <Icon name={verdict === 'off' ? 'warning' : verdict === 'zero' ? 'check' : 'info'} size={16} />
          </span>
          <span className={styles.tieLabel}>{tie.label}</span>
          <span className={styles.tieSide}>
            <small>{tie.left_label}</small>
            {formatMoney(tie.left, currency)}
          </span>
          <span className={styles.tieSide}>
            <small>{tie.right_label}</small>
            {formatMoney(tie.right, currency)}
          </span>
          <span className={styles.tieDifference} data-verdict={verdict}>
            <small>{verdict === 'list' ? closeWords.forInformation : closeWords.mustBeZero}</small>
            {formatAmount(tie.difference)}
          </span>
        </summary>
        {tie.rows.length === 0 ? (
          <p className={styles.note}>
            {Number(tie.left) === 0 && Number(tie.right) === 0
              ? closeWords.nothingStandsOnEither
              : closeWords.twoNumbersEachStraight}
          </p>
        ) : (
          <div className={styles.scroll}>
            <table className={`${styles.table} ${styles.tieRows}`}>
              <colgroup>
                <col />
                <col className={styles.tieColumn} />
                <col className={styles.tieColumn} />
                <col className={styles.tieLast} />
              </colgroup>
              <thead>
                <tr>
                  <th scope="col">{closeWords.madeOf}</th>
                  <th scope="col">{tie.left_label}</th>
                  <th scope="col">{tie.right_label}</th>
                  <th scope="col">{closeWords.difference}</th>
                </tr>
              </thead>
              <tbody>
                {tie.rows.map((row, index) => (
                  // Rows of one list may say the same; they never move.
                  <tr key={`${index} ${row.label}`}>
                    <td>
                      {row.label}
                      {row.note !== null && row.note !== undefined && <small>{row.note}</small>}
                    </td>
                    <td>{row.left === null ? '' : formatAmount(row.left)}</td>
                    <td>{row.right === null ? '' : formatAmount(row.right)}</td>
                    <td>{differenceOf(row)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </details>
    </li>
  );
}

/** The difference of a row with two sides, left less right; empty for a row that agrees or has one side. */
function differenceOf({ left, right }: TieOut['rows'][number]): string {
  if (left === null || right === null) return '';
  const difference = minus(decimal(left), decimal(right));
  return isZero(difference) ? '' : formatAmount(difference);
}

/**
 * C: one row per difference, with who, since when, and what can be done.
 *
 * @param left the difference whose review the user has just left; null without one
 * @param onSettle plans how a difference is settled, and opens the review of it
 */
export function Exceptions({
  close,
  month,
  isPlanning,
  left,
  onSettle,
}: {
  close: CloseReply;
  month: string;
  isPlanning: boolean;
  left: LeftDifference | null;
  onSettle: (settling: Settling) => void;
}) {
  const { psa } = useEnvironment();
  const [asked, setAsked] = useState<{ exception: Exception; decision: 'accept' | 'carry' } | null>(null);
  const [decided, setDecided] = useState<LeftDifference | null>(null);
  // The buttons of a decided row disappear when the list is read again.
  const isShown = close.exceptions.some(({ key, decision }) => key === decided?.key && decision !== null);
  const area = useNextDifference(isShown ? decided : left);
  const isReadOnly = useReadOnly();
  const maySettle = useSession()?.claims.roles.includes('clientadmin') === true && !isReadOnly;
  const columns: readonly Column<Exception>[] = [
    {
      key: 'document',
      head: closeWords.document,
      cell: (one) => (
        <span className={styles.document}>
          {[one.number, one.party].filter((part) => part !== null && part !== '').join(' · ')}
          <small className={styles.dim}>
            {[
              one.psa_id === null ? null : `${psa.label} ${one.psa_id}`,
              one.books === null ? null : `${one.books.type} ${one.books.id}`,
            ]
              .filter((part) => part !== null)
              .join(', ')}
          </small>
        </span>
      ),
      placeholderWidth: 160,
      narrow: 'title',
    },
    { key: 'class', head: closeWords.why, cell: (one) => labelOf(one.class, psa.label), placeholderWidth: 140 },
    {
      key: 'amount',
      head: closeWords.amount,
      align: 'end',
      sort: 'amount',
      compare: (a, b) => Math.abs(Number(b.amount)) - Math.abs(Number(a.amount)),
      cell: (one) => (Number(one.amount) === 0 ? '–' : formatMoney(one.amount, one.currency)),
      placeholderWidth: 70,
      narrow: 'trail',
    },
    {
      key: 'since',
      head: closeWords.since,
      cell: (one) =>
        one.since === null ? (
          ''
        ) : (
          <span className={styles.document}>
            <RelativeTime at={one.since} />
            {one.by !== null && <small className={styles.dim}>{closeWords.byUser(one.by)}</small>}
          </span>
        ),
      placeholderWidth: 80,
    },
    {
      key: 'action',
      head: closeWords.whatToDo,
      cell: (one) => (
        <span className={styles.actions} data-difference={one.key} data-open={one.decision === null}>
          {one.decision === null ? (
            <>
              {settlements
                .filter((action) => maySettle && one.actions.includes(action))
                .map((action) => (
                  <button
                    key={action}
                    type="button"
                    className={styles.link}
                    disabled={isPlanning}
                    onClick={() => onSettle({ key: one.key, action })}
                  >
                    {settlementWords[action]}
                  </button>
                ))}
              {one.psa_id !== null && (
                <Link to={`/logs?q=${one.psa_id}`} className={styles.link}>
                  {closeWords.evidence}
                </Link>
              )}
              <button
                type="button"
                className={styles.link}
                disabled={isReadOnly}
                onClick={() => setAsked({ exception: one, decision: 'accept' })}
              >
                {closeWords.accept}
              </button>
              <button
                type="button"
                className={styles.link}
                disabled={isReadOnly}
                onClick={() => setAsked({ exception: one, decision: 'carry' })}
              >
                {closeWords.carry}
              </button>
            </>
          ) : (
            <span className={styles.document}>
              {one.decision.decision === 'accept' ? closeWords.accepted : closeWords.carriedToNextMonth}
              <small className={styles.dim}>{`${one.decision.reason} (${one.decision.by})`}</small>
            </span>
          )}
        </span>
      ),
      placeholderWidth: 120,
    },
  ];
  return (
    <div ref={area}>
      <Panel title={closeWords.exceptionsTitle(close.exceptions.length)} flush>
        {close.exceptions.length === 0 ? (
          <EmptyState icon="check">{closeWords.noDocumentDiffersIn}</EmptyState>
        ) : (
          <ListTable
            listKey={close.id ?? ''}
            label={closeWords.exceptions}
            columns={columns}
            rows={close.exceptions}
            rowKey={({ key }) => key}
            name={({ number, party }) => `${number ?? ''} ${party}`}
          />
        )}
        <DecisionDialog
          month={month}
          asked={asked}
          onClose={() => setAsked(null)}
          onDecided={(key) => setDecided({ key, isSettled: true })}
        />
      </Panel>
    </div>
  );
}

const settlementWords = {
  post: 'Post',
  post_again: 'Post again',
  update_books: 'Update',
  bill_difference: 'Bill the difference',
  void: 'Void in QuickBooks',
  sync_payment: 'Sync payment',
} as const satisfies Record<Settlement, string>;

function DecisionDialog({
  month,
  asked,
  onClose,
  onDecided,
}: {
  month: string;
  asked: { exception: Exception; decision: 'accept' | 'carry' } | null;
  onClose: () => void;
  onDecided: (key: string) => void;
}) {
  const [reason, setReason] = useState('');
  const [refusal, setRefusal] = useState<Error | null>(null);
  const decide = useAction(decideException, {
    changes: ['closes'],
    onError: setRefusal,
    onSuccess: (_, { body }) => {
      setReason('');
      onDecided(body.key);
      onClose();
    },
  });
  if (asked === null) return null;
  const { exception, decision } = asked;
  return (
    <Modal
      opened
      onClose={onClose}
      title={decision === 'accept' ? closeWords.acceptThisDifference : closeWords.carryToTheNext}
      size={460}
    >
      <DialogForm
        submitLabel={decision === 'accept' ? closeWords.accept : closeWords.carry}
        isBusy={decide.isPending}
        error={refusal?.message ?? null}
        onSubmit={() => {
          setRefusal(null);
          decide.mutate({ params: { month }, body: { key: exception.key, decision, reason } });
        }}
        onCancel={onClose}
      >
        <p>
          {closeWords.deciding(
            exception.number ?? '',
            exception.party,
            formatMoney(exception.amount, exception.currency),
          )}
        </p>
        <Textarea
          data-autofocus
          label={closeWords.reason}
          autosize
          minRows={2}
          maxLength={1_000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}

/** D: what is another thing now than in the proof that was signed. */
export function Changes({ close }: { close: CloseReply }) {
  const { psa } = useEnvironment();
  return (
    <Panel title={closeWords.changesTitle(close.changes.length)} flush>
      {close.changes.length === 0 ? (
        <p className={styles.note}>
          {close.signatures.length < 2 ? closeWords.thisMonthIsNot : closeWords.nothingHasChangedSince}
        </p>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{closeWords.document}</th>
                <th scope="col">{closeWords.psaBeforeAndNow(psa.label)}</th>
                <th scope="col">{closeWords.quickbooksBeforeAndNow}</th>
                <th scope="col">{closeWords.whatChanged}</th>
              </tr>
            </thead>
            <tbody>
              {close.changes.map((change) => (
                <tr key={change.key}>
                  <td>{change.label}</td>
                  <td>{pair(change.before?.psa, change.after?.psa)}</td>
                  <td>{pair(change.before?.books, change.after?.books)}</td>
                  <td className={styles.details}>
                    {change.details.map((detail) => (
                      <Fragment key={detail}>
                        {detail.replaceAll('PSA', psa.label)}
                        <br />
                      </Fragment>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

const pair = (before: string | undefined, after: string | undefined): string => {
  const [was, is] = [before, after].map((amount) => (amount === undefined ? '–' : formatAmount(amount)));
  return was === is ? (is ?? '') : `${was} → ${is}`;
};
