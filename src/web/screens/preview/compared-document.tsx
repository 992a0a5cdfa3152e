import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setAmount, setMoney, setQuantity } from '../../lib/format.ts';
import { compareAmounts, compareFacts, compareLines, type ComparedLine } from './compare.ts';
import styles from './compared-document.module.css';
import { comparedWords, formWords, previewWords } from './words.ts';

/**
 * A planned document in names: what the PSA says beside what the books get, what differs marked, with a word why. On a
 * phone one stands under the other.
 */
export function ComparedDocument({ document, currency }: { document: DocumentViewReply; currency: string | null }) {
  const { psa, accounting } = useEnvironment();
  const books = accounting.short_label;
  const { title } = formWords[document.form];
  const money = document.currency ?? currency;
  const isSale = document.form === 'invoice' || document.form === 'credit_memo';
  const amounts = document.source;
  const differs = compareAmounts(document, books);
  return (
    <article className={styles.paper} aria-label={title}>
      <header className={styles.head}>
        <div className={styles.title}>{title}</div>
        {document.number !== null && <div className={styles.label}>{previewWords.number(document.number)}</div>}
      </header>
      {document.form === 'credit_memo' && <p className={styles.label}>{comparedWords.negative(psa.label, books)}</p>}
      <table className={styles.compared}>
        <thead>
          <tr>
            <td />
            <th scope="col">{psa.label}</th>
            <th scope="col">{books}</th>
          </tr>
        </thead>
        <tbody>
          {compareFacts(document, books).map(({ label, psa: said, books: own, why }) => (
            <Row key={label} label={label} why={why} names={[psa.label, books]}>
              {said}
              {own}
            </Row>
          ))}
          {compareLines(document, psa.label).map((line, place) => (
            // Lines have no name of their own; they never change places.
            // oxlint-disable-next-line react/no-array-index-key
            <LineRow key={place} label={comparedWords.line(place + 1)} line={line} names={[psa.label, books]} />
          ))}
        </tbody>
        <tfoot>
          {isSale && (
            <Row label={previewWords.tax} why={differs.tax} names={[psa.label, books]} isNumber>
              {amounts && setAmount(amounts.tax)}
              {document.tax_known ? setAmount(document.tax) : comparedWords.asBilled(setAmount(document.tax))}
            </Row>
          )}
          <Row label={previewWords.total} why={differs.total} names={[psa.label, books]} isNumber>
            {amounts && setMoney(amounts.total, money)}
            {setMoney(document.total, money)}
          </Row>
        </tfoot>
      </table>
    </article>
  );
}

/** One fact: what it is, what each service says, and why they differ. @param children what the PSA says, and the books */
function Row({
  label,
  why,
  names: [psa, books],
  isNumber = false,
  children: [said, own],
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
      <td data-from={psa}>{said === null ? <span className={styles.label}>—</span> : <bdi>{said}</bdi>}</td>
      <td data-from={books}>
        {why === null ? (
          <bdi>{own}</bdi>
        ) : (
          <mark className={styles.mark}>{own === null ? comparedWords.none : <bdi>{own}</bdi>}</mark>
        )}
        {why !== null && <span className={styles.why}>{why}</span>}
      </td>
    </tr>
  );
}

function LineRow({
  label,
  line: { psa: said, books: own, why },
  names: [psa, books],
}: {
  label: string;
  line: ComparedLine;
  names: readonly [string, string];
}) {
  const figures = own && <Figures line={own} />;
  return (
    <tr data-differs={why !== null}>
      <th scope="row">{label}</th>
      <td data-from={psa}>
        {said === null ? (
          <span className={styles.label}>—</span>
        ) : (
          <>
            <div className={styles.description}>
              <bdi>{said.description}</bdi>
            </div>
            <Figures line={said} />
          </>
        )}
      </td>
      <td data-from={books}>
        {own === null ? (
          <mark className={styles.mark}>{comparedWords.none}</mark>
        ) : (
          <>
            {own.item !== null && <div className={styles.item}>{own.item}</div>}
            <div className={styles.description}>
              <bdi>{own.description}</bdi>
            </div>
            <div className={styles.label}>
              {[own.account, own.class, own.tax, own.customer === null ? null : previewWords.for(own.customer)]
                .filter((part) => part !== null && part !== '')
                .join(' · ')}
            </div>
            {why === null ? figures : <mark className={styles.mark}>{figures}</mark>}
          </>
        )}
        {why !== null && <span className={styles.why}>{why}</span>}
      </td>
    </tr>
  );
}

/** Quantity and price at the left, the amount at the right. */
function Figures({ line }: { line: Pick<SourceReply['lines'][number], 'quantity' | 'unit_price' | 'amount'> }) {
  const { quantity, unit_price: price, amount } = line;
  return (
    <span className={styles.figures}>
      <span>{quantity !== null && price !== null && `${setQuantity(quantity)} × ${setAmount(price)}`}</span>
      <span>{setAmount(amount)}</span>
    </span>
  );
}
