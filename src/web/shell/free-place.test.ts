import { expect, it } from 'vitest';
import { freePlace } from './free-place.ts';

const message = { left: 1_000, top: 820, right: 1_424, bottom: 884 };
const control = (top: number, height = 34, left = 1_200, width = 120) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

it('leaves a message at the lower edge if nothing is below it', () => {
  expect(freePlace(message, [], 0)).toBe(0);
  expect(freePlace(message, [control(100), control(840, 34, 300)], 0)).toBe(0);
});

it('moves a message above the buttons at the foot of a page', () => {
  const up = freePlace(message, [control(840), control(850, 20, 1_340, 60)], 0);
  expect(message.bottom - up).toBeLessThan(840);
});

it('moves it past a control that is right above', () => {
  const up = freePlace(message, [control(840), control(770)], 0);
  expect(message.bottom - up).toBeLessThan(770);
});

it('stays where it is while that place is free', () => {
  expect(freePlace(message, [], 120)).toBe(120);
  expect(freePlace(message, [control(740)], 120)).not.toBe(120);
});

it('covers as few controls as possible if no place is free', () => {
  const rows = Array.from({ length: 20 }, (_, at) => control(at * 44));
  const crowded = [...rows, control(840), control(840), control(860)];
  const up = freePlace(message, crowded, 0);
  expect(up).toBeGreaterThan(0);
  expect(up).toBeLessThanOrEqual(message.bottom / 2);
});
