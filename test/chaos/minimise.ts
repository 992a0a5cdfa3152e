import type { Scenario } from './scenario.ts';
import type { Step } from './step.ts';

/**
 * The shortest scenario that still fails that leaving out steps leads to: halves first, then quarters, down to one step.
 *
 * @param fails plays a scenario and answers whether it still fails in the same way.
 */
export async function minimise(scenario: Scenario, fails: (shorter: Scenario) => Promise<boolean>): Promise<Scenario> {
  let steps: readonly Step[] = scenario.steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < steps.length;) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      if (await fails({ ...scenario, steps: fewer })) steps = fewer;
      else from += size;
    }
  return { ...scenario, steps };
}
