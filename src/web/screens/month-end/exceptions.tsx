import { Anchor, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { CloseReply } from '#contract/closes.ts';
import { settlements } from '#core/reconciliation/exception-actions.ts';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatMoney } from '../../data/format.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Panel } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { actionText } from './action-texts.ts';
import { SelectedDifferences, SmallDifferences } from './decide-many.tsx';
import { type Deciding, DecisionDialog } from './decision-dialog.tsx';
import { DocumentName, labelOf } from './parts.tsx';
import { type LeftDifference, useNextDifference } from './use-next-difference.ts';
import type { Settling } from './use-settling.ts';

type Exception = CloseReply['exceptions'][number];

interface ExceptionsProps {
  close: CloseReply;
  month: string;
  isPlanning: boolean;
  left: LeftDifference | null;
  onSettle: (settling: Settling) => void;
}

/**
 * Section C: lists each difference with its cause and actions.
 *
 * @param left the difference whose review the user just left, or null
 * @param onSettle starts a test and opens its review
 */
export function Exceptions({ close, month, isPlanning, left, onSettle }: ExceptionsProps) {
  const { psa } = useEnvironment();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const [decided, setDecided] = useState<LeftDifference | null>(null);
  // The buttons of a decided row disappear after the list refreshes.
  const isShown = close.exceptions.some(({ key, decision }) => key === decided?.key && decision !== null);
  const area = useNextDifference(isShown ? decided : left);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const undecided = close.exceptions.filter(({ decision }) => decision === null);
  const selected = undecided.filter(({ key }) => chosen.has(key));
  const isReadOnly = useReadOnly();
  const maySettle = useSession()?.claims.roles.includes('clientadmin') === true && !isReadOnly;
  const columns = columnsFor(psa.label, (one) => (
    <Actions
      exception={one}
      actions={maySettle ? one.actions : []}
      isPlanning={isPlanning}
      isReadOnly={isReadOnly}
      onSettle={onSettle}
      onDecide={(decision) => setDeciding({ exceptions: [one], decision })}
    />
  ));
  return (
    <div ref={area}>
      <Panel title={`C  Exceptions${close.exceptions.length === 0 ? '' : `, ${close.exceptions.length}`}`} flush>
        {close.exceptions.length === 0 ? (
          <EmptyState icon="check">No exceptions. The documents of both systems agree.</EmptyState>
        ) : (
          <>
            <SmallDifferences undecided={undecided} isReadOnly={isReadOnly} onDecide={setDeciding} />
            <ListTable
              screen="exceptions"
              label="Exceptions"
              columns={columns}
              rows={close.exceptions}
              rowKey={({ key }) => key}
              name={({ number, party }) => `${number ?? ''} ${party}`}
              {...(undecided.length > 0 && { chosen, onChoose: setChosen })}
              foot={
                undecided.length > 0 && (
                  <SelectedDifferences undecided={selected} isReadOnly={isReadOnly} onDecide={setDeciding} />
                )
              }
            />
          </>
        )}
        {deciding !== null && (
          <DecisionDialog
            month={month}
            deciding={deciding}
            onClose={() => setDeciding(null)}
            onDecided={(keys) => {
              setChosen(new Set());
              setDecided({ key: keys.at(-1) ?? '', isSettled: true });
            }}
          />
        )}
      </Panel>
    </div>
  );
}

const columnsFor = (psa: string, actionsOf: (one: Exception) => ReactNode): readonly Column<Exception>[] => [
  {
    key: 'document',
    head: 'Document',
    cell: (one) => (
      <TwoLines
        note={[
          one.psa_id === null ? null : `${psa} ${one.psa_id}`,
          one.accounting === null ? null : `${wordsOf(one.accounting.type)} ${one.accounting.id}`,
        ]
          .filter((part) => part !== null)
          .join(', ')}
      >
        {one.psa_id === null ? (
          <DocumentName {...one} />
        ) : (
          <DocumentLink type={one.kind} entityid={one.psa_id}>
            <DocumentName {...one} />
          </DocumentLink>
        )}
      </TwoLines>
    ),
    narrow: 'title',
  },
  { key: 'class', head: 'Cause', cell: (one) => labelOf(one.class, psa) },
  {
    key: 'amount',
    head: 'Amount',
    align: 'end',
    sort: 'amount',
    compare: (a, b) => Math.abs(Number(b.amount)) - Math.abs(Number(a.amount)),
    cell: (one) => (Number(one.amount) === 0 ? '–' : formatMoney(one.amount, one.currency)),
    narrow: 'trail',
  },
  {
    key: 'since',
    head: 'Since',
    cell: (one) =>
      one.since !== null && (
        <TwoLines note={one.by === null ? null : `by ${one.by}`}>
          <RelativeTime at={one.since} />
        </TwoLines>
      ),
  },
  { key: 'action', head: 'Actions', cell: actionsOf },
];

interface ActionsProps {
  exception: Exception;
  /** Those that the user may start. */
  actions: readonly string[];
  isPlanning: boolean;
  isReadOnly: boolean;
  onSettle: (settling: Settling) => void;
  onDecide: (decision: Deciding['decision']) => void;
}

/** How to settle a difference, or the decision about it. */
function Actions({ exception: one, actions, isPlanning, isReadOnly, onSettle, onDecide }: ActionsProps) {
  const { psa } = useEnvironment();
  return (
    <Group component="span" gap={12} align="stretch" data-difference={one.key} data-open={one.decision === null}>
      {one.decision === null ? (
        <>
          {settlements
            .filter((action) => actions.includes(action))
            .map((action) => (
              <Action key={action} disabled={isPlanning} onClick={() => onSettle({ key: one.key, action })}>
                {actionText(action, one, psa.label)}
              </Action>
            ))}
          {one.psa_id !== null && (
            <Anchor component={Link} to={`/logs?q=${one.psa_id}`} size="sm" fw={500}>
              View logs
            </Anchor>
          )}
          <Action disabled={isReadOnly} onClick={() => onDecide('accept')}>
            Accept
          </Action>
          <Action disabled={isReadOnly} onClick={() => onDecide('carry')}>
            Carry
          </Action>
        </>
      ) : (
        <TwoLines note={`${one.decision.reason} (${one.decision.by})`}>
          {one.decision.decision === 'accept' ? 'Accepted' : 'Carried to next month'}
        </TwoLines>
      )}
    </Group>
  );
}

const Action = (props: { disabled: boolean; onClick: () => void; children: string }) => (
  <Anchor component="button" type="button" size="sm" fw={500} {...props} />
);

/** Returns a type with spaces: `Credit Memo`. */
const wordsOf = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
