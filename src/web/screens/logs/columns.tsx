import { Box, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import type { LogHeadReply } from '#contract/logs.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { documentStates, KindBadge, ModeBadge, StateIcon } from '../../components/badge.tsx';
import { Icon } from '../../components/icons.tsx';
import type { Column } from '../../components/table.tsx';
import { DateTime } from '../../components/time.tsx';
import { formatDate, formatMoney, zoneName } from '../../data/format.ts';

const kindColumn: Column<LogHeadReply> = {
  key: 'type',
  head: 'Type',
  sort: 'type',
  cell: ({ type }) => <KindBadge kind={type} />,
  width: '120px',
  narrow: 'lead',
  from: 900,
};

const resultColumns: readonly Column<LogHeadReply>[] = [
  {
    key: 'document',
    head: 'Document',
    cell: (log) => <LoggedDocument log={log} />,
    hasTwoLines: true,
    width: '17%',
    narrow: 'line',
  },
  {
    key: 'message',
    head: 'Message',
    cell: (log) => <Message log={log} />,
    from: 900,
  },
  {
    key: 'amount',
    head: 'Amount',
    cell: ({ amount, currency }) =>
      amount !== null && (
        <Box component="span" style={{ whiteSpace: 'nowrap' }}>
          {formatMoney(amount, currency)}
        </Box>
      ),
    align: 'end',
    width: '100px',
    narrow: 'trail',
  },
  {
    key: 'test',
    head: 'Test/Live',
    sort: 'test',
    cell: ({ test }) => <ModeBadge mode={test ? 'test' : 'live'} />,
    width: '82px',
    narrow: 'trail',
  },
  {
    key: 'manual',
    head: 'Manually Synced',
    sort: 'manual',
    cell: ({ manual }) => (manual ? 'yes' : ''),
    width: '84px',
    narrow: 'hide',
    from: 1440,
  },
  {
    key: 'success',
    head: 'Success',
    sort: 'success',
    cell: (log) => <Result log={log} />,
    align: 'center',
    width: '82px',
    narrow: 'trail',
  },
];

/** Returns the columns of the log; `psa` is the label of the PSA. */
export const columnsFor = (
  psa: string,
  timeZone: string,
  open: (key: string) => void,
): readonly Column<LogHeadReply>[] => [
  kindColumn,
  {
    key: 'entityid',
    head: `${psa} ID`,
    sort: 'entityid',
    cell: ({ type, entityid }) => (
      <DocumentLink type={type} entityid={entityid}>
        {entityid}
      </DocumentLink>
    ),
    align: 'end',
    width: '80px',
    narrow: 'lead',
  },
  ...resultColumns,
  {
    key: 'at',
    head: `Date and Time (${zoneName(timeZone)})`,
    sort: 'LastModified',
    cell: ({ LastModified }) => <DateTime at={LastModified} />,
    width: '112px',
  },
  {
    key: 'details',
    head: '',
    cell: ({ Key }) => (
      <Button variant="subtle" size="compact-sm" tabIndex={-1} onClick={() => open(Key)}>
        Details
      </Button>
    ),
    align: 'end',
    width: '72px',
    narrow: 'hide',
    from: 1440,
  },
];

function LoggedDocument({ log: { party, number, date, what, type } }: { log: LogHeadReply }) {
  const isCreditMemo = what === 'Credit memo' && type !== 'payment';
  return (
    <Box component="span" display="block" miw={0}>
      <Text component="bdi" inherit display="block" fw={500} truncate title={party ?? undefined}>
        {party ?? number}
      </Text>
      <Group component="span" gap="sm" wrap="nowrap" c="dimmed" title={number ?? undefined}>
        {((party !== null && number !== null) || isCreditMemo) && (
          <Text span inherit truncate>
            {party !== null && <bdi>{number}</bdi>}
            {isCreditMemo && ' credit memo'}
          </Text>
        )}
        {date !== null && <span style={{ whiteSpace: 'nowrap' }}>{formatDate(date)}</span>}
      </Group>
    </Box>
  );
}

function Message({ log: { message, success, on_hold: isOnHold } }: { log: LogHeadReply }) {
  const color = success ? 'soft' : isOnHold ? 'held' : 'red';
  return (
    <Text span inherit lineClamp={2} c={color} style={{ overflowWrap: 'anywhere' }} title={message}>
      {message}
    </Text>
  );
}

function Result({ log }: { log: LogHeadReply }) {
  const { success } = log;
  const waits = log.awaits_approval ? 'awaits_approval' : log.on_hold ? 'held' : null;
  if (waits !== null)
    return (
      <span title={documentStates[waits]}>
        <StateIcon state={waits} />
        <VisuallyHidden>{documentStates[waits]}</VisuallyHidden>
      </span>
    );
  return (
    <Text span inherit c={success ? 'ok' : 'red'}>
      <Icon name={success ? 'check' : 'cross'} />
      <VisuallyHidden>{success ? 'yes' : 'no'}</VisuallyHidden>
    </Text>
  );
}
