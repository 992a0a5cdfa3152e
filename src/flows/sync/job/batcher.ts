/** Most items of one call unless said otherwise; the others make the next. */
const mostInOneCall = 100;

/**
 * Does as one call what is asked for at one moment; while that call runs, the next ones gather.
 *
 * @param doAll answers one outcome per item, in the order given; what it throws meets all of them.
 */
export function createBatcher<In, Out>(
  doAll: (items: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>,
  mostAtOnce = mostInOneCall,
): (item: In) => Promise<Out> {
  let waiting: { readonly item: In; readonly done: PromiseWithResolvers<Out> }[] = [];
  let isRunning = false;
  const round = async () => {
    while (waiting.length > 0) {
      const now = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
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
      // Callers that were answered just now may join the next call.
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
