/** Documents that go together, as those behind them see them. */
export interface Before {
  /** Resolves once nothing more of them will be sent. */
  readonly sent: Promise<void>;
  /** Nothing of them was kept from being sent, and whatever was sent is known to be made or not. */
  readonly isClear: () => boolean;
}

/**
 * The turn of a chunk in single file: asked for, it resolves once nothing more of the chunks before it will be sent, with
 * whether its documents may follow theirs. Each chunk is known by the turn of the next one, so that a turn that has come
 * lets go of them: a job would keep all of its documents otherwise until its end.
 *
 * @param leading chunks that come before.
 * @param isFresh whether what was read of the chunk's own documents is still good; nothing has to be, where none comes before.
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
