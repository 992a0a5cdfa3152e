import { createHash } from 'node:crypto';
import { createRandom } from '@tallybridge/sandbox';
import type { Case } from './run.ts';

/**
 * Returns the points at which a process can crash. If one effect calls another and nothing happens between them, only
 * one of the two points is returned.
 *
 * @param effects `name:count:moment` in order, as in {@link Outcome.effects}.
 */
export function crashPoints(effects: readonly string[]): string[] {
  const isBefore = (effect: string | undefined): boolean => effect?.endsWith(':before') === true;
  return effects.filter((effect, at) =>
    isBefore(effect) ? !isBefore(effects[at - 1]) || at === 0 : at + 1 === effects.length || isBefore(effects[at + 1]),
  );
}

/** Counts the writes to QuickBooks. Each one can be cut (row K5). */
const writesIn = (effects: readonly string[]): number =>
  effects.filter((one) => /^accounting\.post\w*:\d+:before$/.test(one)).length;

/** Pairs of crashes drawn per flow and mode (row K16), and the maximum number of effects before the second crash. */
const doubleCrashes = 6;
const maxRecoveryEffects = 24;

/** Returns all cases of one flow in one mode, from the effects of an undisturbed run. */
export function casesOf(flow: string, requestid: Case['requestid'], effects: readonly string[]): Case[] {
  const points = crashPoints(effects);
  const random = createRandom(seedOf(`${flow} ${requestid}`));
  const cuts = Array.from({ length: writesIn(effects) }, (_, at) => `accounting.post*:${at + 1}:before:cut`);
  const doubles = Array.from({ length: doubleCrashes }, () => [
    random.pick(points),
    `*:${random.whole(1, maxRecoveryEffects)}:${random.chance(0.5) ? 'before' : 'after'}`,
  ]);
  const freezes = effects
    .filter((effect) => isAfterLeaseCheck(effect) || (points.includes(effect) && isFreezePoint(effect)))
    .map((effect) => [`${effect}:stop`]);
  return [...points.map((point) => [point]), ...freezes, ...cuts.map((cut) => [cut]), ...doubles].map((crashes) => ({
    flow,
    requestid,
    crashes,
  }));
}

/**
 * Returns whether a process is also frozen and resumed here (row D8): before each effect that changes something, and
 * after each commit, because it must then check its lease again. Freezing after a call or a read leads to one of these
 * points.
 */
const isFreezePoint = (point: string): boolean =>
  /^(post:|psa:write:|oauth[:.]|mail[:.]|commit:).*:before$|^commit:.*:after$/.test(point);

/** A write whose lease was just checked, frozen before its first byte is sent. */
const isAfterLeaseCheck = (effect: string): boolean => /^(accounting\.post|psa\.write)\w*:\d+:before$/.test(effect);

/** Derives the same seed from a text on every machine. */
const seedOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);
