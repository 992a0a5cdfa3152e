/**
 * Cuts a list into pieces of at most `size` rows, in the order given; an empty list has no piece.
 *
 * @param size at least 1.
 */
export function chunked<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}
