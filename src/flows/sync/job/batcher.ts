/** Default maximum of items in one call; further items go into the next call. */
const defaultMaxItems = 100;

/**
 * Combines items requested at the same time into one call. Items that arrive during that call go into the next one.
 *
 * @param doAll returns one outcome per item, in the given order; if it throws, all items fail.
 */
export function createBatcher<In, Out>(
  doAll: (items: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>,
  maxItems = defaultMaxItems,
): (item: In) => Promise<Out> {
  let waiting: { readonly item: In; readonly done: PromiseWithResolvers<Out> }[] = [];
  let isRunning = false;
  const round = async () => {
    while (waiting.length > 0) {
      const now = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        const outcomes = await doAll(now.map(({ item }) => item));
        for (const [index, { done }] of now.entries()) {
          const outcome = outcomes[index];
          if (outcome?.status === 'fulfilled') done.resolve(outcome.value);
          else done.reject(outcome?.reason ?? new Error('Impossible: no outcome'));
        }
      } catch (error) {
        for (const { done } of now) done.reject(error);
      }
      // Callers that just got their result may join the next call.
      await nextRound();
    }
    isRunning = false;
  };
  return (item) => {
    const done = Promise.withResolvers<Out>();
    waiting.push({ item, done });
    if (!isRunning) {
      isRunning = true;
      void nextRound().then(round);
    }
    return done.promise;
  };
}

const nextRound = (): Promise<void> => new Promise((go) => setImmediate(go));
