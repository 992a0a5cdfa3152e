/**
 * Stops at an impossible state.
 *
 * @throws Error with the message; it is a defect, never a fault of the input.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Impossible: ${message}`);
}

/** Ends a switch that names every case; the compiler points here when one is missing. */
export function never(value: never): never {
  throw new Error(`Impossible: unhandled case ${JSON.stringify(value)}`);
}
