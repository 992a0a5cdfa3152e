import { PlainTable } from '../../components/plain-table.tsx';
import { Anchor, Box, Group, Stack, Text, Textarea } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'react-router';
import { decideException } from '#contract/calls/closes.ts';
import type { CloseReply } from '#contract/closes.ts';
import { kindLabels } from '#core/reconciliation/close.ts';
import { settlements, type Settlement } from '#core/reconciliation/exception-actions.ts';
import { dayText, isCalendarDate } from '#core/values/dates.ts';
import { decimal, isZero, minus } from '#core/values/decimal.ts';
import { differenceClasses, type DifferenceClass } from '#core/reconciliation/difference-classes.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount, formatMoney, formatMonth } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Panel, Rows } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Modal } from '../../components/modal.tsx';
import styles from './month-end.module.css';
import { type LeftDifference, useNextDifference } from './use-next-difference.ts';
import type { Settling } from './use-settling.ts';

type Exception = CloseReply['exceptions'][number];
type TieOut = CloseReply['tie_outs'][number];

/** Section A: explains the difference between the PSA's and the accounting system's totals, by kind and cause. */
export function Completeness({ close, currency }: { close: CloseReply; currency: string }) {
  const { psa } = useEnvironment();
  const bridges = close.bridges.filter((one) => one.currency === currency);
  return (
    <Panel title="A  Completeness" flush>
      <PlainTable numeric className={styles.bridge}>
        <thead>
          <tr>
            <th scope="col">{`Documents in ${currency}`}</th>
            <th scope="col">Count</th>
            <th scope="col">{psa.label}</th>
            <th scope="col">QuickBooks</th>
            <th scope="col">Difference</th>
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
              <td>{`Dated in the month in ${psa.label}`}</td>
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
              <td>Dated in the month in QuickBooks</td>
              <td>{bridge.books_count}</td>
              <td>{formatAmount(bridge.psa_total)}</td>
              <td>{formatAmount(bridge.books_total)}</td>
              <td>{formatAmount(bridge.difference)}</td>
            </tr>
            <tr className={styles.sum}>
              <td>Unexplained</td>
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
              <td colSpan={5}>No documents are dated in this month.</td>
            </tr>
          </tbody>
        )}
      </PlainTable>
    </Panel>
  );
}

/** Returns the label of a cause. @param psa the PSA's label */
export const labelOf = (of: DifferenceClass | 'unexplained', psa: string): string =>
  of === 'unexplained' ? 'Unexplained' : differenceClasses[of].label.replaceAll(/\b[Tt]he PSA\b|\bPSA\b/g, psa);

