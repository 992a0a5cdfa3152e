/**
 * Removes steps, first halves, then smaller parts down to single steps, while the scenario still fails.
 *
 * @param stillFails runs a scenario and returns whether it still fails in the same way.
 */
export async function minimize<Steps extends { readonly steps: readonly unknown[] }>(
  scenario: Steps,
  stillFails: (shorter: Steps) => Promise<boolean>,
): Promise<Steps> {
  let { steps }: { readonly steps: readonly unknown[] } = scenario;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < steps.length;) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      if (await stillFails({ ...scenario, steps: fewer })) steps = fewer;
      else from += size;
    }
  return { ...scenario, steps };
}
