import {
  type AnchorHTMLAttributes,
  Component,
  type ComponentType,
  createContext,
  type ReactNode,
  type Ref,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { decoded, matchPath, type Params } from './match-path.ts';

/**
 * A router: maps URLs to screens. It shows a screen after its guard allows it and its code has loaded; until then the
 * previous screen stays. A general-purpose router would be ten times larger, and every first visit would load it.
 */

/** The current URL and the state of its history entry. */
export interface Location {
  readonly pathname: string;
  /** With its question mark; empty without a query. */
  readonly search: string;
  readonly hash: string;
  /** A value passed with the navigation; survives a reload. */
  readonly state: unknown;
  /** Id of the history entry. */
  readonly key: string;
}

/** One path pattern and its screen. */
export interface Route {
  /** A part that begins with a colon matches any one part; `*` alone matches every path. */
  readonly path: string;
  /** Decides whether the screen is shown: returns null, or the path to show instead. */
  readonly guard?: (url: URL) => Promise<string | null> | string | null;
  readonly load: () => Promise<{ readonly Component: ComponentType }> | { readonly Component: ComponentType };
}

/** A screen, or the error that prevented it. */
type View = { readonly Component: ComponentType } | { readonly error: unknown };

interface State {
  readonly location: Location;
  readonly route: Route | null;
  readonly params: Params;
  /** Null until the first screen is shown. */
  readonly view: View | null;
  /** A screen is loading. */
  readonly isNavigating: boolean;
}

export interface NavigateOptions {
  /** Replaces the current history entry. */
  readonly replace?: boolean;
  readonly state?: unknown;
  /** Does not change the scroll position. */
  readonly preventScrollReset?: boolean;
  /** Leaves without asking about unsaved input, e.g. when the session has ended. */
  readonly force?: boolean;
}

/** Opens a path of the application, or moves by this many history entries. Resolves when the screen is shown. */
export type Navigate = (to: string | number, options?: NavigateOptions) => Promise<void>;

/** More redirects than this in one navigation are a bug in a guard. */
const maxRedirects = 10;

/** Asks before leaving a screen with unsaved input; calls `proceed` if the user agrees. */
export type Blocker = (proceed: () => void) => void;
let blocker: Blocker | null = null;

const state = { current: initial() };
const listeners = new Set<() => void>();
let routes: readonly Route[] = [];
/** Counts navigations, so that an outdated one has no effect. */
let newestNavigation = 0;

function initial(): State {
  return { location: here(), route: null, params: {}, view: null, isNavigating: true };
}

function set(change: Partial<State>): void {
  state.current = { ...state.current, ...change };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the URL of the browser. */
function here(): Location {
  const { pathname, search, hash } = window.location;
  const entry: unknown = window.history.state;
  const { key, state: entryState } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
    readonly key?: unknown;
    readonly state?: unknown;
  };
  return { pathname, search, hash, state: entryState ?? null, key: typeof key === 'string' ? key : 'first' };
}

/** Returns the number of screens of this application before a history entry in its tab. */
function depthOf(entry: unknown): number {
  const depth = typeof entry === 'object' && entry !== null && 'depth' in entry ? entry.depth : 0;
  return typeof depth === 'number' ? depth : 0;
}

const openedKey = 'tb-opened';

/**
 * Records for an entry that the browser created, e.g. for a typed URL, whether this tab showed the application before.
 */
function recordDepth(): void {
  const entry: unknown = window.history.state;
  if (typeof entry === 'object' && entry !== null && 'depth' in entry) return;
  const depth = sessionStorage.getItem(openedKey) === null ? 0 : 1;
  window.history.replaceState({ ...(typeof entry === 'object' ? entry : {}), depth }, '');
  sessionStorage.setItem(openedKey, 'yes');
}

/** Returns true if Back shows another screen of this application instead of the page from which it was opened. */
export const hasPreviousScreen = (): boolean => depthOf(window.history.state) > 0;

const find = (pathname: string): Route | null => routes.find(({ path }) => matchPath(path, pathname) !== null) ?? null;

/**
 * Sets the routes and shows the screen of the current URL.
 *
 * @param table the first match is used.
 * @param onChange called for each new path before its screen is rendered.
 */
export function startRouter(table: readonly Route[], onChange: (location: Location) => void): void {
  routes = table;
  window.history.scrollRestoration = 'manual';
  recordDepth();
  let { pathname } = state.current.location;
  subscribe(() => {
    const { location } = state.current;
    if (location.pathname === pathname) return;
    pathname = location.pathname;
    onChange(location);
  });
  window.addEventListener('popstate', () => {
    saveScroll();
    void open(new URL(window.location.href), { how: 'pop', options: {} });
  });
  window.addEventListener('pagehide', () => {
    saveScroll();
    storeScrolls();
  });
  void open(new URL(window.location.href), { how: 'pop', options: {} });
}

/** Loads the code of a path in advance. */
export function preload(to: string): void {
  const route = find(new URL(to, window.location.href).pathname);
  if (route !== null) void Promise.resolve(route.load()).catch(() => undefined);
}

export const navigate: Navigate = async (to, options = {}) => {
  if (typeof to === 'number') return window.history.go(to);
  const url = new URL(to, window.location.href);
  if (url.origin !== window.location.origin) throw new Error(`Not an address of the application: ${to}`);
  const isSame = url.href === window.location.href;
  await open(url, { how: options.replace === true || isSame ? 'replace' : 'push', options });
};

async function open(
  wanted: URL,
  { how, options }: { readonly how: 'push' | 'replace' | 'pop'; readonly options: NavigateOptions },
): Promise<void> {
  if (blocker !== null && options.force !== true && wanted.pathname !== state.current.location.pathname)
    return askToLeave(wanted, how, options);
  const id = (newestNavigation += 1);
  const route = find(wanted.pathname);
  // Same screen with a different query or fragment: no guard and no loading needed.
  const { view: current } = state.current;
  const isHere = route !== null && route === state.current.route && wanted.pathname === state.current.location.pathname;
  if (isHere && current !== null && !('error' in current))
    return commit(wanted, { how, options, view: current, route });
  if (!state.current.isNavigating) set({ isNavigating: true });
  let url = wanted;
  let found = route;
  let finalHow = how;
  let finalOptions = options;
  let view: View;
  try {
    for (let count = 0; ; count += 1) {
      if (count > maxRedirects) throw new Error(`Redirected too often: ${url.pathname}`);
      // Loads the code while the guard runs.
      const loading = found === null ? null : Promise.resolve(found.load());
      loading?.catch(() => undefined);
      const next = (await found?.guard?.(url)) ?? null;
      if (id !== newestNavigation) return;
      if (next === null) {
        if (loading === null) throw new Error(`No route for ${url.pathname}`);
        view = await loading;
        break;
      }
      url = new URL(next, window.location.href);
      found = find(url.pathname);
      finalHow = how === 'push' ? 'push' : 'replace';
      finalOptions = {};
    }
  } catch (error) {
    view = { error };
  }
  if (id === newestNavigation) commit(url, { how: finalHow, options: finalOptions, view, route: found });
}

/** Stays on the screen and asks the user, who may continue the navigation. */
function askToLeave(wanted: URL, how: 'push' | 'replace' | 'pop', options: NavigateOptions): void {
  const { pathname, search, hash, key, state: entryState } = state.current.location;
  // Back has already changed the URL, so this restores the entry of the screen.
  if (how === 'pop')
    window.history.pushState(
      { key, state: entryState, depth: depthOf(window.history.state) + 1 },
      '',
      `${pathname}${search}${hash}`,
    );
  leave(() => void open(wanted, { how: how === 'pop' ? 'push' : how, options: { ...options, force: true } }));
}

/** Runs an action that leaves the screen; asks first if there is unsaved input. */
export function leave(proceed: () => void): void {
  if (blocker === null) proceed();
  else blocker(proceed);
}

/** While active, calls `ask` before the user leaves the screen, and makes the browser ask before a reload. */
export function useBlocker(isActive: boolean, ask: Blocker): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    blocker = ask;
    window.addEventListener('beforeunload', warn);
    return () => {
      blocker = null;
      window.removeEventListener('beforeunload', warn);
    };
  }, [isActive, ask]);
}

