/** A chunk, as later chunks see it. */
export interface Before {
  /** Resolves once nothing more of the chunk will be sent. */
  readonly sent: Promise<void>;
  /** Returns true if everything could be sent and every result is known. */
  readonly isClear: () => boolean;
}

/**
 * Returns the turn of a chunk in an ordered job: a function that resolves once nothing more of the earlier chunks will
 * be sent, with whether this chunk may follow. Each chunk is referenced by the turn of the next one. The references are
 * dropped when the turn has come, so that a job does not keep all its documents in memory.
 *
 * @param leading earlier chunks.
 * @param isFresh whether the chunk's own data is still fresh; not checked without earlier chunks.
 */
export function turnAfter(leading: readonly Before[], isFresh: () => boolean): () => Promise<boolean> {
  let before = leading;
  const comes = async (): Promise<boolean> => {
    await Promise.all(before.map(({ sent }) => sent));
    const mayFollow = (before.length === 0 || isFresh()) && before.every(({ isClear }) => isClear());
    before = [];
    return mayFollow;
  };
  let turn: Promise<boolean> | undefined;
  return () => (turn ??= comes());
}
