/** The edges of a box on the screen, in pixels from its upper left corner. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Space between a message and a control below it. */
const gapPx = 8;

/**
 * Returns how far a message is moved up so that it covers no control. A place that is still free stays. If the lower half of
 * the screen has no free place, returns the place that covers the fewest controls.
 *
 * @param message the message without a move
 * @param controls the visible controls
 * @param nowPx its present move
 */
export function freePlace(message: Box, controls: readonly Box[], nowPx: number): number {
  const covered = (upPx: number) =>
    controls.filter(
      ({ left, top, right, bottom }) =>
        left < message.right && right > message.left && top < message.bottom - upPx && bottom > message.top - upPx,
    ).length;
  const maxPx = message.bottom / 2;
  const places = [
    nowPx,
    0,
    ...controls.map(({ top }) => Math.ceil(message.bottom - top + gapPx)).toSorted((a, b) => a - b),
  ].filter((upPx) => upPx >= 0 && upPx <= maxPx);
  return (
    places.find((upPx) => covered(upPx) === 0) ??
    places.reduce((best, upPx) => (covered(upPx) < covered(best) ? upPx : best), 0)
  );
}
