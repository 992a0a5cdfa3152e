import type { EffectHook } from '#flows/context.ts';

const none: EffectHook = () => undefined;

/**
 * Ends this process with SIGKILL at a named effect, so that a test can prove what a restart makes of it:
 * `TALLYBRIDGE_CRASH=post:create_invoice:1:after` dies right after the first such effect.
 *
 * @param instruction undefined in every real deployment: the hook then does nothing.
 */
export function crashHook(instruction: string | undefined): EffectHook {
  const match = /^(.+):(\d+):(before|after)$/.exec(instruction ?? '');
  if (match === null) return none;
  const [, name, count, moment] = match;
  let left = Number(count);
  return (effect, when) => {
    if (effect !== name || when !== moment) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
