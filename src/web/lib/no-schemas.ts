/**
 * Replaces the schema library in the browser (vite.config.ts). The contract's modules build schemas when they load, but
 * the web application needs only paths and types, because the server validates requests and replies. This makes the
 * first load a third smaller. Building a schema does nothing; using one throws an error.
 */
const uses = new Set<PropertyKey>(['parse', 'safeParse', 'parseAsync', 'safeParseAsync', 'decode', 'encode']);

const nothing = (): unknown => z;

/** A schema on which every property and call returns the schema itself. */
export const z: unknown = new Proxy(nothing, {
  get: (_, name) => {
    if (uses.has(name)) throw new Error(`Schemas are not in the browser: ${String(name)} was called.`);
    return typeof name === 'symbol' ? undefined : z;
  },
});
