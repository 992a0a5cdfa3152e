import { PlainTable } from '../../components/plain-table.tsx';
import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import type { DocumentViewReply } from '#contract/planned.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount, formatDate, formatMoney, formatQuantity, countOf } from '../../data/format.ts';
import { Rows } from '../../components/page.tsx';
import { ComparedDocument } from './compared-document.tsx';
import styles from './document-preview.module.css';
import { formLabels } from './form-labels.ts';
import { Note } from '../../components/note.tsx';

/** Maximum number of lines on a card. */
const maxCardLines = 6;

interface DocumentPreviewProps {
  document: DocumentViewReply;
  currency: string | null;
  isCard?: boolean;
}

/**
 * A document in readable form, with names instead of ids. If the PSA’s document is known, both are compared.
 *
 * @param isCard shows a small card with a few lines and the total.
 */
export function DocumentPreview({ document, currency, isCard = false }: DocumentPreviewProps) {
  const accounting = useEnvironment().accounting.short_label;
  if (!isCard && document.source !== null) return <ComparedDocument document={document} currency={currency} />;
  const { title, to } = formLabels[document.form];
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const facts = [
    ['Date', document.date === null ? null : formatDate(document.date)],
    ['Terms', document.terms],
    ['Due', document.due === null ? null : formatDate(document.due)],
  ] as const;
  return (
    <Paper
      component="article"
      withBorder
      radius={isCard ? 'sm' : 'md'}
      w="100%"
      p={isCard ? 12 : 'lg'}
      aria-label={isCard ? `${title} ${document.number ?? ''}, not sent` : title}
    >
      <Stack gap={isCard ? 12 : 'md'}>
        <Group component="header" gap="8px 16px" align="flex-start" justify="space-between">
          <div>
            <Note>{to}</Note>
            <Text fw={600} size={isCard ? 'md' : 'lg'} lineClamp={isCard ? 3 : 9} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{document.party}</bdi>
            </Text>
          </div>
          <Box ta={isCard ? 'start' : 'end'}>
            <Text fw={600} size={isCard ? 'md' : 'lg'}>
              {title}
            </Text>
            <Note>{document.number === null ? `Numbered by ${accounting}` : `No. ${document.number}`}</Note>
          </Box>
        </Group>
        <Group component="dl" gap="8px 32px">
          {facts.map(([name, value]) =>
            value === null ? null : (
              <div key={name}>
                <Text component="dt" c="dimmed" size="xs">
                  {name}
                </Text>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </Group>
        {document.lines.length > 0 &&
          (isCard ? (
            <FewLines lines={document.lines} />
          ) : (
            <div className={styles.frame}>
              <AllLines lines={document.lines} />
            </div>
          ))}
        <Stack component="dl" gap={4} ml="auto" w={isCard ? '100%' : undefined} miw={isCard ? 0 : 240}>
          {isSale && (
            <>
              <Total label="Subtotal">{formatAmount(document.subtotal)}</Total>
              <Total label={document.tax_known ? 'Tax' : `Tax as billed; ${accounting} decides`}>
                {formatAmount(document.tax)}
              </Total>
            </>
          )}
          <Total label="Total" isLast>
            {formatMoney(document.total, document.currency ?? currency)}
          </Total>
        </Stack>
      </Stack>
    </Paper>
  );
}

const Total = ({ label, isLast = false, children }: { label: string; isLast?: boolean; children: string | null }) => (
  <Group
    justify="space-between"
    align="baseline"
    wrap="nowrap"
    fw={isLast ? 600 : 400}
    className={isLast ? (styles.total ?? '') : ''}
  >
    <Text component="dt" inherit size="xs" {...(!isLast && { c: 'dimmed' })}>
      {label}
    </Text>
    <dd>{children}</dd>
  </Group>
);

type Lines = DocumentViewReply['lines'];

function AllLines({ lines }: { lines: Lines }) {
  return (
    <PlainTable
      label="Lines"
      className={styles.lines}
      heads={['Item and description', 'Account', 'Tax', { end: 'Quantity' }, { end: 'Price' }, { end: 'Amount' }]}
    >
      <tbody>
        {lines.map((line, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no id and keep their order
          <tr key={place}>
            <td>
              {line.item !== null && (
                <Box fw={500}>
                  <bdi>{line.item}</bdi>
                </Box>
              )}
              <Text c="soft" size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
                <bdi>{line.description}</bdi>
              </Text>
              {line.customer !== null && (
                <Text component="div" c="dimmed" size="xs">
                  For {line.customer}
                </Text>
              )}
            </td>
            <td>
              {line.account}
              {line.class !== null && (
                <Text component="div" c="dimmed" size="xs">
                  {line.class}
                </Text>
              )}
            </td>
            <td>{line.tax}</td>
            <td data-end>{line.quantity === null ? '' : formatQuantity(line.quantity)}</td>
            <td data-end>{line.unit_price === null ? '' : formatAmount(line.unit_price)}</td>
            <td data-end>{formatAmount(line.amount)}</td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}

function FewLines({ lines }: { lines: Lines }) {
  const rest = lines.length - maxCardLines;
  return (
    <Rows aria-label="Lines">
      {lines.slice(0, maxCardLines).map((line, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no id and keep their order
        <Group component="li" key={place} justify="space-between" align="flex-start" wrap="nowrap" gap={12} py={6}>
          <Text span lineClamp={3} inherit>
            <bdi>{lineText(line.item, line.description)}</bdi>
            {line.quantity !== null && line.unit_price !== null && line.quantity !== '1' && (
              <Note>
                {' '}
                {formatQuantity(line.quantity)} × {formatAmount(line.unit_price)}
              </Note>
            )}
          </Text>
          <Box component="span" style={{ whiteSpace: 'nowrap' }}>
            {formatAmount(line.amount)}
          </Box>
        </Group>
      ))}
      {rest > 0 && (
        <Box component="li" py={6}>
          <Note>and {countOf(rest, 'more line', 'more lines')}</Note>
        </Box>
      )}
    </Rows>
  );
}

const lineText = (item: string | null, description: string): string =>
  description === '' ? (item ?? 'No description') : description;
