import type { DocumentViewReply } from '#contract/planned.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setAmount, setCalendarDay, setMoney, setQuantity } from '../../lib/format.ts';
import { ComparedDocument } from './compared-document.tsx';
import styles from './document-preview.module.css';
import { formWords, previewWords } from './words.ts';

const { heads } = previewWords;

/** Lines of a card before the rest is counted: three stand side by side. */
const mostLinesOfCard = 6;

/**
 * A document as a person would print it: its head, its lines, its total; names, never ids. Where the PSA's document is
 * known, it stands beside it.
 *
 * @param isCard small enough for three side by side, of a document that was not sent: what is bought and what it comes to.
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
  const books = useEnvironment().accounting.short_label;
  // On a card nothing stands beside it.
  if (!isCard && document.source !== null) return <ComparedDocument document={document} currency={currency} />;
  const { title, to } = formWords[document.form];
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const facts = [
    [previewWords.date, document.date === null ? null : setCalendarDay(document.date)],
    [previewWords.terms, document.terms],
    [previewWords.due, document.due === null ? null : setCalendarDay(document.due)],
  ] as const;
  return (
    <article
      className={styles.paper}
      data-card={isCard || undefined}
      aria-label={isCard ? previewWords.notSent(title, document.number) : title}
    >
      <header className={styles.head}>
        <div>
          <div className={styles.label}>{to}</div>
          <div className={styles.party}>
            <bdi>{document.party}</bdi>
          </div>
        </div>
        <div className={styles.what}>
          <div className={styles.title}>{title}</div>
          <div className={styles.label}>
            {document.number === null ? previewWords.numberedBy(books) : previewWords.number(document.number)}
          </div>
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
              <dt>{previewWords.subtotal}</dt>
              <dd>{setAmount(document.subtotal)}</dd>
            </div>
            <div>
              <dt>{document.tax_known ? previewWords.tax : previewWords.taxAsBilled(books)}</dt>
              <dd>{setAmount(document.tax)}</dd>
            </div>
          </>
        )}
        <div className={styles.total}>
          <dt>{previewWords.total}</dt>
          <dd>{setMoney(document.total, document.currency ?? currency)}</dd>
        </div>
      </dl>
    </article>
  );
}

type Lines = DocumentViewReply['lines'];

function AllLines({ lines }: { lines: Lines }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={previewWords.lines}>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{heads.item}</th>
            <th scope="col">{heads.account}</th>
            <th scope="col">{heads.tax}</th>
            <th scope="col" data-end>
              {heads.quantity}
            </th>
            <th scope="col" data-end>
              {heads.price}
            </th>
            <th scope="col" data-end>
              {heads.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, place) => (
            // Lines have no name of their own; they never change places.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={place}>
              <td>
                {line.item !== null && (
                  <div className={styles.item}>
                    <bdi>{line.item}</bdi>
                  </div>
                )}
                <div className={styles.description}>
                  <bdi>{line.description}</bdi>
                </div>
                {line.customer !== null && <div className={styles.label}>{previewWords.for(line.customer)}</div>}
              </td>
              <td>
                {line.account}
                {line.class !== null && <div className={styles.label}>{line.class}</div>}
              </td>
              <td>{line.tax}</td>
              <td data-end>{line.quantity === null ? '' : setQuantity(line.quantity)}</td>
              <td data-end>{line.unit_price === null ? '' : setAmount(line.unit_price)}</td>
              <td data-end>{setAmount(line.amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FewLines({ lines }: { lines: Lines }) {
  const rest = lines.length - mostLinesOfCard;
  return (
    <ol className={styles.few} aria-label={previewWords.lines}>
      {lines.slice(0, mostLinesOfCard).map((line, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- as in the table
        <li key={place}>
          <span className={styles.clamped}>
            <bdi>{presentable(line.item, line.description)}</bdi>
            {line.quantity !== null && line.unit_price !== null && line.quantity !== '1' && (
              <span className={styles.label}>
                {' '}
                {setQuantity(line.quantity)} × {setAmount(line.unit_price)}
              </span>
            )}
          </span>
          <span>{setAmount(line.amount)}</span>
        </li>
      ))}
      {rest > 0 && <li className={styles.label}>{previewWords.more(rest)}</li>}
    </ol>
  );
}

const presentable = (item: string | null, description: string): string =>
  description === '' ? (item ?? previewWords.noDescription) : description;
