/** Returns the rows whose text contains all words of the search. */
export function findRows<Row>(
  rows: readonly Row[] | undefined,
  find: string,
  textOf: ((row: Row) => string) | undefined,
): readonly Row[] | undefined {
  if (textOf === undefined || find === '') return rows;
  const words = find.toLowerCase().split(/\s+/);
  return rows?.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
