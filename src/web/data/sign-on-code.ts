const name = 'kiss';

/**
 * The one-time code of a sign-on. It is removed from the URL when this module loads: before the first call, and before
 * it gets into the history.
 */
let code: string | null = null;

const address = new URL(window.location.href);
if (address.searchParams.has(name)) {
  code = address.searchParams.get(name);
  address.searchParams.delete(name);
  window.history.replaceState(window.history.state, '', `${address.pathname}${address.search}${address.hash}`);
}

/** Returns the code once; null if the URL had none. */
export function takeSignOnCode(): string | null {
  const taken = code === '' ? null : code;
  code = null;
  return taken;
}
