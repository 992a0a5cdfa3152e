const name = 'kiss';

/**
 * The one-time code of a sign-on, taken out of the address when this module loads: before the first call is made, and
 * before it could stay in the history.
 */
let code: string | null = null;

const address = new URL(window.location.href);
if (address.searchParams.has(name)) {
  code = address.searchParams.get(name);
  address.searchParams.delete(name);
  window.history.replaceState(window.history.state, '', `${address.pathname}${address.search}${address.hash}`);
}

/** The code, once; null when the address brought none. */
export function takeSignOnCode(): string | null {
  const taken = code === '' ? null : code;
  code = null;
  return taken;
}
