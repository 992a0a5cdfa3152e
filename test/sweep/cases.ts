import { createHash } from 'node:crypto';
import { createRandom } from '#sandbox/kit/random.ts';
import type { Case } from './run.ts';

/**
 * The moments at which a process can die, of the effects of a step in order. Where one effect is called from inside
 * another and nothing lies between them, one of the two moments stands for both.
 *
 * @param effects `name:count:moment` each, as {@link Outcome.effects} tells them.
 */
export function crashPoints(effects: readonly string[]): string[] {
  const isBefore = (effect: string | undefined): boolean => effect?.endsWith(':before') === true;
  return effects.filter((effect, at) =>
    isBefore(effect) ? !isBefore(effects[at - 1]) || at === 0 : at + 1 === effects.length || isBefore(effects[at + 1]),
  );
}

/** How many writes to the books a step makes: each can be cut half-way (row K5). */
const writesIn = (effects: readonly string[]): number =>
  effects.filter((one) => /^books\.post\w*:\d+:before$/.test(one)).length;

/** How many pairs of crashes are drawn per flow and mode (row K16), and how far into the recovery the second one lies. */
const pairs = 6;
const deepestSecond = 24;

/** Every case of one flow in one mode, from the effects of a run that was not killed. */
export function casesOf(flow: string, requestid: Case['requestid'], effects: readonly string[]): Case[] {
  const points = crashPoints(effects);
  const random = createRandom(seedOf(`${flow} ${requestid}`));
  const halves = Array.from({ length: writesIn(effects) }, (_, at) => `half:${at + 1}`);
  const doubles = Array.from({ length: pairs }, () => [
    random.pick(points),
    `*:${random.whole(1, deepestSecond)}:${random.chance(0.5) ? 'before' : 'after'}`,
  ]);
  const stops = effects
    .filter((effect) => isProven(effect) || (points.includes(effect) && isStopped(effect)))
    .map((effect) => [`${effect}:stop`]);
  return [...points.map((point) => [point]), ...stops, ...halves.map((half) => [half]), ...doubles].map((crashes) => ({
    flow,
    requestid,
    crashes,
  }));
}

/**
 * Whether a process stands still here for long, and then goes on as if nothing had been (row D8): before each effect
 * that changes something, and after each commit, when it has yet to prove that the tenant is still its own. One that
 * stood still after a call goes on to the commit of its answer, and after a read to what was decided by it: that is
 * one of the former.
 */
const isStopped = (point: string): boolean =>
  /^(post:|psa:write:|oauth[:.]|mail[:.]|commit:).*:before$|^commit:.*:after$/.test(point);

/** A write whose sender has proved the tenant to be its own, and stands still before the first byte leaves. */
const isProven = (effect: string): boolean => /^(books\.post|psa\.write)\w*:\d+:before$/.test(effect);

/** The same text gives the same seed on every machine. */
const seedOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);
