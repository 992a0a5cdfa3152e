/** Bits that a secret must have at least, by the frequency of its characters: an upper bound of what it can be worth. */
const leastBits = 96;
/** Different steps from one character to the next; `abcdef…` has one, and so has a keyboard row of few. */
const leastSteps = 8;

/**
 * Whether a secret could have been made by chance. Nobody can measure that; what this finds is what people type when
 * they have to type something: one letter again and again, a short text repeated, the alphabet.
 */
export function isStrong(secret: string): boolean {
  const signs = Array.from(secret);
  const counts = Map.groupBy(signs, (sign) => sign);
  const bits = [...counts.values()].reduce((sum, { length }) => sum - length * Math.log2(length / signs.length), 0);
  const steps = new Set(signs.slice(1).map((sign, index) => codeOf(sign) - codeOf(signs[index] ?? '')));
  return bits >= leastBits && steps.size >= leastSteps && !isRepeated(signs);
}

const codeOf = (sign: string): number => sign.codePointAt(0) ?? 0;

/** True for a text of which more than a third only says again what stood before. */
function isRepeated(signs: readonly string[]): boolean {
  for (let period = 1; period <= (signs.length * 2) / 3; period += 1)
    if (signs.every((sign, index) => index < period || sign === signs[index - period])) return true;
  return false;
}