function commit(
  url: URL,
  {
    how,
    options,
    view,
    route,
  }: {
    readonly how: 'push' | 'replace' | 'pop';
    readonly options: NavigateOptions;
    readonly view: View | null;
    readonly route: Route | null;
  },
): void {
  if (how !== 'pop') {
    saveScroll();
    const depth = depthOf(window.history.state) + (how === 'push' ? 1 : 0);
    const entry = { key: crypto.randomUUID().slice(0, 8), state: options.state ?? null, depth };
    if (how === 'push') window.history.pushState(entry, '', url);
    else window.history.replaceState(entry, '', url);
  }
  scroll.next = options.preventScrollReset === true ? 'stay' : how === 'pop' ? 'restore' : 'top';
  const location = here();
  const params = (route === null ? null : matchPath(route.path, location.pathname)) ?? {};
  set({ location, route, params, view, isNavigating: false });
}

const scrollKey = 'scroll-positions';
const scroll: { next: 'stay' | 'restore' | 'top'; readonly positions: Map<string, number> } = {
  next: 'restore',
  positions: storedScrolls(),
};

function storedScrolls(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(scrollKey) ?? '[]') as [string, number][]);
  } catch {
    return new Map();
  }
}

function storeScrolls(): void {
  try {
    sessionStorage.setItem(scrollKey, JSON.stringify([...scroll.positions].slice(-50)));
  } catch {
    // Without storage, only the scroll position is lost on a reload.
  }
}

