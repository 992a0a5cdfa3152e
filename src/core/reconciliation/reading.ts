import { contentText, exceptionsOf, rowKey, type Proof } from './close.ts';

/**
 * Returns everything that a month shows as text, including lists, reasons, paid states and the closing date. Equal
 * texts mean that nothing changed between two readings.
 */
export const readingText = (proof: Proof): string =>
  JSON.stringify([
    contentText(proof),
    proof.rows
      .map((row) => {
        const { psa, accounting, findings, unexplained } = row;
        return [rowKey(row), findings, unexplained, psa?.isPaid, psa?.paidOn, accounting?.balance] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    proof.tieOuts,
    proof.closedThrough,
    exceptionsOf(proof).map(({ key, actions }) => [key, actions]),
  ]);
