import { afterEach, beforeEach } from 'vitest';
import { newWorld, type World, type WorldOptions } from './world.ts';

/** Creates a new world before each test and closes it afterward. Returns the world of the running test. */
export function eachWorld(options: WorldOptions = {}): World {
  let current: World | undefined;
  beforeEach(async () => {
    current = await newWorld(options);
  });
  afterEach(() => current?.close());
  return new Proxy({} as World, {
    get(_, name: keyof World) {
      if (current === undefined) throw new Error('A world exists only during a test.');
      return current[name];
    },
  });
}
