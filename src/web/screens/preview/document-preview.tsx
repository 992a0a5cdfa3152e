import { PlainTable } from '../../components/plain-table.tsx';
import { Box, Text } from '@mantine/core';
import type { DocumentViewReply } from '#contract/planned.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount, formatDate, formatMoney, formatQuantity, countOf } from '../../data/format.ts';
import { ComparedDocument } from './compared-document.tsx';
import styles from './document-preview.module.css';
import { formLabels } from './form-labels.ts';
import { Note } from '../../components/note.tsx';

/** Maximum number of lines on a card. */
const maxCardLines = 6;

/**
 * A document in readable form, with names instead of ids. If the PSA’s document is known, both are compared.
 *
 * @param isCard shows a small card with a few lines and the total.
 */
export function DocumentPreview({
  document,
  currency,
  isCard = false,
}: {
  document: DocumentViewReply;
  currency: string | null;
  isCard?: boolean;
}) {
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
    <article
      className={styles.paper}
      data-card={isCard || undefined}
      aria-label={isCard ? `${title} ${document.number ?? ''}, not sent` : title}
    >
      <header className={styles.head}>
        <div>
          <Text component="div" c="dimmed" size="xs">
            {to}
          </Text>
          <div className={styles.party}>
            <bdi>{document.party}</bdi>
          </div>
        </div>
        <div className={styles.what}>
          <div className={styles.title}>{title}</div>
          <Text component="div" c="dimmed" size="xs">
            {document.number === null ? `Numbered by ${accounting}` : `No. ${document.number}`}
          </Text>
        </div>
      </header>
      <dl className={styles.facts}>
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {document.lines.length > 0 &&
        (isCard ? <FewLines lines={document.lines} /> : <AllLines lines={document.lines} />)}
      <dl className={styles.totals}>
        {isSale && (
          <>
            <div>
              <dt>Subtotal</dt>
              <dd>{formatAmount(document.subtotal)}</dd>
            </div>
            <div>
              <dt>{document.tax_known ? 'Tax' : `Tax as billed; ${accounting} decides`}</dt>
              <dd>{formatAmount(document.tax)}</dd>
            </div>
          </>
        )}
        <div className={styles.total}>
          <dt>Total</dt>
          <dd>{formatMoney(document.total, document.currency ?? currency)}</dd>
        </div>
      </dl>
    </article>
  );
}

type Lines = DocumentViewReply['lines'];

function AllLines({ lines }: { lines: Lines }) {
  return (
    <PlainTable label="Lines" className={styles.lines}>
      <thead>
        <tr>
          <th scope="col">Item and description</th>
          <th scope="col">Account</th>
          <th scope="col">Tax</th>
          <th scope="col" data-end>
            Quantity
          </th>
          <th scope="col" data-end>
            Price
          </th>
          <th scope="col" data-end>
            Amount
          </th>
        </tr>
      </thead>
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
              <div className={styles.description}>
                <bdi>{line.description}</bdi>
              </div>
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
    <ol className={styles.few} aria-label="Lines">
      {lines.slice(0, maxCardLines).map((line, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no id and keep their order
        <li key={place}>
          <Text span lineClamp={3} inherit style={{ overflowWrap: 'anywhere' }}>
            <bdi>{lineText(line.item, line.description)}</bdi>
            {line.quantity !== null && line.unit_price !== null && line.quantity !== '1' && (
              <Note>
                {' '}
                {formatQuantity(line.quantity)} × {formatAmount(line.unit_price)}
              </Note>
            )}
          </Text>
          <span>{formatAmount(line.amount)}</span>
        </li>
      ))}
      {rest > 0 && (
        <Text component="li" c="dimmed" size="xs">
          and {countOf(rest, 'more line', 'more lines')}
        </Text>
      )}
    </ol>
  );
}

const lineText = (item: string | null, description: string): string =>
  description === '' ? (item ?? 'No description') : description;
