/** Minimum bits of a secret, estimated from the frequency of its characters: an upper bound of its strength. */
const minBits = 96;
/** Minimum number of different steps between neighboring characters; `abcdef…` has one, and a keyboard row has few. */
const minSteps = 8;

/**
 * Returns true if a secret looks random. Randomness cannot be measured; this detects what people type by hand: one
 * character repeated, a short text repeated, the alphabet.
 */
export function isStrong(secret: string): boolean {
  const signs = Array.from(secret);
  const counts = Map.groupBy(signs, (sign) => sign);
  const bits = [...counts.values()].reduce((sum, { length }) => sum - length * Math.log2(length / signs.length), 0);
  const steps = new Set(signs.slice(1).map((sign, index) => codeOf(sign) - codeOf(signs[index] ?? '')));
  return bits >= minBits && steps.size >= minSteps && !isRepeated(signs);
}

const codeOf = (sign: string): number => sign.codePointAt(0) ?? 0;

/** Returns true if a text repeats with a period of at most two thirds of its length. */
function isRepeated(signs: readonly string[]): boolean {
  for (let period = 1; period <= (signs.length * 2) / 3; period += 1)
    if (signs.every((sign, index) => index < period || sign === signs[index - period])) return true;
  return false;
}
