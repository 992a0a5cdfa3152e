import { Accordion, Group, Stack, Text } from '@mantine/core';
import type { CloseReply } from '#contract/closes.ts';
import { dayText, isCalendarDate } from '#core/values/dates.ts';
import { decimal, isZero, minus } from '#core/values/decimal.ts';
import { formatAmount, formatMoney } from '../../data/format.ts';
import { Icon } from '../../components/icons.tsx';
import { Panel } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { Note } from '../../components/note.tsx';

type TieOut = CloseReply['tie_outs'][number];

/** Section B: compares subledgers with the ledger, from QuickBooks reports. */
export function TieOuts({ close }: { close: CloseReply }) {
  const home = close.totals[0]?.currency ?? null;
  return (
    <Panel title="B  Subledgers and ledger" flush>
      <Accordion multiple order={3} keepMounted={false} transitionDuration={0}>
        {close.tie_outs.map((tie) => (
          <Accordion.Item key={tie.name} value={tie.name}>
            <Head tie={tie} currency={home} />
            <Accordion.Panel>
              <Components tie={tie} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Panel>
  );
}

/** Both sides of a comparison, and their difference. */
function Head({ tie, currency }: { tie: TieOut; currency: string | null }) {
  const color = !tie.must_be_zero ? 'soft' : tie.holds ? 'ok' : 'red';
  return (
    <Accordion.Control
      icon={
        <Text span inherit c={color} lh={0}>
          <Icon name={!tie.must_be_zero ? 'info' : tie.holds ? 'check' : 'warning'} size={16} />
        </Text>
      }
    >
      <Group component="span" gap="2px 24px" fz="sm">
        <Text span inherit fw={600} flex="1 1 180px">
          {tie.label}
        </Text>
        <Side label={tie.left_label}>{formatMoney(tie.left, currency)}</Side>
        <Side label={tie.right_label}>{formatMoney(tie.right, currency)}</Side>
        <Side label={tie.must_be_zero ? 'must be 0.00' : 'for information'} basis={110}>
          <Text span inherit c={color} fw={color === 'red' ? 600 : 400}>
            {formatAmount(tie.difference)}
          </Text>
        </Side>
      </Group>
    </Accordion.Control>
  );
}

const Side = ({ label, basis = 250, children }: { label: string; basis?: number; children: React.ReactNode }) => (
  <Stack component="span" gap={0} flex={`0 1 ${basis}px`} ta="end">
    <Note>{label}</Note>
    {children}
  </Stack>
);

/** The amounts that make up both sides. */
function Components({ tie }: { tie: TieOut }) {
  if (tie.rows.length === 0)
    return (
      <Text c="dimmed" size="sm">
        {Number(tie.left) === 0 && Number(tie.right) === 0
          ? 'Both amounts are zero.'
          : 'Each amount comes directly from its source.'}
      </Text>
    );
  return (
    <PlainTable numeric heads={['Component', tie.left_label, tie.right_label, 'Difference']}>
      <tbody>
        {tie.rows.map((row, index) => (
          // Labels can repeat, and rows never move.
          <tr key={`${index} ${row.label}`}>
            <td>
              <TwoLines note={row.note}>{withDays(row.label)}</TwoLines>
            </td>
            <td>{row.left === null ? '' : formatAmount(row.left)}</td>
            <td>{row.right === null ? '' : formatAmount(row.right)}</td>
            <td>{differenceOf(row)}</td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

/** Returns a label with its stored dates as people write them. */
const withDays = (label: string): string =>
  label.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => (isCalendarDate(day) ? dayText(day) : day));

/** Returns left minus right; empty if the sides agree or one is missing. */
function differenceOf({ left, right }: TieOut['rows'][number]): string {
  if (left === null || right === null) return '';
  const difference = minus(decimal(left), decimal(right));
  return isZero(difference) ? '' : formatAmount(difference);
}