/** Stores the scroll position of the entry that the user leaves. */
const saveScroll = (): unknown => scroll.positions.set(state.current.location.key, window.scrollY);

/** Scrolls new pages to the top and restores the position of earlier ones. */
export function useScrollRestoration(): void {
  const { location, view } = useRouter();
  useLayoutEffect(() => {
    const { next } = scroll;
    scroll.next = 'stay';
    if (next === 'stay' || view === null) return;
    const position = next === 'restore' ? scroll.positions.get(location.key) : undefined;
    if (position !== undefined) window.scrollTo(0, position);
    else if (location.hash !== '')
      document.querySelector(`[id="${CSS.escape(decoded(location.hash.slice(1)))}"]`)?.scrollIntoView();
    else if (next === 'top') window.scrollTo(0, 0);
  }, [location, view]);
}

const useRouter = (): State => useSyncExternalStore(subscribe, () => state.current);

export const useLocation = (): Location => useRouter().location;
export const useParams = (): Params => useRouter().params;
export const useNavigate = (): Navigate => navigate;
/** True while a screen is loading. */
export const useIsNavigating = (): boolean => useRouter().isNavigating;
/** The pattern of the current path; null before the first screen, and for a screen that failed to load. */
export const useRoutePath = (): string | null => useRouter().route?.path ?? null;

type Query = URLSearchParams | Readonly<Record<string, string>>;
/** Sets the query of the URL; a function receives the current query. */
export type SetSearchParams = (query: Query | ((current: URLSearchParams) => Query), options?: NavigateOptions) => void;

/** The query of the URL and a function to set it. */
export function useSearchParams(): readonly [URLSearchParams, SetSearchParams] {
  const { search } = useLocation();
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback<SetSearchParams>((next, options) => {
    const current = new URLSearchParams(state.current.location.search);
    const wanted = new URLSearchParams(typeof next === 'function' ? next(current) : next).toString();
    void navigate(`${state.current.location.pathname}${wanted === '' ? '' : `?${wanted}`}`, options);
  }, []);
  return [query, change];
}

/**
 * A link within the application. Clicks with a modifier key or another mouse button have their default behavior.
 * Hovering loads the code of the screen.
 */
export function Link({
  to,
  state: linkState,
  replace = false,
  onClick,
  onPointerEnter,
  children,
  ...rest
}: Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: string;
  readonly state?: unknown;
  readonly replace?: boolean;
  readonly ref?: Ref<HTMLAnchorElement>;
}) {
  return (
    <a
      {...rest}
      href={to}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        preload(to);
      }}
      onClick={(event) => {
        onClick?.(event);
        const isSameTab = rest.target === undefined || rest.target === '_self';
        const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
        if (event.defaultPrevented || !isSameTab || !isPlain) return;
        event.preventDefault();
        void navigate(to, { replace, state: linkState });
      }}
    >
      {children}
    </a>
  );
}

const ErrorContext = createContext<unknown>(null);

/** The thrown error, for the component that replaces a screen. */
export const useRouteError = (): unknown => use(ErrorContext);

interface BoundaryProps {
  readonly location: Location;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/** Replaces content that fails to render until the user opens another page. */
class Boundary extends Component<
  BoundaryProps,
  { readonly failure: { readonly error: unknown } | null; readonly at: Location }
> {
  constructor(props: BoundaryProps) {
    super(props);
    this.state = { failure: null, at: props.location };
  }

  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } });

  static getDerivedStateFromProps = ({ location }: BoundaryProps, { at }: { readonly at: Location }) =>
    location === at ? null : { at: location, failure: null };

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return <ErrorContext value={failure.error}>{this.props.fallback}</ErrorContext>;
  }
}

/**
 * Renders its content, or the fallback after an error.
 *
 * @param fallback calls {@link useRouteError} to get the error.
 */
export function ErrorBoundary({ fallback, children }: Omit<BoundaryProps, 'location'>) {
  return (
    <Boundary location={useLocation()} fallback={fallback}>
      {children}
    </Boundary>
  );
}

/** The current screen; the fallback until the first one is loaded. */
export function Outlet({ fallback }: { readonly fallback: ReactNode }) {
  const { view } = useRouter();
  if (view === null) return null;
  if ('error' in view) return <ErrorContext value={view.error}>{fallback}</ErrorContext>;
  return (
    <ErrorBoundary fallback={fallback}>
      <view.Component />
    </ErrorBoundary>
  );
}
