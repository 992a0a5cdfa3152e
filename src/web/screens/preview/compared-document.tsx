import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount, formatMoney, formatQuantity } from '../../data/format.ts';
import { PlainTable } from '../../components/plain-table.tsx';
import { compareAmounts, compareFacts, compareLines, type ComparedLine } from './compare.ts';
import styles from './compared-document.module.css';
import { formLabels } from './form-labels.ts';
import { Note } from '../../components/note.tsx';

/**
 * A document beside the PSA’s document. Differences are marked with a reason.
 *
 * @param posted the document as it was posted; absent for a plan
 */
export function ComparedDocument({
  document,
  currency,
  posted = null,
}: {
  document: DocumentViewReply;
  currency: string | null;
  posted?: DocumentViewReply | null;
}) {
  const { psa, accounting } = useEnvironment();
  const accountingName = accounting.short_label;
  const { title } = formLabels[document.form];
  const money = document.currency ?? currency;
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const amounts = document.source;
  const differs = compareAmounts(document, accountingName, posted, psa.label);
  return (
    <Paper component="article" withBorder radius="md" p="lg" aria-label={title}>
      <Stack gap="md">
        <Group component="header" gap="md" align="baseline" justify="space-between">
          <Text fw={600} size="lg">
            {title}
          </Text>
          {document.number !== null && <Note>No. {document.number}</Note>}
        </Group>
        {document.form === 'credit_memo' && (
          <Text c="dimmed" size="xs">
            A negative invoice in {psa.label} becomes a positive credit memo in {accountingName}.
          </Text>
        )}
        <PlainTable className={styles.compared} heads={['', psa.label, accountingName]}>
          <tbody>
            {compareFacts(document, accountingName, posted).map(
              ({ label, psa: psaValue, accounting: accountingValue, why }) => (
                <Row key={label} label={label} why={why} names={[psa.label, accountingName]}>
                  {psaValue}
                  {accountingValue}
                </Row>
              ),
            )}
            {compareLines(document, psa.label, accountingName, posted).map((line, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines have no id and keep their order
              <LineRow key={place} label={`Line ${place + 1}`} line={line} names={[psa.label, accountingName]} />
            ))}
          </tbody>
          <tfoot>
            {isSale && (
              <Row label="Tax" why={differs.tax} names={[psa.label, accountingName]} isNumber>
                {amounts && formatAmount(amounts.tax)}
                {document.tax_known ? formatAmount(document.tax) : `${formatAmount(document.tax)} as billed`}
              </Row>
            )}
            <Row label="Total" why={differs.total} names={[psa.label, accountingName]} isNumber>
              {amounts && formatMoney(amounts.total, money)}
              {formatMoney(document.total, money)}
            </Row>
          </tfoot>
        </PlainTable>
      </Stack>
    </Paper>
  );
}

/** One value in both services. @param children the PSA’s value and the accounting service’s value */
function Row({
  label,
  why,
  names: [psa, accounting],
  isNumber = false,
  children: [psaValue, accountingValue],
}: {
  label: string;
  why: string | null;
  names: readonly [string, string];
  isNumber?: boolean;
  children: readonly [React.ReactNode, React.ReactNode];
}) {
  return (
    <tr data-differs={why !== null} data-number={isNumber}>
      <th scope="row">{label}</th>
      <td data-from={psa}>{psaValue === null ? <Note>—</Note> : <bdi>{psaValue}</bdi>}</td>
      <td data-from={accounting}>
        {why === null ? (
          <bdi>{accountingValue}</bdi>
        ) : (
          <mark className={styles.mark}>{accountingValue === null ? 'none' : <bdi>{accountingValue}</bdi>}</mark>
        )}
        {why !== null && <Why>{why}</Why>}
      </td>
    </tr>
  );
}

interface LineRowProps {
  label: string;
  line: ComparedLine;
  names: readonly [string, string];
}

/** Why the values differ. */
const Why = ({ children }: { children: string | null }) => (
  <Text span display="block" mt={2} c="held" size="xs">
    {children}
  </Text>
);

function LineRow({ label, line: { psa: psaLine, accounting: line, why }, names: [psa, accounting] }: LineRowProps) {
  const figures = line && <Figures line={line} />;
  return (
    <tr data-differs={why !== null}>
      <th scope="row">{label}</th>
      <td data-from={psa}>
        {psaLine === null ? (
          <Note>—</Note>
        ) : (
          <>
            <Box c="soft" style={{ whiteSpace: 'pre-line' }}>
              <bdi>{psaLine.description}</bdi>
            </Box>
            <Figures line={psaLine} />
          </>
        )}
      </td>
      <td data-from={accounting}>
        {line === null ? (
          <mark className={styles.mark}>none</mark>
        ) : (
          <>
            {line.item !== null && <Box fw={500}>{line.item}</Box>}
            <Box c="soft" style={{ whiteSpace: 'pre-line' }}>
              <bdi>{line.description}</bdi>
            </Box>
            <Text component="div" c="dimmed" size="xs">
              {[line.account, line.class, line.tax, line.customer === null ? null : `For ${line.customer}`]
                .filter((part) => part !== null && part !== '')
                .join(' · ')}
            </Text>
            {why === null ? figures : <mark className={styles.mark}>{figures}</mark>}
          </>
        )}
        {why !== null && <Why>{why}</Why>}
      </td>
    </tr>
  );
}

function Figures({ line }: { line: Pick<SourceReply['lines'][number], 'quantity' | 'unit_price' | 'amount'> }) {
  const { quantity, unit_price: price, amount } = line;
  return (
    <Group component="span" justify="space-between" gap="0 16px">
      <span>{quantity !== null && price !== null && `${formatQuantity(quantity)} × ${formatAmount(price)}`}</span>
      <span>{formatAmount(amount)}</span>
    </Group>
  );
}
