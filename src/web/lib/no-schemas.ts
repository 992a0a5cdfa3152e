/**
 * Stands in for the schema library in the browser (vite.config.ts): the contract's schemas are built when its modules
 * load, but a caller needs paths and types only, since the server validates both ways. That keeps a third of the first
 * load away. Building a schema works and does nothing; using one is a mistake and says so.
 */
const uses = new Set<PropertyKey>(['parse', 'safeParse', 'parseAsync', 'safeParseAsync', 'decode', 'encode']);

const nothing = (): unknown => z;

/** Any schema: whatever is asked of it is itself again. */
export const z: unknown = new Proxy(nothing, {
  get: (_, name) => {
    if (uses.has(name)) throw new Error(`Schemas are not in the browser: ${String(name)} was called.`);
    return typeof name === 'symbol' ? undefined : z;
  },
});