/** Section B: compares subledgers with the ledger, from QuickBooks reports. */
export function TieOuts({ close }: { close: CloseReply }) {
  const home = close.totals[0]?.currency ?? null;
  return (
    <Panel title="B  Subledgers and ledger" flush>
      <Rows className={styles.ties}>
        {close.tie_outs.map((one) => (
          <OneTieOut key={one.name} tie={one} currency={home} />
        ))}
      </Rows>
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
          <Box component="span" fw={600}>
            {tie.label}
          </Box>
          <span className={styles.tieSide}>
            <small>{tie.left_label}</small>
            {formatMoney(tie.left, currency)}
          </span>
          <span className={styles.tieSide}>
            <small>{tie.right_label}</small>
            {formatMoney(tie.right, currency)}
          </span>
          <span className={styles.tieDifference} data-verdict={verdict}>
            <small>{verdict === 'list' ? 'for information' : 'must be 0.00'}</small>
            {formatAmount(tie.difference)}
          </span>
        </summary>
        {tie.rows.length === 0 ? (
          <Text component="p" c="dimmed" size="sm" px="md" py={12} className={styles.note ?? ''}>
            {Number(tie.left) === 0 && Number(tie.right) === 0
              ? 'Both amounts are zero.'
              : 'Each amount comes directly from its source.'}
          </Text>
        ) : (
          <PlainTable numeric className={styles.tieRows}>
            <colgroup>
              <col />
              <col className={styles.tieColumn} />
              <col className={styles.tieColumn} />
              <col className={styles.tieLast} />
            </colgroup>
            <thead>
              <tr>
                <th scope="col">Component</th>
                <th scope="col">{tie.left_label}</th>
                <th scope="col">{tie.right_label}</th>
                <th scope="col">Difference</th>
              </tr>
            </thead>
            <tbody>
              {tie.rows.map((row, index) => (
                // Labels can repeat, and rows never move.
                <tr key={`${index} ${row.label}`}>
                  <td>
                    {withDays(row.label)}
                    {row.note !== null && row.note !== undefined && <small>{row.note}</small>}
                  </td>
                  <td>{row.left === null ? '' : formatAmount(row.left)}</td>
                  <td>{row.right === null ? '' : formatAmount(row.right)}</td>
                  <td>{differenceOf(row)}</td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
        )}
      </details>
    </li>
  );
}

/** Returns a type with spaces: `Credit Memo`. */
const wordsOf = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');

/** Returns a label with its stored dates as people write them. */
const withDays = (label: string): string =>
  label.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => (isCalendarDate(day) ? dayText(day) : day));

/** Returns left minus right; empty if the sides agree or one is missing. */
function differenceOf({ left, right }: TieOut['rows'][number]): string {
  if (left === null || right === null) return '';
  const difference = minus(decimal(left), decimal(right));
  return isZero(difference) ? '' : formatAmount(difference);
}

/**
 * Section C: lists each difference with its cause and actions.
 *
 * @param left the difference whose review the user just left, or null
 * @param onSettle starts a test and opens its review
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
  const [deciding, setDeciding] = useState<{ exception: Exception; decision: 'accept' | 'carry' } | null>(null);
  const [decided, setDecided] = useState<LeftDifference | null>(null);
  // The buttons of a decided row disappear after the list refreshes.
  const isShown = close.exceptions.some(({ key, decision }) => key === decided?.key && decision !== null);
  const area = useNextDifference(isShown ? decided : left);
  const isReadOnly = useReadOnly();
  const maySettle = useSession()?.claims.roles.includes('clientadmin') === true && !isReadOnly;
  const columns: readonly Column<Exception>[] = [
    {
      key: 'document',
      head: 'Document',
      cell: (one) => (
        <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {[one.number, one.party].filter((part) => part !== null && part !== '').join(' · ')}
          <Text component="small" c="dimmed" size="xs">
            {[
              one.psa_id === null ? null : `${psa.label} ${one.psa_id}`,
              one.books === null ? null : `${wordsOf(one.books.type)} ${one.books.id}`,
            ]
              .filter((part) => part !== null)
              .join(', ')}
          </Text>
        </Stack>
      ),
      placeholderWidth: 160,
      narrow: 'title',
    },
    { key: 'class', head: 'Cause', cell: (one) => labelOf(one.class, psa.label), placeholderWidth: 140 },
    {
      key: 'amount',
      head: 'Amount',
      align: 'end',
      sort: 'amount',
      compare: (a, b) => Math.abs(Number(b.amount)) - Math.abs(Number(a.amount)),
      cell: (one) => (Number(one.amount) === 0 ? '–' : formatMoney(one.amount, one.currency)),
      placeholderWidth: 70,
      narrow: 'trail',
    },
    {
      key: 'since',
      head: 'Since',
      cell: (one) =>
        one.since === null ? (
          ''
        ) : (
          <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
            <RelativeTime at={one.since} />
            {one.by !== null && <Text component="small" c="dimmed" size="xs">{`by ${one.by}`}</Text>}
          </Stack>
        ),
      placeholderWidth: 80,
    },
    {
      key: 'action',
      head: 'Actions',
      cell: (one) => (
        <Group component="span" gap={12} align="stretch" data-difference={one.key} data-open={one.decision === null}>
          {one.decision === null ? (
            <>
              {settlements
                .filter((action) => maySettle && one.actions.includes(action))
                .map((action) => (
                  <Anchor
                    component="button"
                    key={action}
                    type="button"
                    size="sm"
                    fw={500}
                    disabled={isPlanning}
                    onClick={() => onSettle({ key: one.key, action })}
                  >
                    {settlementLabels[action]}
                  </Anchor>
                ))}
              {one.psa_id !== null && (
                <Anchor component={Link} to={`/logs?q=${one.psa_id}`} size="sm" fw={500}>
                  View logs
                </Anchor>
              )}
              <Anchor
                component="button"
                type="button"
                size="sm"
                fw={500}
                disabled={isReadOnly}
                onClick={() => setDeciding({ exception: one, decision: 'accept' })}
              >
                Accept
              </Anchor>
              <Anchor
                component="button"
                type="button"
                size="sm"
                fw={500}
                disabled={isReadOnly}
                onClick={() => setDeciding({ exception: one, decision: 'carry' })}
              >
                Carry
              </Anchor>
            </>
          ) : (
            <Stack component="span" gap={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
              {one.decision.decision === 'accept' ? 'Accepted' : 'Carried to next month'}
              <Text component="small" c="dimmed" size="xs">{`${one.decision.reason} (${one.decision.by})`}</Text>
            </Stack>
          )}
        </Group>
      ),
      placeholderWidth: 120,
    },
  ];
  return (
    <div ref={area}>
      <Panel title={`C  Exceptions${close.exceptions.length === 0 ? '' : `, ${close.exceptions.length}`}`} flush>
        {close.exceptions.length === 0 ? (
          <EmptyState icon="check">No exceptions. The documents of both systems agree.</EmptyState>
        ) : (
          <ListTable
            screen="exceptions"
            label="Exceptions"
            columns={columns}
            rows={close.exceptions}
            rowKey={({ key }) => key}
            name={({ number, party }) => `${number ?? ''} ${party}`}
          />
        )}
        <DecisionDialog
          month={month}
          deciding={deciding}
          onClose={() => setDeciding(null)}
          onDecided={(key) => setDecided({ key, isSettled: true })}
        />
      </Panel>
    </div>
  );
}

const settlementLabels = {
  post: 'Post',
  post_again: 'Post again',
  update_books: 'Update',
  bill_difference: 'Bill the difference',
  void: 'Void in QuickBooks',
  sync_payment: 'Sync payment',
} as const satisfies Record<Settlement, string>;

function DecisionDialog({
  month,
  deciding,
  onClose,
  onDecided,
}: {
  month: string;
  deciding: { exception: Exception; decision: 'accept' | 'carry' } | null;
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
  if (deciding === null) return null;
  const { exception, decision } = deciding;
  return (
    <Modal
      opened
      onClose={onClose}
      title={decision === 'accept' ? 'Accept difference' : 'Carry to next month'}
      size={460}
    >
      <DialogForm
        submitLabel={decision === 'accept' ? 'Accept' : 'Carry'}
        isBusy={decide.isPending}
        error={refusal?.message ?? null}
        onSubmit={() => {
          setRefusal(null);
          decide.mutate({ params: { month }, body: { key: exception.key, decision, reason } });
        }}
        onCancel={onClose}
      >
        <p>
          {`${exception.number ?? ''} ${exception.party}, ${formatMoney(exception.amount, exception.currency)}. The reason is recorded in the proof. Neither service is changed.`}
        </p>
        <Textarea
          data-autofocus
          label="Reason"
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

/** Lists unresolved differences carried over from earlier months; shows nothing if there are none. */
export function Carried({ close }: { close: CloseReply }) {
  const { psa } = useEnvironment();
  if (close.carried.length === 0) return null;
  return (
    <Panel title={`Carried from earlier months, ${close.carried.length}`} flush>
      <PlainTable>
        <thead>
          <tr>
            <th scope="col">Document</th>
            <th scope="col">Cause</th>
            <th scope="col">Amount</th>
            <th scope="col">Carried from</th>
          </tr>
        </thead>
        <tbody>
          {close.carried.map((one) => (
            <tr key={`${one.month} ${one.key}`}>
              <td>{[one.number, one.party].filter((part) => part !== null && part !== '').join(' · ')}</td>
              <td>{labelOf(one.class, psa.label)}</td>
              <td>{Number(one.amount) === 0 ? '–' : formatMoney(one.amount, one.currency)}</td>
              <td>
                <Link to={`/month-end/${one.month}`}>{formatMonth(one.month)}</Link>
                {one.decision !== null && (
                  <Text component="small" c="dimmed" size="xs" ml="xs">
                    {`${one.decision.reason} (${one.decision.by})`}
                  </Text>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Panel>
  );
}

/** Section D: lists changes since sign-off. */
export function Changes({ close }: { close: CloseReply }) {
  const { psa } = useEnvironment();
  return (
    <Panel title={`D  Changes since sign-off${close.changes.length === 0 ? '' : `, ${close.changes.length}`}`} flush>
      {close.changes.length === 0 ? (
        <Text component="p" c="dimmed" size="sm" px="md" py={12} className={styles.note ?? ''}>
          {close.signatures.length < 2
            ? 'This month is not signed yet. Changes after sign-off will appear here.'
            : 'No changes since sign-off.'}
        </Text>
      ) : (
        <PlainTable numeric>
          <thead>
            <tr>
              <th scope="col">Document</th>
              <th scope="col">{`${psa.label}, before and now`}</th>
              <th scope="col">QuickBooks, before and now</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {close.changes.map((change) => (
              <tr key={change.key}>
                <td>{change.label}</td>
                <td>{changeText(change.before?.psa, change.after?.psa)}</td>
                <td>{changeText(change.before?.books, change.after?.books)}</td>
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
        </PlainTable>
      )}
    </Panel>
  );
}

const changeText = (before: string | undefined, after: string | undefined): string => {
  const [was, is] = [before, after].map((amount) => (amount === undefined ? '–' : formatAmount(amount)));
  return was === is ? (is ?? '') : `${was} → ${is}`;
};
